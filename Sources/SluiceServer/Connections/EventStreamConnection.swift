internal import Definitions
internal import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import Values

/// A connection that sends server-sent events and ignores further input.
///
/// It sends the same messages as a WebSocket, from the same kind of session: each message is the
/// data of one event.
final class EventStreamConnection: SessionConnection, MessageSink {
    private let graph: LiveGraph
    private let framing: ResponseFraming
    /// When something was last written, and when an event was.
    private var wroteAt: UInt64
    private var toldAt: UInt64

    /// Takes over the connection of a request whose answer has been started.
    init(taking connection: HTTPConnection, for graph: LiveGraph) {
        self.graph = graph
        framing = connection.framing
        wroteAt = connection.hub.loop.now
        toldAt = wroteAt
        super.init(replacing: connection)
    }

    override var transport: StaticString { "sse" }

    /// Opens the session and sends the present state.
    func open(_ stream: EventStream, for access: Access) {
        watchPeer()
        let session = Session(
            of: hub.clients,
            sink: self,
            transport: .sse,
            access: access,
            form: .events
        )
        self.session = session
        session.start(stream)
        setDeadline()
        flush()
        endIfPeerEnded()
    }

    // MARK: - MessageSink

    func send(message: UnsafeRawBufferPointer) {
        wroteAt = hub.loop.now
        toldAt = wroteAt
        let object = JSONReader(validated: message)
        // The cursor moves only when nothing is held back; until then the client keeps the former
        // one.
        let rev = session?.isCaughtUp == true ? object["rev"]?.int.map(UInt64.init) : nil
        if let text = object["op"]?.text, text == "upd" {
            append("upd", rev, message)
        } else if let text = object["op"]?.text, text == "snap" {
            append("snap", rev, message)
        } else if let text = object["op"]?.text, text == "hb" {
            append("hb", session?.isCaughtUp == true ? graph.rev : nil, message)
        } else {
            append("end", nil, message)
        }
        if unsentBytes > hub.host.limits.hardBytes { checkHardLimit() }
    }

    private func append(_ name: StaticString, _ rev: UInt64?, _ message: UnsafeRawBufferPointer) {
        var event = ByteBuffer()
        if let rev {
            var id = "\(graph.epoch):\(rev)"
            id.withUTF8 {
                ServerSentEvents.append(name, id: UnsafeRawBufferPointer($0), data: message, to: &event)
            }
        } else {
            ServerSentEvents.append(name, data: message, to: &event)
        }
        write { hub.codec.encoder.chunk(event.bytes, framing, in: &$0) }
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
