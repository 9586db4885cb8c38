internal import Sessions
internal import Values

/// What one request of a sink sends.
struct SinkValue: Equatable {
    let body: [UInt8]
    let rev: Int
    /// Equal for all attempts of the same value.
    let key: String
    /// How many values it has.
    var count = 1
}

/// What waits to be sent by a sink, and what is known of its receiver.
protocol SinkOutbox: AnyObject {
    /// How many values wait, besides those of the request under way.
    var waiting: Int { get }
    /// Listens, with a session of the sink's own.
    func listen(_ session: Session)
    /// The session has sent a message.
    func receive(_ message: JSONReader)
    /// What to send next; nil: nothing now.
    func next() -> SinkValue?
    /// What became of that.
    func settle(_ outcome: FollowedOutcome)
    /// Lets what the receiver refused wait again, in mode `latest`.
    ///
    /// - Returns: whether there is any.
    func tryRefused() -> Bool
}
