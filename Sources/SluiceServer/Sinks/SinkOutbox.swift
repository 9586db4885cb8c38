internal import Sessions
internal import Values

/// What one request of a sink sends.
struct SinkValue: Equatable {
    let body: [UInt8]
    let rev: UInt64
    /// Equal for all attempts of the same value.
    let key: String
    /// How many values it has.
    var count = 1
}

/// What waits to be sent by a sink, and what is known of its receiver.
protocol SinkOutbox: AnyObject {
    /// How many values wait, besides those of the request under way.
    var waiting: Int { get }
    /// What kind of session it listens with.
    ///
    /// - Throws: `unknown_node`.
    var form: SessionForm { get throws(HostError) }
    /// Listens, with a session of the sink's own.
    ///
    /// - Throws: `unknown_graph`, `unknown_node`, `sub_limit`.
    func listen(_ session: Session) throws(HostError)
    /// The session has sent a message other than its end.
    func receive(_ message: Outgoing)
    /// What to send next; nil: nothing now.
    func next() -> SinkValue?
    /// What became of that.
    func settle(_ outcome: FollowedOutcome)
    /// Lets what the receiver refused wait again, in mode `latest`.
    ///
    /// - Returns: whether there is any.
    func tryRefused() -> Bool
}
