import Commits
import LogTestSupport
import Testing
import Values

@testable import Graphs
@testable import Sessions
import Support

/// What a host does whose log other servers write too.
@Suite("A log that several servers write")
struct SharedLogTests {
    private let log = FaultyLog()
    private let bench: Bench
    private let graph: LiveGraph

    init() throws {
        log.instance = "here"
        bench = Bench(log: log)
        graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any","initial":1},"y":{"set":"any"},"late":{"from":"x","pipe":[{"delay":100}]}}}"#
        )
    }

    private func entry(_ node: String, _ value: String) -> LogEntry {
        var entry = LogEntry(graph: "g")
        entry.set = [LogEntry.Assignment(node, Array(value.utf8))]
        return entry
    }

    @Test("A commit that others came in front of is checked again, against what they have made")
    func moved() throws {
        let client = bench.connect()
        log.isSlow = true
        client.send(#"{"op":"set","id":1,"graph":"g","set":{"y":1},"if":{"x":{"v":1}}}"#)
        log.moves = 1
        log.receive(entry("x", "2"), wall: 5_000_000)
        log.isSlow = false
        bench.endTurn()
        bench.endTurn()
        #expect(client.take().last?.contains(#""code":"conflict""#) == true)
        #expect(try bench.read(graph, "y") == "empty")
        // The same where the condition still holds.
        log.moves = 1
        client.ask(#"{"op":"set","id":2,"graph":"g","set":{"y":1},"if":{"x":{"v":2}}}"#)
        bench.endTurn()
        #expect(try bench.read(graph, "y") == "1")
        #expect(graph.pending.count == 0)
    }

    @Test("After eight attempts it is a conflict that may be tried again, and nothing was changed")
    func movedTooOften() throws {
        let client = bench.connect()
        log.moves = .max
        client.send(#"{"op":"set","id":1,"graph":"g","set":{"y":1}}"#)
        for _ in 0..<12 { bench.endTurn() }
        let answer = client.take().last ?? ""
        #expect(answer.contains(#""code":"conflict""#) && answer.contains(#""retry":true"#))
        #expect(log.moves == .max - 9)
        log.moves = 0
        #expect(graph.rev == 1 && graph.pending.count == 0)
        #expect(
            client.ask(#"{"op":"set","id":2,"graph":"g","set":{"y":1}}"#)
                == [#"{"op":"ok","id":2,"epoch":"e1","rev":2}"#]
        )
    }

    @Test(
        "A failed condition is a conflict only once the log confirms that no other server has changed the graph"
    )
    func confirmed() throws {
        let client = bench.connect()
        log.isSlow = true
        client.send(#"{"op":"set","id":1,"graph":"g","set":{"y":1},"if":{"x":{"v":2}}}"#)
        bench.endTurn()
        #expect(client.take() == [])
        // Another server has made the condition true.
        log.moves = 1
        log.receive(entry("x", "2"), wall: 5_000_000)
        log.confirm()
        bench.endTurn()
        log.confirm()
        #expect(client.take().last?.contains(#""op":"ok""#) == true)
        client.send(#"{"op":"set","id":2,"graph":"g","set":{"y":2},"if":{"x":{"v":1}}}"#)
        log.confirm()
        #expect(client.take().last?.contains(#""code":"conflict""#) == true)
        #expect(try bench.read(graph, "y") == "1")
    }

    @Test(
        "What is handed over says where the conditions were checked, also where others' commits come in the same turn"
    )
    func premise() throws {
        let client = bench.connect()
        log.isSlow = true
        log.moves = 1
        Array(#"{"op":"set","id":1,"graph":"g","set":{"y":1},"if":{"x":{"v":1}}}"#.utf8).withBorrowedBytes {
            client.session.receive(message: $0)
        }
        log.receive(entry("x", "2"), wall: 5_000_000)
        #expect(log.pending == 1)
        #expect(log.premises == [1])
    }

    @Test("An idempotency key that another server has seen is answered with what was answered there")
    func repeated() throws {
        let client = bench.connect()
        let message = #"{"op":"set","id":1,"graph":"g","set":{"y":1},"key":"k"}"#
        client.ask(message)
        let key = try #require(try log.reader.keys(of: "g", since: 0).first)
        let other = bench.connect()
        // This server has forgotten it, as one that has never known it.
        bench.host.submissions.keys.forget(graph: "g")
        log.known = key
        #expect(other.ask(message) == [#"{"op":"ok","id":1,"epoch":"e1","rev":2,"replayed":true}"#])
        #expect(graph.rev == 2 && graph.pending.count == 0)
        log.known = key
        bench.host.submissions.keys.forget(graph: "g")
        let answer = other.ask(#"{"op":"set","id":2,"graph":"g","set":{"y":2},"key":"k"}"#)
        #expect(answer.first?.contains(#""code":"key_reused""#) == true)
    }

    @Test("A graph that another server was first to begin: the own attempt is in_use, the other's is there")
    func begunElsewhere() throws {
        log.isSlow = true
        let definition = try bench.definition(#"{"graph":"h","nodes":{"own":{"set":"any"}}}"#)
        guard case .pending(let pending) = bench.host.define(definition) else {
            Issue.record("it is not pending")
            return
        }
        var answer: Result<Applied, HostError>?
        pending.onAnswer { answer = $0 }
        bench.endTurn()
        log.moves = 1
        let text = #"{"graph":"h","nodes":{"other":{"set":"any"}}}"#
        log.receive(LogEntry(graph: "h", kind: .define(text: text, .client)), wall: 5_000_000)
        log.confirm()
        #expect(throws: HostError.self) { try answer?.get() }
        let graph = try #require(bench.host["h"])
        #expect(graph.node("other") != nil && graph.node("own") == nil)
    }

    @Test("Only the server that leads makes ticks; when it comes to lead, it makes what is due")
    func leading() throws {
        bench.pass(150)
        log.isLeading = false
        try bench.set(graph, [("x", "2")])
        bench.pass(300)
        #expect(try bench.read(graph, "late") == "1")
        #expect(bench.host.nextDeadline == nil)
        log.isLeading = true
        #expect(bench.host.nextDeadline == bench.clock.now)
        bench.pass(1)
        #expect(try bench.read(graph, "late") == "2")
    }

    @Test("A tick that is refused because another server leads now is tried again later, without a loop")
    func movedTick() throws {
        bench.pass(150)
        try bench.set(graph, [("x", "2")])
        log.moves = 1
        bench.pass(110)
        #expect(try bench.read(graph, "late") == "1")
        bench.pass(300)
        #expect(try bench.read(graph, "late") == "2")
    }

    @Test("What stood for sessions of a server that is lost is cleared; what stands for others stays")
    func lostInstance() throws {
        var there = entry("x", #""there""#)
        (there.claimed, there.claimer) = (["x"], "there")
        var elsewhere = entry("y", #""elsewhere""#)
        (elsewhere.claimed, elsewhere.claimer) = (["y"], "elsewhere")
        log.receive(there, wall: 5_000_000)
        log.receive(elsewhere, wall: 5_000_000)
        log.follower?.log(lost: ["there"])
        bench.endTurn()
        #expect(try bench.read(graph, "x") == "empty")
        #expect(try bench.read(graph, "y") == #""elsewhere""#)
    }

    @Test(
        "A graph that is read again keeps what it was, also presence; what stood for sessions here is cleared"
    )
    func reloaded() throws {
        let client = bench.connect()
        client.ask(#"{"op":"set","id":1,"graph":"g","set":{"y":"me"},"presence":true}"#)
        var there = entry("x", #""there""#)
        (there.claimed, there.claimer) = (["x"], "there")
        log.receive(there, wall: 5_000_000)
        log.begin(epoch: "e2", with: "g")
        bench.endTurn()
        let next = try #require(bench.host["g"])
        #expect(next.epoch == "e2")
        #expect(try bench.read(next, "x") == #""there""#)
        #expect(try bench.read(next, "y") == "empty")
    }
}
