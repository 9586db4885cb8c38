import Support
import Testing

@testable import Graphs
@testable import Sessions

/// Writes down what each message says of itself.
private final class HeadSink: MessageTransport {
    private(set) var heads: [String] = []
    private(set) var texts: [String] = []
    /// Called while a message is being sent, before its bytes are read.
    var onSend: () -> Void = {}
    var unsentBytes = 0

    func send(_ message: Outgoing) {
        onSend()
        heads.append(
            "\(message.kind) \(message.graph?.name ?? "-") \(message.rev.map { "\($0)" } ?? "-")"
        )
        texts.append(message.withBytes { String(decoding: $0, as: UTF8.self) })
    }

    func close(code: UInt16, reason: String) { heads.append("\(code) \(reason)") }
    func pauseReading(_ paused: Bool) {}

    func take() -> [String] {
        defer { heads = [] }
        return heads
    }
}

@Suite("Messages of a session")
struct OutgoingTests {
    private let bench = Bench()
    private let graph: LiveGraph

    init() throws {
        graph = try bench.define(#"{"graph":"g","nodes":{"x":{"set":"any","initial":0},"y":{"set":"any"}}}"#)
    }

    private func connect(_ sink: HeadSink, form: SessionForm = .messages) -> Session {
        Session(of: bench.clients, transport: sink, form: form)
    }

    private func send(_ message: String, to session: Session) {
        message.withBorrowedBytes { session.receive(message: $0) }
        bench.endTurn()
    }

    @Test("A message says what it is, and which rev of which graph its client has with it")
    func heads() throws {
        let sink = HeadSink()
        let session = connect(sink)
        send(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#, to: session)
        try bench.set(graph, [("x", "1")])
        session.heartbeat()
        #expect(sink.take() == ["snapshot g 1", "update g 2", "heartbeat g 2"])
        try bench.define(#"{"graph":"h","nodes":{"x":{"set":"any"}}}"#)
        send(#"{"op":"sub","id":2,"graph":"h","node":"x"}"#, to: session)
        session.heartbeat()
        #expect(sink.take() == ["snapshot h 1", "heartbeat - -"])
        send(#"{"op":"mod","id":4,"sub":1,"mode":"all"}"#, to: session)
        try bench.submit(graph, [("x", "2")])
        try bench.submit(graph, [("x", "3")])
        send(#"{"op":"unsub","id":1}"#, to: session)
        #expect(sink.take() == ["answer - -", "update g 3", "update g 4", "end(Sessions.EndCode.done) - -"])
        session.close()
    }

    @Test("A bare stream passes on values with their rev, and that there is none")
    func values() throws {
        let sink = HeadSink()
        let session = connect(sink, form: .node(try #require(graph.node("x"))))
        try bench.set(graph, [("y", "1")])
        try session.stream()
        try bench.set(graph, [("x", "21.5")])
        try bench.submit(graph, [], clear: ["x"])
        bench.endTurn()
        #expect(sink.take() == ["value g 1", "value g 3", "noValue g 4"])
        #expect(sink.texts == ["0", "21.5", ""])
        session.close()
    }

    @Test("A message keeps its bytes while others are built, because sending it led to them")
    func bytesWhileSending() throws {
        let (sink, other) = (HeadSink(), HeadSink())
        let (session, second) = (connect(sink), connect(other))
        send(#"{"op":"sub","id":9,"graph":"g","node":"x","mode":"all"}"#, to: second)
        func interrupt() {
            sink.onSend = {
                sink.onSend = {}
                let message = #"{"op":"set","graph":"g","set":{"x":77},"id":7}"#
                message.withBorrowedBytes { second.receive(message: $0) }
            }
        }
        // An answer, and updates of a session with one subscription and with several.
        for id in 1...3 {
            interrupt()
            send(#"{"op":"sub","id":\#(id),"graph":"g","node":"y"}"#, to: session)
            #expect(sink.texts.last?.contains("\"id\":\(id),") == true)
            interrupt()
            try bench.set(graph, [("y", "\(id)")])
            #expect(sink.texts.last?.contains("\"v\":\(id)}") == true)
        }
        #expect(other.texts.count { $0.contains(#""v":77"#) } == 6)
        (_, _) = (session.close(), second.close())
    }
}
