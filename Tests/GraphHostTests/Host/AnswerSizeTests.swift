import Support
import Testing

@testable import GraphHost

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
            let page = try json.withUnsafeBytes { try Document.parse(json: $0) }
            let names = page["nodes"]?.elements?.compactMap { $0["name"]?.scalar?.text } ?? []
            return (names, page["next"]?.scalar?.text)
        }
        let first = try page(nil)
        #expect(first.names == ["a", "b", "c"] && first.next == "c")
        let second = try page(first.next)
        #expect(second.names == ["d"] && second.next == nil)
    }
}
