import LogTestSupport
import Testing
import Values

@testable import Graphs
@testable import Sessions

/// Changes of the definition through a log that takes its time.
@Suite("Redefinition with a slow log")
struct PendingRedefinitionTests {
    let log = FaultyLog(isSlow: true)
    let bench: Bench

    init() {
        bench = Bench(log: log)
        log.isSlow = false
    }

    @Test("Commits after a pending change are checked against the new definition")
    func order() throws {
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any","initial":1},"y":{"set":"any"}}}"#
        )
        log.isSlow = true
        let next = try bench.definition(#"{"graph":"g","nodes":{"x":{"set":"number","max":10,"initial":1}}}"#)
        guard case .pending = bench.host.redefine(graph, as: next) else {
            Issue.record("not pending")
            return
        }
        #expect(graph.node("y") != nil, "nobody sees what is not durable")
        let client = bench.connect()
        client.send(#"{"op":"set","id":1,"graph":"g","set":{"x":11}}"#)
        client.send(#"{"op":"set","id":2,"graph":"g","set":{"y":1}}"#)
        client.send(#"{"op":"set","id":3,"graph":"g","set":{"x":9}}"#)
        #expect(client.take() == [])
        guard case .refused(let error) = bench.host.redefine(graph, as: next) else {
            Issue.record("two changes at once")
            return
        }
        #expect(error.code == .conflict && error.retry)
        log.confirm(1)
        log.confirm()
        let answers = client.take()
        #expect(answers.count == 3)
        #expect(answers[0].contains("type_mismatch") && answers[1].contains("unknown_node"))
        #expect(answers[2].contains(#""ok""#))
        #expect(try bench.read(graph, "x") == "9")
        #expect(graph.rev == 3)
    }

    @Test("A change that the log refuses changes nothing, and what waited for it continues")
    func refused() throws {
        let graph = try bench.define(#"{"graph":"g","nodes":{"x":{"set":"any","initial":1}}}"#)
        log.isSlow = true
        let next = try bench.definition(#"{"graph":"g","nodes":{"y":{"set":"any"}}}"#)
        _ = bench.host.redefine(graph, as: next)
        let client = bench.connect()
        client.send(#"{"op":"set","id":1,"graph":"g","set":{"x":5}}"#)
        log.lose(HostError(.engineDown, "gone"))
        log.confirm()
        #expect(client.take().joined().contains(#""op":"ok""#))
        #expect(graph.node("y") == nil)
        #expect(try bench.read(graph, "x") == "5")
    }
}
