internal import HTTP

// Requests that come through a proxy that is trusted (`trustedProxies`).
extension HTTPConnection {
    /// Takes what the proxy says about the request at hand.
    ///
    /// Returns a refusal where it names another host than this server's, or a client that has too many connections.
    func hear(_ head: RequestHead) -> Refusal? {
        let forwarding = server.proxies.forwarding(head)
        self.forwarding = forwarding
        client = forwarding.address
        if var host = forwarding.authority {
            // `Host` was looked at as well: a proxy that lets this field through as it came opens no way around that.
            let isOurs = host.withUTF8 { door.hostCheck.accepts(UnsafeRawBufferPointer($0)) }
            guard isOurs else { return Self.misdirected(head) }
        }
        guard let address = forwarding.address, !server.count(self, as: address.description) else {
            return nil
        }
        framing.keepsAlive = false
        return Refusal(
            "too_many_connections",
            "there is no room for another connection of this address",
            retryAfterSeconds: 5
        )
    }
}
