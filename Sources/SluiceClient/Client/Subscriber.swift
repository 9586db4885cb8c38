/// Owns a subscription: it ends with this object.
final class Subscriber: Sendable {
    /// Held so that the connection lasts as long as what it is for.
    private let client: SluiceClient
    let buffer: Buffer

    init(_ client: SluiceClient, _ fields: JSONObject, isShared: Bool, _ policy: Buffer.Policy) {
        self.client = client
        buffer = Buffer(policy)
        client.loop.send { [buffer] in $0.join(fields, isShared: isShared, buffer) }
    }

    func close() {
        client.loop.send { [buffer] in $0.leave(buffer) }
    }

    deinit {
        close()
    }
}
