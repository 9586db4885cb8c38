internal import Definitions
internal import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
internal import Support

/// A connection that sends server-sent events and ignores further input.
///
/// It sends the same messages as a WebSocket, from the same kind of session: each message is the
/// data of one event.
final class EventStreamConnection: SessionConnection, MessageTransport {
    private let framing: ResponseFraming
    /// When something was last written, and when an event was.
    private var wroteAt: UInt64
    private var toldAt: UInt64

    /// Takes over the connection of a request whose answer has been started.
    init(taking connection: HTTPConnection) {
        framing = connection.framing
        wroteAt = connection.hub.loop.now
        toldAt = wroteAt
        super.init(replacing: connection)
    }

    override var transport: SpokenTransport { .sse }

    /// Opens the session and sends the present state.
    func open(_ stream: EventStream, for access: Access) {
        watchPeer()
        let session = Session(
            of: hub.clients,
            transport: self,
            kind: .sse,
            access: access,
            form: .events
        )
        self.session = session
        session.start(stream)
        setDeadline()
        flush()
        endIfPeerEnded()
    }

    // MARK: - MessageTransport

    func send(_ message: Outgoing) {
        wroteAt = hub.loop.now
        toldAt = wroteAt
        var event = ByteBuffer()
        let (name, cursor) = (Self.name(of: message.kind), cursor(after: message))
        message.withBytes { data in
            if let cursor {
                cursor.withBorrowedBytes {
                    ServerSentEvents.append(name, id: $0, data: data, to: &event)
                }
            } else {
                ServerSentEvents.append(name, data: data, to: &event)
            }
        }
        write { hub.codec.encoder.chunk(event.bytes, framing, in: &$0) }
        if unsentBytes > hub.host.limits.hardBytes { checkHardLimit() }
    }

    private static func name(of kind: Outgoing.Kind) -> StaticString {
        switch kind {
        case .snapshot: "snap"
        case .update: "upd"
        case .heartbeat: "hb"
        case .end: "end"
        case .answer, .value, .noValue: preconditionFailure("a stream of events has no requests")
        }
    }

    /// The cursor moves only when nothing is held back; until then the client keeps the former one.
    private func cursor(after message: Outgoing) -> String? {
        guard session?.isCaughtUp == true, let graph = message.graph, let rev = message.rev else {
            return nil
        }
        return "\(graph.epoch):\(rev)"
    }

    func pauseReading(_ paused: Bool) {}

    // MARK: - Ending

    override func sayGoodbye(_ code: CloseCode, _ text: String) {
        write { hub.codec.encoder.endChunks(framing, in: &$0) }
    }

    override func drain(after milliseconds: Int) {
        guard !isLingering else { return }
        var event = ByteBuffer()
        ServerSentEvents.appendRetry(milliseconds: milliseconds, to: &event)
        write { hub.codec.encoder.chunk(event.bytes, framing, in: &$0) }
        super.drain(after: milliseconds)
    }

    // MARK: - Time

    private func setDeadline() {
        guard !isLingering, socket != nil else { return }
        hub.deadlines.set(
            self,
            at: min(wroteAt + hub.times.comment, toldAt + hub.times.heartbeat)
        )
    }

    override func expire(now: UInt64) {
        if isLingering { return endLingering() }
        if now >= toldAt + hub.times.heartbeat {
            session?.heartbeat()
        } else if now >= wroteAt + hub.times.comment {
            wroteAt = now
            var event = ByteBuffer()
            ServerSentEvents.appendComment(to: &event)
            write { hub.codec.encoder.chunk(event.bytes, framing, in: &$0) }
        }
        flush()
        setDeadline()
    }
}
