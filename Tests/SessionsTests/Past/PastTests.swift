import Commits
import LogTestSupport
import Synchronization
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText = #"""
    {"graph": "g", "nodes": {"x": {"set": "number", "initial": 1, "history": 2}, "secret": {"set": "any"},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]},
      "mean": {"from": "x", "retain": "always", "pipe": [{"window": {"count": 3, "of": "avg"}}]},
      "late": {"from": "x", "retain": "always", "pipe": [{"delay": 100}]},
      "alarm": {"from": "double", "pipe": [{"map": "value > 10"}, "distinct"]}}}
    """#

@Suite("Looking back")
struct PastTests {
    private let log = FaultyLog()
    private let bench: Bench
    private let graph: LiveGraph

    init() throws {
        bench = Bench(log: log)
        graph = try bench.define(graphText)
    }

    private func ask(
        _ subject: PastQuestion.Subject,
        at rev: UInt64,
        _ access: Access = .full,
        limits: SessionLimits = .ample,
        while isWanted: () -> Bool = { true }
    ) throws -> PastAnswer {
        let past = Past(log.reader, limits: limits) { DefinitionOptions() }
        let present = try #require(bench.host["g"])
        return past.answer(
            try PastQuestion(subject, at: .rev(rev), in: GraphView(present, for: access)),
            while: isWanted
        )
    }

    private func body(
        _ subject: PastQuestion.Subject,
        at rev: UInt64,
        _ access: Access = .full
    ) throws -> String {
        switch try ask(subject, at: rev, access) {
        case .body(let bytes): return String(decoding: bytes, as: UTF8.self)
        case let other: return "\(other)"
        }
    }

    private func values(_ names: String..., at rev: UInt64, _ access: Access = .full) throws -> String {
        try body(.values(of: names, limit: 100), at: rev, access)
    }

    private func error(_ answer: PastAnswer) -> HostError? {
        if case .refused(let error) = answer { error } else { nil }
    }

    private func redefine(_ text: String) throws {
        _ = bench.host.redefine(graph, as: try bench.definition(text))
        bench.endTurn()
    }

    @Test("Values are what a read at that rev answered, of every node, from the beginning or a snapshot")
    func values() throws {
        var seen: [UInt64: [UInt8]] = [:]
        func note() throws {
            seen[graph.rev] = try GraphView(graph, for: .full).values(of: [], limit: 100)
        }
        try note()
        for step in 2...20 {
            if step == 9 { log.storeSnapshot(of: "g") }
            if step.isMultiple(of: 5) { bench.pass(150) }
            try bench.set(graph, [("x", "\(step)")])
            try note()
        }
        for (rev, body) in seen {
            guard case .body(let found) = try ask(.values(of: [], limit: 100), at: rev) else {
                Issue.record("no values at \(rev)")
                continue
            }
            #expect(
                found == body,
                "at \(rev): \(String(decoding: found, as: UTF8.self)), not \(String(decoding: body, as: UTF8.self))"
            )
        }
    }

    @Test("One node: its value, emptiness or failure, and the rev and time of its last change")
    func node() throws {
        bench.clock.advance(by: 10)
        try bench.set(graph, [("x", "5")])
        try bench.submit(graph, [], clear: ["x"])
        try bench.set(graph, [("secret", "{}")])
        func reading(_ name: String, at rev: UInt64) throws -> PastReading {
            guard case .node(let reading) = try ask(.node(name), at: rev) else {
                throw HostError(.internalError, "no node")
            }
            return reading
        }
        let five = try reading("double", at: 2)
        guard case .value(let text) = five.held else { throw HostError(.internalError, "no value") }
        #expect(String(decoding: text, as: UTF8.self) == "10")
        #expect(five.epoch == "e1" && five.changed == 2 && five.changedAt == 5_000_010)
        let empty = try reading("double", at: 4)
        guard case .empty = empty.held else { throw HostError(.internalError, "not empty") }
        #expect(empty.changed == 3)
        #expect(error(try ask(.node("none"), at: 2))?.code == .unknownNode)
    }

    @Test(
        "An explanation has the value of that rev, and the commits that made it: who, when, why, the newest first"
    )
    func explanation() throws {
        try bench.submit(graph, [("x", "3")], by: "ann")
        bench.clock.advance(by: 60_000)
        try bench.submit(graph, [("x", "6"), ("secret", "1")], context: #"{"why":"hot"}"#, by: "ben")
        try bench.set(graph, [("secret", "2")])
        try bench.submit(graph, [("x", "1")], by: "cleo")
        let text = try body(.explanation(of: "alarm"), at: 4)
        #expect(text.hasPrefix(#"{"node":"alarm","epoch":"e1","rev":4,"t":5060000,"nodes":[{"node":"alarm""#))
        #expect(text.contains(#""v":true"#) && text.contains(#""by":"ben""#))
        #expect(
            text.contains(
                #""commits":[{"rev":3,"t":5060000,"kind":"set","by":"ben","ctx":{"why":"hot"},"set":["x","secret"]}"#
            ),
            "\(text)"
        )
        #expect(!text.contains("ann") && !text.contains("cleo"))
        // Nodes that the caller may not read are not named.
        let viewer = Access(
            Principal(name: "v", grants: [.init(nodes: ["x", "double", "alarm"], can: .read)])
        )
        let seen = try body(.explanation(of: "alarm"), at: 4, viewer)
        #expect(seen.contains(#""set":["x"]}"#) && !seen.contains("secret"))
        // The author of a value that the caller may not read is left out.
        let other = Access(Principal(name: "v", grants: [.init(nodes: ["alarm"], can: .read)]))
        let less = try body(.explanation(of: "alarm"), at: 4, other)
        #expect(less.contains(#""kind":"set"}"#) && !less.contains("ben"), "\(less)")
    }

    @Test(
        "History before the ring comes from the log: every change after that rev, in pages that tear no rev apart"
    )
    func history() throws {
        for value in 2...6 { try bench.set(graph, [("x", "\(value)")]) }
        try bench.submit(graph, [], clear: ["x"])
        #expect(throws: HostError.self) {
            try HistoryAnswer(in: graph).json(of: graph.node("x")!, since: 2, limit: 10)
        }
        func found(_ name: String, since: UInt64, limit: Int = 100) throws -> String {
            try body(.history(of: name, limit: limit), at: since)
                .replacing(/,"origin":"(set|initial)"/, with: "")
        }
        let t = #""t":5000000"#
        #expect(
            try found("x", since: 4)
                == #"{"epoch":"e1","from":4,"rev":7,"d":[{"rev":5,\#(t),"v":5},{"rev":6,\#(t),"v":6},{"rev":7,\#(t),"empty":true}]}"#
                + "\n"
        )
        #expect(
            try found("double", since: 2, limit: 2)
                == #"{"epoch":"e1","from":2,"rev":7,"more":true,"d":[{"rev":3,\#(t),"v":6},{"rev":4,\#(t),"v":8}]}"#
                + "\n"
        )
        log.storeSnapshot(of: "g")
        #expect(try found("x", since: 7).hasSuffix(#""rev":7,"d":[]}"# + "\n"))
        // From before the first commit on: its initial value is the first emission.
        let all = try found("x", since: 0)
        #expect(
            all.hasPrefix(#"{"epoch":"e1","from":0,"rev":7,"d":[{"rev":1,\#(t),"v":1},{"rev":2"#),
            "\(all)"
        )
    }

    @Test("L-3: a history with facets has what was known besides, beside the value of its rev or alone")
    func facets() throws {
        func report(_ change: FacetChange) throws {
            var commit = Commit(graph: graph)
            commit.report(change, of: try #require(graph.node("x")))
            _ = bench.host.submit(commit)
            bench.host.settle()
        }
        try report(.loading(progress: 0.5))
        try report(.failed(code: "offline", message: "no"))
        try bench.set(graph, [("x", "2")])
        let t = #""t":5000000"#
        let error = #""error":{"code":"offline","msg":"no","at":5000000}"#
        let loading = #"{"rev":2,\#(t),"state":{"loading":true,"progress":0.5}}"#
        let failed = #"{"rev":3,\#(t),"state":{\#(error)}}"#
        #expect(
            try body(.history(of: "x", limit: 9, facets: true), at: 1)
                == #"{"epoch":"e1","from":1,"rev":4,"d":[\#(loading),\#(failed),{"rev":4,\#(t),"v":2,"origin":"set","state":{}}]}"#
                + "\n"
        )
        #expect(
            try body(.history(of: "double", limit: 1, facets: true), at: 1)
                == #"{"epoch":"e1","from":1,"rev":4,"more":true,"d":[\#(loading)]}"# + "\n",
            "a derived node has what its inputs have"
        )
        #expect(!(try body(.history(of: "x", limit: 9), at: 1).contains("state")))
    }

    @Test("What a history says is what a ring that is long enough says, whatever happens")
    func sameAsRing() throws {
        let text = graphText.replacingFirst(
            #""x": {"set": "number", "initial": 1, "history": 2}"#,
            with: #""x": {"set": "number", "initial": 1, "history": 100}"#
        )
        .replacingFirst(#""late": {"from": "x","#, with: #""late": {"from": "x", "history": 100,"#)
        .replacingFirst(#""mean": {"from": "x","#, with: #""mean": {"from": "x", "history": 100,"#)
        try redefine(text)
        for value in 1...12 {
            try bench.set(graph, [("x", "\(value)")])
            if value.isMultiple(of: 3) { try bench.submit(graph, [], clear: ["x"]) }
            if value == 5 { log.storeSnapshot(of: "g") }
            bench.pass(60)
        }
        for name in ["x", "mean", "late"] {
            let node = try #require(graph.node(name))
            for since in node.history.from...graph.rev {
                let ring = try HistoryAnswer(in: graph).json(of: node, since: since, limit: 7)
                #expect(
                    try body(.history(of: name, limit: 7), at: since)
                        == String(decoding: ring, as: UTF8.self),
                    "\(name) since \(since)"
                )
            }
        }
    }

    @Test("A definition of that time counts: nodes that are gone are there again, others are not yet")
    func redefined() throws {
        try bench.set(graph, [("x", "5")])
        try redefine(
            #"{"graph":"g","nodes":{"x":{"set":"number"},"half":{"from":"x","pipe":[{"map":"value / 2"}]}}}"#
        )
        try bench.set(graph, [("x", "8")])
        #expect(try values("double", at: 2).contains(#""m":{"double":{"v":10}}"#))
        #expect(error(try ask(.node("half"), at: 2))?.code == .unknownNode)
        #expect(try values("half", at: 3).contains(#""m":{"half":{"v":2.5}}"#))
        #expect(error(try ask(.node("double"), at: 3))?.code == .unknownNode)
        // A history begins where the node does, and ends where it is removed.
        #expect(
            try body(.history(of: "half", limit: 9), at: 1).contains(
                #""d":[{"rev":3,"t":5000000,"v":2.5,"origin":"initial"},{"rev":4"#
            )
        )
        #expect(
            try body(.history(of: "double", limit: 9), at: 1).contains(
                #""d":[{"rev":2,"t":5000000,"v":10,"origin":"set"},{"rev":3,"t":5000000,"empty":true,"origin":"initial"}]"#
            )
        )
        let why = try body(.explanation(of: "half"), at: 3)
        #expect(why.contains(#""kind":"redefine""#), "\(why)")
    }

    @Test("Rules of now and of then both count: what either closes stays closed")
    func rights() throws {
        let open = #""nodes":{"x":{"set":"number","initial":1},"secret":{"set":"any"}}"#
        try redefine(#"{"graph":"g",\#(open)}"#)
        try bench.set(graph, [("secret", "7")])
        try redefine(#"{"graph":"g",\#(open),"access":[{"who":"*","nodes":["x"],"can":["read"]}]}"#)
        try bench.set(graph, [("secret", "8")])
        let ann = Access(Principal(name: "ann", grants: [.init()]))
        #expect(try values(at: 3, ann).hasSuffix(#""m":{"x":{"v":1}}}"# + "\n"), "closed now")
        #expect(try values(at: 3).contains(#""secret":{"v":7}"#), "open to the operator")
        // Neither the rule nor the node is there any more.
        try redefine(#"{"graph":"g","nodes":{"x":{"set":"number"}}}"#)
        #expect(try values(at: 5, ann).hasSuffix(#""m":{"x":{"v":1}}}"# + "\n"), "closed then")
        #expect(error(try ask(.node("secret"), at: 5, ann))?.code == .unknownNode)
        #expect(try values(at: 3, ann).contains(#""secret":{"v":7}"#), "open then, and no rule closes it now")
        // A history leaves out what happened while the node was closed.
        try redefine(#"{"graph":"g",\#(open)}"#)
        try bench.set(graph, [("secret", "9")])
        let t = #""t":5000000"#
        #expect(
            try body(.history(of: "secret", limit: 9), at: 1, ann).hasSuffix(
                #""rev":8,"d":[{"rev":3,\#(t),"v":7,"origin":"set"},{"rev":4,\#(t),"empty":true,"origin":"initial"},{"rev":8,\#(t),"v":9,"origin":"set"}]}"#
                    + "\n"
            )
        )
    }

    @Test("A picture is that of the definition of that time, with what every node held")
    func picture() throws {
        try bench.set(graph, [("x", "5")])
        try redefine(#"{"graph":"g","nodes":{"x":{"set":"number"}}}"#)
        let text = try body(.picture(.json, live: true), at: 2)
        #expect(text.contains(#""name":"alarm""#) && text.contains(#""listeners":[]"#))
        #expect(!text.contains(#""exists":false"#) && text.contains(#""v":10"#), "\(text)")
        #expect(try !body(.picture(.json, live: false), at: 3).contains("alarm"))
        let viewer = Access(Principal(name: "v", grants: [.init(nodes: ["x"], can: .read)]))
        #expect(try !body(.picture(.dot, live: false), at: 2, viewer).contains("double"))
        #expect(error(try ask(.picture(.json, live: true), at: 2, viewer))?.code == .forbidden)
    }

    @Test("A graph that ended and began again has both lives; right after its end there is none")
    func twoLives() throws {
        try bench.set(graph, [("x", "5")])
        _ = bench.host.remove(graph)
        bench.endTurn()
        let anew = try bench.define(graphText)
        try bench.set(anew, [("x", "6")])
        #expect(anew.rev == 5)
        #expect(try values("double", at: 2).contains(#"{"v":10}"#))
        #expect(error(try ask(.values(of: [], limit: 9), at: 3))?.code == .unknownGraph)
        #expect(try values("double", at: 4).contains(#"{"v":2}"#))
        #expect(
            try body(.history(of: "double", limit: 9), at: 1).contains(
                #""d":[{"rev":2,"t":5000000,"v":10,"origin":"set"},{"rev":3,"t":5000000,"empty":true,"origin":"initial"},{"rev":4,"t":5000000,"v":2,"origin":"initial"},{"rev":5,"#
            )
        )
        #expect(try body(.history(of: "double", limit: 9), at: 3).contains(#""d":[{"rev":4"#))
    }

    @Test(
        "gone, with what is kept: before the oldest snapshot once the log is trimmed; bad_field: above the present rev"
    )
    func bounds() throws {
        for value in 2...5 { try bench.set(graph, [("x", "\(value)")]) }
        log.storeSnapshot(of: "g")
        try bench.set(graph, [("x", "6")])
        log.trim("g")
        let gone = try #require(error(try ask(.values(of: [], limit: 9), at: 4)))
        #expect(gone.code == .gone && gone.kept == 5...6)
        #expect(try values("x", at: 5).contains(#"{"v":5}"#))
        #expect(error(try ask(.history(of: "x", limit: 9), at: 4))?.code == .gone)
        #expect(error(try ask(.history(of: "x", limit: 9), at: 0))?.code == .gone)
        #expect(try body(.explanation(of: "double"), at: 6).contains(#""commits":[{"rev":6"#))
        #expect(try body(.explanation(of: "double"), at: 5).contains(#""commits":[]"#), "they are trimmed")
        let error = #expect(throws: HostError.self) { try ask(.node("x"), at: 7) }
        #expect(error?.code == .badField)
        let other = #expect(throws: HostError.self) {
            try PastQuestion(.node("x"), at: .rev(5), of: "e0", in: GraphView(graph, for: .full))
        }
        #expect(other?.code == .gone)
    }

    @Test("At a time it is the last commit at or before it, and in the future the present one")
    func times() throws {
        // Two commits of one millisecond, then one that comes later.
        bench.clock.advance(by: 10)
        for value in ["2", "3"] { try bench.set(graph, [("x", value)]) }
        let early = graph.time
        bench.clock.advance(by: 1_000)
        try bench.set(graph, [("x", "4")])
        log.storeSnapshot(of: "g")
        bench.clock.advance(by: 1_000)
        for value in ["5", "6"] { try bench.set(graph, [("x", value)]) }
        let born = early - 10
        func ask(_ time: UInt64) throws -> PastAnswer {
            let view = try GraphView(graph, for: .full)
            let question = try PastQuestion(.values(of: ["x"], limit: 9), at: .time(time), in: view)
            return Past(log.reader, limits: .ample) { DefinitionOptions() }.answer(question) { true }
        }
        func value(_ time: UInt64) throws -> String? {
            guard case .body(let bytes) = try ask(time) else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            return text.split(separator: "\"v\":").last.map(String.init)
        }
        let expected: [(UInt64, Character)] = [
            (born, "1"), (early - 1, "1"), (early, "3"), (early + 999, "3"), (early + 1_000, "4"),
            (early + 1_999, "4"), (early + 2_000, "6"), (early + 99_999, "6"),
            (LogStamp.times.upperBound, "6"),
        ]
        for (time, first) in expected { #expect(try value(time)?.first == first, "at \(time)") }
        let before = try #require(error(ask(born - 1)))
        #expect(before.code == .gone && before.kept == 1...6 && before.hint != nil)
        // What a snapshot includes may be trimmed.
        log.trim("g")
        #expect(try value(early + 1_000)?.first == "4")
        #expect(try error(ask(early + 999))?.kept == 4...6)
        let refused = #expect(throws: HostError.self) {
            try PastQuestion(.node("x"), at: .time(early), of: "e1", in: GraphView(graph, for: .full))
        }
        #expect(refused?.code == .badField)
    }

    @Test("A log with a hole is a failure for the person who runs the server")
    func damaged() throws {
        for value in 2...5 { try bench.set(graph, [("x", "\(value)")]) }
        log.drop(rev: 3)
        guard case .failed(let failure) = try ask(.node("x"), at: 5) else {
            Issue.record("the hole was not found")
            return
        }
        #expect(failure.message.contains("rev 4 after rev 2"))
    }

    @Test("A look that is wanted no longer ends at the next commit")
    func cancelled() throws {
        for value in 2...50 { try bench.set(graph, [("x", "\(value)")]) }
        for subject in [PastQuestion.Subject.node("x"), .history(of: "x", limit: 100)] {
            var asked = 0
            let answer = try ask(subject, at: subject.isHistory ? 1 : 50) {
                asked += 1
                return asked < 5
            }
            guard case .stopped = answer else {
                Issue.record("it went on")
                continue
            }
            #expect(asked == 5)
        }
    }

    @Test(
        "A history stops where it has as many bytes as one node's history may have, and says how far it came"
    )
    func bytes() throws {
        for value in 2...50 { try bench.set(graph, [("secret", "\"\(value)\"")]) }
        var limits = SessionLimits.ample
        limits.historyBytes = 20
        guard case .body(let bytes) = try ask(.history(of: "secret", limit: 100), at: 1, limits: limits)
        else {
            Issue.record("no history")
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(
            text.hasPrefix(#"{"epoch":"e1","from":1,"rev":50,"more":true,"to":8,"d":[{"rev":2"#),
            "\(text)"
        )
    }
}

extension PastQuestion.Subject {
    fileprivate var isHistory: Bool { if case .history = self { true } else { false } }
}

extension String {
    fileprivate func replacingFirst(_ part: String, with other: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        return replacingCharacters(in: range, other)
    }

    private func replacingCharacters(in range: Range<String.Index>, _ other: String) -> String {
        self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}
