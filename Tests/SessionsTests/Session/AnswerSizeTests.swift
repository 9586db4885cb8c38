import Support
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("How large an answer may be")
struct AnswerSizeTests {
    private let bench: Bench
    private let graph: LiveGraph

    init() throws {
        var limits = SessionLimits.ample
        limits.answerBytes = 1_000
        bench = Bench(limits: limits)
        graph = try bench.define(
            nodes: #""a":{"set":"any"},"b":{"set":"any"},"c":{"set":"any"},"d":{"set":"any"}"#
        )
        let text = "\"\(String(repeating: "x", count: 394))\""
        try bench.set(graph, [("a", text), ("b", text), ("c", text)])
    }

    private static let refusal = HostError(
        .tooLarge,
        "the 3 values have 1200 bytes; 1000 are allowed in one answer (limits.answer)"
    )

    @Test("limits.answer: values that are too large for one answer are refused, and leave nothing")
    func refused() throws {
        let view = try GraphView(graph, for: .full)
        #expect(throws: Self.refusal) { try view.values(of: ["a", "b", "c"], limit: 10) }
        #expect(try !view.values(of: ["a", "b"], limit: 10).isEmpty)
        let client = bench.connect()
        for request in [#"{"op":"get","id":1,"#, #"{"op":"sub","id":1,"#] {
            let answer = client.ask(request + #""graph":"g","nodes":["a","b","c"]}"#)
            #expect(answer.count == 1 && answer[0].contains(#""code":"too_large""#), "\(answer)")
        }
        #expect(client.session.subscriptionCount == 0 && graph.isWhole)
        // Without a snap there is nothing too large.
        let answer = client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["a","b","c"],"initial":false}"#)
        #expect(answer.first?.contains("snap") == true)
        #expect(
            client.ask(#"{"op":"sub","id":2,"graph":"g","nodes":["a","b"]}"#).first?.contains("snap") == true
        )
    }

    @Test("A page of nodes ends before, and the next one goes on")
    func pages() throws {
        let view = try GraphView(graph, for: .full)
        func page(_ after: String?) throws -> (names: [String], next: String?) {
            let json = view.page(matching: "*", after: after, limit: 10)
            let page = try json.withBorrowedBytes { try Document.parse(json: $0) }
            let names = page["nodes"]?.elements?.compactMap { $0["name"]?.scalar?.text } ?? []
            return (names, page["next"]?.scalar?.text)
        }
        let first = try page(nil)
        #expect(first.names == ["a", "b", "c"] && first.next == "c")
        let second = try page(first.next)
        #expect(second.names == ["d"] && second.next == nil)
    }

    @Test("A history ends before, at a whole rev, and a client that goes on gets all of it")
    func histories() throws {
        let graph = try bench.define(#"{"graph":"h","nodes":{"x":{"set":"any","history":20}}}"#)
        let text = String(repeating: "x", count: 394)
        for number in 0..<7 { try bench.set(graph, [("x", "\"\(number)\(text)\"")]) }
        func history(since: UInt64?) throws -> (revs: [Int], isCut: Bool) {
            let node = try #require(graph.node("x"))
            let json = try HistoryAnswer(in: graph).json(of: node, since: since, limit: 100)
            let answer = try json.withBorrowedBytes { try Document.parse(json: $0) }
            let revs = answer["d"]?.elements?.compactMap { $0["rev"]?.scalar.flatMap { Int($0.text) } } ?? []
            return (revs, answer["more"] != nil)
        }
        var (read, since): ([Int], UInt64) = ([], 1)
        while true {
            let answer = try history(since: since)
            read += answer.revs
            since = UInt64(try #require(answer.revs.last))
            #expect(answer.revs.count == (answer.isCut ? 3 : 1))
            if !answer.isCut { break }
        }
        #expect(read == Array(2...8))
        let newest = try history(since: nil)
        #expect(newest.revs == [7, 8] && newest.isCut)
    }

    @Test("After a stall, subscriptions whose values do not fit into one message end with slow")
    func stalled() throws {
        let text = "\"\(String(repeating: "y", count: 394))\""
        for mode in ["together", "alone", "beside"] {
            for name in ["a", "b", "c", "d"] { try bench.set(graph, [(name, "1")]) }
            let client = bench.connect()
            if mode == "alone" {
                for (id, name) in ["a", "b", "c", "d"].enumerated() {
                    client.ask(#"{"op":"sub","id":\#(id + 1),"graph":"g","node":"\#(name)"}"#)
                }
            } else {
                client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["a","b","c"]}"#)
                if mode == "beside" { client.ask(#"{"op":"sub","id":2,"graph":"g","node":"d"}"#) }
            }
            client.sink.unsentBytes = 65_537
            for name in ["a", "b", "c", "d"] { try bench.set(graph, [(name, text)]) }
            #expect(client.take().isEmpty)
            client.sink.unsentBytes = 0
            client.session.drained()
            bench.host.flush()
            let (updates, ends) = (
                client.take().filter { $0.contains("upd") }, client.session.subscriptions.map(\.id)
            )
            switch mode {
            case "together": #expect(updates.isEmpty && ends.isEmpty)
            case "beside": #expect(updates.count == 1 && ends == [2])
            default: #expect(updates.count == 1 && updates[0].utf8.count < 1_500 && ends == [1, 2, 3])
            }
            // What fits is delivered as before.
            try bench.set(graph, [("a", "2"), ("d", "2")])
            bench.host.flush()
            #expect(client.take().count == (ends.isEmpty ? 0 : 1))
            client.session.close()
        }
        #expect(graph.isWhole)
    }
}
