@testable import Graphs
@testable import Sessions
import Testing
import Values

/// Feeds a node with one stage behind it, as a definition and as a client's pipeline, and compares
/// both with what should come: JSON text, `empty`, or `fail:code` per step; `-` where nothing may
/// happen.
@Suite("Stages")
struct StageTests {
    struct Case: CustomTestStringConvertible {
        let stage: String
        let steps: [(set: String, seen: String)]

        init(_ stage: String, _ steps: [(String, String)]) {
            self.stage = stage
            self.steps = steps
        }

        var testDescription: String { stage }
    }

    static let cases = [
        Case(
            #"{"map":"value + 1"}"#,
            [("1", "2"), ("2.5", "3.5"), ("\"a\"", "fail:expr_type"), ("clear", "empty")]
        ),
        Case(#"{"replace":{"a":1}}"#, [("1", #"{"a":1}"#), ("2", #"{"a":1}"#), ("clear", "empty")]),
        Case(
            #"{"filter":"value > 1"}"#,
            [("1", "-"), ("2", "2"), ("0", "-"), ("clear", "empty"), ("3", "3")]
        ),
        Case(#"{"filter":"value"}"#, [("true", "true"), ("1", "fail:expr_type"), ("false", "-")]),
        Case(#"{"ignore":1}"#, [("1.0", "-"), ("2", "2"), ("1e0", "-"), ("clear", "empty")]),
        Case(#"{"select":"a"}"#, [(#""a""#, #""a""#), (#""b""#, "-"), (#""\u0061""#, #""\u0061""#)]),
        Case(#""ignoreNull""#, [("null", "-"), ("0", "0"), ("false", "false")]),
        Case(#""distinct""#, [("1", "1"), ("1.0", "-"), ("2", "2"), ("clear", "empty"), ("2", "2")]),
        Case(
            #"{"distinct":"value.k"}"#,
            [(#"{"k":1,"a":1}"#, #"{"k":1,"a":1}"#), (#"{"k":1,"a":2}"#, "-"), (#"{"k":2}"#, #"{"k":2}"#)]
        ),
        Case(
            #""delta""#,
            [
                ("1", "-"), ("4", "3"), ("\"a\"", "fail:expr_type"), ("2", "-2"), ("clear", "empty"),
                ("3", "1"),
            ]
        ),
        Case(#"{"skip":2}"#, [("1", "-"), ("2", "-"), ("3", "3"), ("clear", "empty"), ("4", "4")]),
        Case(#"{"take":2}"#, [("1", "1"), ("clear", "empty"), ("2", "2"), ("3", "-")]),
        Case(
            #"{"scan":{"start":0,"with":"acc + value * 10 + index"}}"#,
            [
                ("1", "10"), ("2", "31"), ("\"a\"", "fail:expr_type"), ("0", "33"), ("clear", "empty"),
                ("0", "36"),
            ]
        ),
        Case(
            #"{"window":{"count":3,"of":"avg"}}"#,
            [("1", "1"), ("2", "1.5"), ("3", "2"), ("7", "4"), ("\"a\"", "fail:expr_type"), ("2", "4")]
        ),
        Case(#"{"window":{"count":2,"of":"sum"}}"#, [("1", "1"), ("2", "3"), ("3", "5")]),
        Case(#"{"window":{"count":2,"of":"min"}}"#, [("3", "3"), ("1", "1"), ("2", "1"), ("5", "2")]),
        Case(#"{"window":{"count":2,"of":"max"}}"#, [("3", "3"), ("1", "3"), ("2", "2")]),
        Case(
            #"{"window":{"count":2,"of":"list"}}"#,
            [("1", "[1]"), ("\"a\"", #"[1,"a"]"#), ("null", #"["a",null]"#)]
        ),
        Case(#"{"window":{"count":3,"of":"p50"}}"#, [("5", "5"), ("1", "1"), ("3", "3"), ("9", "3")]),
        Case(#"{"window":{"count":2,"of":"first"}}"#, [("1", "1"), ("2", "1"), ("3", "2")]),
        Case(#"{"window":{"count":2,"of":"last"}}"#, [("1", "1"), ("2", "2")]),
        Case(#"{"window":{"count":2,"of":"count"}}"#, [("1", "1"), ("2", "2"), ("3", "2")]),
    ]

    @Test(
        "G-69 … G-72: each stage does what the catalogue says, in a definition and in a pipeline",
        arguments: cases
    )
    func stage(_ test: Case) throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"out":{"from":"x","pipe":[\#(test.stage)],"retain":"always"}}}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"out","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","mode":"all","pipe":[\#(test.stage)]}"#)
        for (place, step) in test.steps.enumerated() {
            if step.set == "clear" {
                try bench.submit(graph, [], clear: ["x"])
            } else {
                try bench.submit(graph, [("x", step.set)])
            }
            bench.host.flush()
            let frames = client.take()
            let entries = entries(of: frames)
            let expected = step.seen == "-" ? [] : [step.seen]
            #expect(entries[1] ?? [] == expected, "definition, step \(place): \(frames)")
            #expect(entries[2] ?? [] == expected, "pipeline, step \(place): \(frames)")
            if step.seen != "-" { #expect(try bench.read(graph, "out") == step.seen) }
        }
        client.session.close()
        #expect(graph.isWhole)
    }

    @Test(
        "A failure passes through stages that choose, and stays one in those that compute",
        arguments: [
            (#"{"map":"1"}"#, true), (#"{"replace":1}"#, true), (#"{"ifEmpty":1}"#, true),
            (#"{"filter":"false"}"#, true),
            (#"{"ignore":1}"#, true), (#"{"select":1}"#, true), (#""ignoreNull""#, true),
            (#""distinct""#, true),
            (#"{"distinct":"value"}"#, true), (#""delta""#, true), (#"{"skip":0}"#, true),
            (#"{"take":1}"#, true),
            (#"{"skip":1}"#, false), (#"{"take":0}"#, false), (#"{"scan":{"start":0,"with":"acc"}}"#, true),
            (#"{"window":{"count":2,"of":"count"}}"#, true),
        ]
    )
    func failures(stage: String, passes: Bool) throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"out":{"from":"x","pipe":[{"map":"1 / value"},\#(stage)]}}}"#
        )
        try bench.set(graph, [("x", "\"a\"")])
        #expect(try bench.read(graph, "out") == (passes ? "fail:expr_type" : "empty"))
    }

    @Test("ifEmpty shows its constant from the beginning and after a clear")
    func ifEmpty() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"out":{"from":"x","pipe":[{"ifEmpty":"none"}]}}}"#
        )
        let client = bench.connect()
        let snap = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"out"}"#)
        #expect(snap.first?.contains(#""v":"none""#) == true)
        try bench.set(graph, [("x", "1")])
        try bench.submit(graph, [], clear: ["x"])
        bench.host.flush()
        #expect(client.take().map { $0.contains(#""v":"none""#) } == [false, true])
    }

    /// What each id received, in order.
    private func entries(of frames: [String]) -> [Int: [String]] {
        var told: [Int: [String]] = [:]
        for frame in frames {
            guard let message = try? Datum.parse(frame) else { continue }
            message.withBytes { bytes in
                for entry in (JSONReader(validated: bytes)["d"]?.elements).map(Array.init) ?? [] {
                    guard let id = entry["id"]?.int else { continue }
                    told[id, default: []].append(Self.text(entry))
                }
            }
        }
        return told
    }

    private static func text(_ entry: JSONReader) -> String {
        if let value = entry["v"] { return String(decoding: value.bytes, as: UTF8.self) }
        if let fail = entry["fail"] { return "fail:" + (fail["code"]?.string ?? "?") }
        return "empty"
    }

    @Test("G-70: a clear does not start a take anew; used up, it stays empty", arguments: ["take", "prefix"])
    func usedUp(stage: String) throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"first":{"from":"x","pipe":[{"\#(stage)":1}]}}}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"first"}"#)
        try bench.set(graph, [("x", "1")])
        #expect(client.take().joined().contains(#"[{"id":1,"v":1}]"#))
        try bench.submit(graph, [], clear: ["x"])
        try bench.set(graph, [("x", "2")])
        #expect(client.take().joined().contains(#"[{"id":1,"empty":true}]"#))
        #expect(try bench.read(graph, "first").contains("empty"))
    }
}
