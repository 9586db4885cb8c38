import CEL
import Commits
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions
import Support

/// Stands in for a real engine: each pattern takes 50 units, `(` is refused, and what is held or
/// was refused is remembered.
private final class CountingEngine: RegexEngine {
    private final class Matcher: RegexMatcher {
        let pattern: String
        let onEnd: (String) -> Void

        init(_ pattern: String, onEnd: @escaping (String) -> Void) {
            (self.pattern, self.onEnd) = (pattern, onEnd)
        }

        deinit { onEnd(pattern) }

        func cost(ofBytes count: Int) -> Int { count }

        func isFound(in text: String) -> Bool { text.contains(pattern) }
    }

    private struct Live {
        weak var matcher: Matcher?
    }

    private var live: [String: Live] = [:]
    private var refused: Set<String> = []
    private(set) var compilations = 0

    var count: Int { live.count }

    func work(of pattern: String) -> Int { 50 }

    func has(_ pattern: String) -> Bool { live[pattern] != nil || refused.contains(pattern) }

    func matcher(for pattern: String) throws(RegexProblem) -> any RegexMatcher {
        if let known = live[pattern]?.matcher { return known }
        if !refused.contains(pattern) { compilations += 1 }
        guard !pattern.contains("(") else {
            refused.insert(pattern)
            throw RegexProblem("a ')' is missing")
        }
        let made = Matcher(pattern) { [weak self] in self?.live[$0] = nil }
        live[pattern] = Live(matcher: made)
        return made
    }
}

private let graphText = #"{"graph": "g", "nodes": {"x": {"set": "string", "initial": "abc"}}}"#

/// Whether any of these patterns is found.
private func filter(_ patterns: some Sequence<String>) -> String {
    #"{"filter":"\#(patterns.map { "value.matches('\($0)')" }.joined(separator: " || "))"}"#
}

private func subscribe(_ id: Int, _ patterns: some Sequence<String>) -> String {
    #"{"op":"sub","id":\#(id),"graph":"g","node":"x","pipe":[\#(filter(patterns))]}"#
}

@Suite("Regular expressions of clients")
struct PatternLimitTests {
    private let engine = CountingEngine()

    private func bench(patterns: Int = 250, work: Int = 500_000, turn: UInt64 = 2_000) -> Bench {
        var limits = SessionLimits.ample
        limits.patterns = patterns
        limits.patternWork = work
        limits.work = turn
        return Bench(limits: limits, definitions: DefinitionOptions(expressions: Options(regex: engine)))
    }

    private func names(_ range: Range<Int>) -> [String] { range.map { "p\($0)x" } }

