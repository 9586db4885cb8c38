internal import HTTP
internal import Support

// Requests through a trusted proxy.
extension HTTPConnection {
    /// Takes over a trusted proxy's header fields for the current request.
    ///
    /// - Returns: a refusal if they name another host than this server's, or a client with too many
    ///   connections.
    func readForwarding(_ head: RequestHead) -> Refusal? {
        let forwarding = hub.codec.proxies.forwarding(head)
        self.forwarding = forwarding
        client = forwarding.address
        if let host = forwarding.authority {
            // `Host` was checked as well, so a proxy that passes this field through unchanged opens
            // no way around the check.
            let isOurs = host.withBorrowedBytes { listener.hostCheck.accepts($0) }
            guard isOurs else { return .misdirected(head) }
        }
        guard let address = forwarding.address, !hub.addresses.count(self, as: address.description) else {
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
