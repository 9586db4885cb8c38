internal import Values

/// What a stream has sent, for all nodes that take it: it is read once.
final class StreamMessage {
    /// The type of an event, or a topic; empty where a stream has neither.
    let channel: String
    let data: [UInt8]
    private var json: Result<Datum, UpstreamFailure>?

    init(_ data: [UInt8], on channel: String) {
        (self.channel, self.data) = (channel, data)
    }

    /// The data as JSON, or as a string.
    ///
    /// - Throws: ``UpstreamFailure`` if it is not JSON.
    func datum(isText: Bool) throws(UpstreamFailure) -> Datum {
        guard !isText else { return try Upstream.datum(of: data, isText: true) }
        let json =
            json
            ?? Result { () throws(UpstreamFailure) in try Upstream.datum(of: data, isText: false) }
        self.json = json
        return try json.get()
    }
}