    private func evaluate(_ graph: LiveGraph, _ patterns: [String]) throws(HostError) {
        let request = Array(#"{"node":"x","pipe":[\#(filter(patterns))]}"#.utf8)
        let result = request.withBorrowedBytes { bytes in
            Result { () throws(HostError) in try GraphView(graph, for: .full).evaluate(bytes) }
        }
        _ = try result.get()
    }

    @Test("limits.patterns: a principal with all it may have leaves room for all others and for definitions")
    func room() throws {
        let bench = bench()
        let graph = try bench.define(graphText)
        let greedy = bench.connect(.principal("greedy"))
        var refused = 0
        for id in 0..<63 {
            let answer = greedy.ask(subscribe(id + 1, names(16 * id..<16 * (id + 1)))).first ?? ""
            if answer.contains(#""code":"pattern_limit""#) { refused += 1 }
        }
        #expect(refused == 63 - 250 / 16)
        #expect(bench.host.pipelines.accounts.find("greedy")?.patternCount == 240)
        let again = bench.connect(.principal("greedy"))
        #expect(again.ask(subscribe(1, names(0..<16))).first?.contains("snap") == true, "it has these")
        #expect(again.ask(subscribe(2, names(2_000..<2_011))).first?.contains("pattern_limit") == true)
        for name in ["alice", "bob"] {
            let other = bench.connect(.principal(name))
            #expect(other.ask(subscribe(1, names(3_000..<3_200))).first?.contains("snap") == true)
        }
        let nameless = (0..<2).map { _ in bench.connect() }
        for client in nameless {
            #expect(client.ask(subscribe(1, names(4_000..<4_200))).first?.contains("snap") == true)
            #expect(client.ask(subscribe(2, names(5_000..<5_060))).first?.contains("pattern_limit") == true)
        }
        let nodes = (0..<400).map { #""n\#($0)":{"set":"string","pattern":"file\#($0)"}"# }
        let file = try bench.definition(#"{"graph":"g","nodes":{\#(nodes.joined(separator: ","))}}"#)
        if case .refused(let error) = bench.host.redefine(graph, as: file, from: .file) { throw error }
    }

    @Test("limits.patterns: equal ones count once, and what subscriptions leave makes room")
    func release() throws {
        let bench = bench(patterns: 3)
        let graph = try bench.define(graphText)
        let client = bench.connect(.principal("alice"))
        func isRefused(_ id: Int, _ patterns: [String]) -> Bool {
            client.ask(subscribe(id, patterns)).first?.contains("pattern_limit") == true
        }
        #expect(!isRefused(1, ["a", "b"]))
        #expect(!isRefused(2, ["b", "a", "a"]))
        #expect(!isRefused(3, ["c"]))
        #expect(isRefused(4, ["d"]))
        #expect(engine.compilations == 4 && engine.count == 3, "the refused one is let go of")
        client.ask(#"{"op":"unsub","id":1}"#)
        #expect(isRefused(4, ["d"]), "another subscription has them still")
        client.ask(#"{"op":"unsub","id":2}"#)
        #expect(!isRefused(4, ["d", "e"]))
        #expect(bench.host.pipelines.accounts.find("alice")?.patternCount == 3)
        client.session.close()
        #expect(engine.count == 0 && bench.host.pipelines.accounts.find("alice") == nil)
        try evaluate(graph, ["a", "b", "c"])
        #expect(engine.count == 0)
        #expect(throws: HostError.self) { try evaluate(graph, ["a", "b", "c", "d"]) }
    }

    @Test("A request compiles so much and no more; what is known takes nothing")
    func work() throws {
        let bench = bench(work: 500)
        let graph = try bench.define(graphText)
        let client = bench.connect()
        let snap = client.ask(subscribe(1, names(0..<10))).first
        #expect(snap?.contains("snap") == true && engine.compilations == 10)
        let answer = client.ask(subscribe(2, names(10..<410))).first ?? ""
        #expect(answer.contains(#""code":"pattern_limit""#) && answer.contains(#""retry":true"#), "\(answer)")
        #expect(engine.compilations == 20, "ten more of 400")
        #expect(client.ask(subscribe(3, names(0..<20))).first?.contains("snap") == true)
        let error = #expect(throws: HostError.self) { try evaluate(graph, names(20..<300)) }
        #expect(error?.code == .patternLimit && error?.problems.count == 1 && engine.compilations == 40)
        #expect(error?.problems.first?.position.column ?? 0 > 200 && error?.problems.first?.hint != nil)
        // Stages and source of one request are counted together.
        let both =
            #"{"op":"sub","id":4,"graph":"g","combine":{"a":"x"},"map":"a.matches('m0')","pipe":["#
        let stages = (1..<11).map { filter(["m\($0)"]) }.joined(separator: ",")
        client.ask(both + stages + "]}")
        bench.settle()
        let last = client.take().first ?? ""
        #expect(last.contains("pattern_limit"), "\(last)")
    }

    @Test("Compiling is work of the turn, so that many such requests take many turns")
    func turns() throws {
        let bench = bench(patterns: 1_000, turn: 20)
        _ = try bench.define(graphText)
        let greedy = bench.connect()
        let requests = (0..<10).map { subscribe($0 + 1, names(20 * $0..<20 * ($0 + 1))) }
        greedy.send("[\(requests.joined(separator: ","))]")
        var turns = 0
        var answers = 0
        while answers < 10, turns < 50 {
            turns += 1
            let before = engine.compilations
            bench.host.advance()
            bench.host.flush()
            #expect(engine.compilations - before <= 20, "one request a turn")
            answers += greedy.sink.take().count
        }
        #expect((9...11).contains(turns) && engine.compilations == 200)
    }

    @Test("A definition by a client has bounds, refused patterns count, and one problem says so")
    func definitions() throws {
        var limits = SessionLimits.ample
        limits.patternWork = 500
        // One engine for all of them, to count by; a server gives each definition one of its own.
        nonisolated(unsafe) let engine = engine
        func read(_ count: Int, _ pattern: (Int) -> String) throws -> GraphDefinition {
            let nodes = (0..<count).map { #""n\#($0)":{"set":"string","pattern":"\#(pattern($0))"}"# }
            let document = try Document.parse(json: #"{"nodes":{\#(nodes.joined(separator: ","))}}"#)
            let reader = DefinitionReader(limits: limits) { _ in
                DefinitionOptions(expressions: Options(regex: engine))
            }
            return try reader.read(document, named: "h")
        }
        #expect(try read(40) { "a\($0)" }.nodes.count == 40)
        let refused = #expect(throws: HostError.self) { _ = try read(990) { "(\($0)" } }
        #expect(engine.compilations == 80)
        #expect(refused?.problems.count == 41 && refused?.problems.last?.code == .patternLimit)
        let equal = try read(990) { _ in "same" }
        #expect(engine.compilations == 81 && equal.nodes.count == 990)
        limits.patterns = 30
        let many = #expect(throws: HostError.self) { _ = try read(31) { "b\($0)" } }
        #expect(many?.code == .patternLimit)
    }
}
