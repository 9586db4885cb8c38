@testable import Definitions
@testable import Graphs
@testable import Sessions
import ReactiveGraph
import Support
import Testing
import Values

/// `zip`, `switch`, `case`, `default` and `if`, as nodes and as sources of pipelines.
@Suite("zip, switch, case, default and if")
struct BranchingTests {
    /// What a client's subscription to this source receives, compared with the same node of a
    /// definition.
    private func same(
        _ nodes: String,
        source: String,
        limits: SessionLimits = .ample,
        _ steps: [(set: [(String, String)], clear: [String], seen: [String])]
    ) throws {
        let bench = Bench(limits: limits)
        let graph = try bench.define(#"{"graph":"g","nodes":{\#(nodes),"out":{\#(source)}}}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"out","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g",\#(source),"mode":"all"}"#)
        for (place, step) in steps.enumerated() {
            try bench.submit(graph, step.set, clear: step.clear)
            bench.host.flush()
            let told = Told(client.take())
            #expect(told[1] == step.seen, "definition, step \(place)")
            #expect(told[2] == step.seen, "pipeline, step \(place)")
        }
        client.session.close()
        #expect(graph.isWhole)
    }

    @Test("G-86: zip gives the first values together, then the second ones; null takes a place")
    func zip() throws {
        try same(
            #""a":{"set":"any"},"b":{"set":"any"}"#,
            source: #""zip":["a","b"]"#,
            [
                ([("a", "1")], [], []), ([("a", "2")], [], []), ([("b", "null")], [], ["[1,null]"]),
                ([("b", "\"x\"")], [], [#"[2,"x"]"#]), ([("b", "7")], [], []),
                ([("a", "3"), ("b", "8")], [], ["[3,7]"]), ([("a", "4")], [], ["[4,8]"]),
            ]
        )
    }

    @Test("zip does not mind emptiness: what waits continues waiting, and the last row stays")
    func zipIgnoresEmptiness() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"a":{"set":"any"},"b":{"set":"any"},"out":{"zip":["a","b"]}}}"#
        )
        try bench.set(graph, [("a", "1"), ("b", "2")])
        try bench.set(graph, [("a", "3")])
        try bench.submit(graph, [], clear: ["a", "b"])
        #expect(try bench.read(graph, "out") == "[1,2]")
        try bench.set(graph, [("b", "4")])
        #expect(try bench.read(graph, "out") == "[3,4]")
    }

    @Test("a failure takes its place in a zip, and the row that it is in is that failure")
    func zipFailure() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"x":{"set":"any"},"b":{"set":"any"},
             "a":{"from":"x","pipe":[{"map":"1 / value"}],"retain":"always"},"out":{"zip":["a","b"]}}}
            """#
        )
        try bench.set(graph, [("x", "\"?\"")])
        try bench.set(graph, [("x", "2")])
        try bench.set(graph, [("b", "1")])
        #expect(try bench.read(graph, "out") == "fail:expr_type")
        try bench.set(graph, [("b", "2")])
        #expect(try bench.read(graph, "out") == "[0.5,2]")
    }

    @Test("`map` beside a zip sees the row as `value`")
    func zipMap() throws {
        try same(
            #""a":{"set":"any"},"b":{"set":"any"}"#,
            source: #""zip":["a","b"],"map":"value[0] * value[1]""#,
            [
                ([("a", "3")], [], []), ([("b", "4")], [], ["12"]),
                ([("a", "\"x\""), ("b", "1")], [], ["fail:expr_type"]),
            ]
        )
    }

    @Test(
        "G-142: at most `limits.zipBuffer` values wait; then the oldest is lost, and the node says so until the next row"
    )
    func zipOverflow() throws {
        var limits = SessionLimits.ample
        limits.zipBuffer = 2
        try same(
            #""a":{"set":"any"},"b":{"set":"any"}"#,
            source: #""zip":["a","b"]"#,
            limits: limits,
            [
                ([("a", "1")], [], []), ([("a", "2")], [], []), ([("a", "3")], [], ["fail:overflow"]),
                ([("a", "4")], [], []), ([("b", "0")], [], ["[3,0]"]),
                ([("b", "1")], [], ["[4,1]"]),
                // A row is good again; what is lost after it is said again, once.
                ([("a", "5")], [], []), ([("a", "6")], [], []), ([("a", "7")], [], ["fail:overflow"]),
                ([("a", "8")], [], []), ([("b", "2")], [], ["[7,2]"]),
            ]
        )
    }

    @Test("a `buffer` of the definition bounds the values that wait")
    func zipBuffer() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"a":{"set":"any"},"b":{"set":"any"},"out":{"zip":["a","b"],"buffer":1}}}"#
        )
        try bench.set(graph, [("a", "1")])
        #expect(try bench.read(graph, "out") == "empty")
        try bench.set(graph, [("a", "2")])
        #expect(try bench.read(graph, "out") == "fail:overflow")
    }

    @Test("zip is private in pipelines: each client has its own")
    func zipIsPrivate() throws {
        let bench = Bench()
        let graph = try bench.define(#"{"graph":"g","nodes":{"a":{"set":"any"},"b":{"set":"any"}}}"#)
        let (first, second) = (bench.connect(), bench.connect())
        try bench.set(graph, [("a", "1")])
        first.ask(#"{"op":"sub","id":1,"graph":"g","zip":["a","b"]}"#)
        try bench.set(graph, [("a", "2")])
        let snap = second.ask(#"{"op":"sub","id":1,"graph":"g","zip":["a","b"]}"#)
        #expect(snap.first?.contains(#""shared":1"#) == true)
        try bench.set(graph, [("b", "9")])
        #expect(Told(first.take())[1] == ["[1,9]"])
        #expect(Told(second.take())[1] == ["[2,9]"])
    }

    @Test("G-90: a switch shows each value with its key; a missing member is no key, and so is null")
    func switched() throws {
        try same(
            #""x":{"set":"any"}"#,
            source: #""switch":{"from":"x","by":"value.who","value":"value.text"}"#,
            [
                ([("x", #"{"who":"alice","text":"hi"}"#)], [], [#"{"key":"alice","value":"hi"}"#]),
                ([("x", #"{"text":"?"}"#)], [], [#"{"key":null,"value":"?"}"#]),
                ([("x", #"{"who":null,"text":1}"#)], [], [#"{"key":null,"value":1}"#]),
                ([("x", #"{"who":"bob"}"#)], [], ["fail:expr_no_key"]),
                ([("x", "7")], [], ["fail:expr_type"]), ([], ["x"], ["empty"]),
            ]
        )
    }

    @Test("G-91: a value is taken apart and its key looked up once, whatever number of cases follow")
    func oneLookUp() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"s":{"switch":{"from":"x","by":"value.k"}}}}"#
        )
        let text = String(repeating: "t", count: 8_000)
        func spent(cases: Int) throws -> Int {
            let client = bench.connect()
            for key in 0..<cases {
                let answer = client.ask(
                    #"{"op":"sub","id":\#(key + 1),"graph":"g","case":{"of":"s","key":\#(key)}}"#
                )
                #expect(answer[0].contains("snap"))
            }
            // What the making has cost may be spent again.
            bench.pass(200)
            let before = bench.host.pipelines.total
            try bench.set(graph, [("x", #"{"k":3e0,"t":"\#(text)"}"#)])
            bench.settle()
            let units = bench.host.pipelines.total - before
            let updates = client.take()
            #expect(updates.count == 1 && updates[0].contains(#""d":[{"id":4,"v":{"k":3e0"#))
            client.session.close()
            return units
        }
        // A run and ninety units for each case that receives the value, its text once, and what it
        // takes to record it.
        let (few, many) = (try spent(cases: 10), try spent(cases: 80))
        #expect(few >= 2_700 && few < 2_900)
        #expect(many - few == 70 * (75 + 90))
        bench.pass(10)
        #expect(graph.builder.caseTables.count == 0, "the last case has taken its table along")
        #expect(graph.isWhole)
    }

    @Test("G-91: a key is a value, however its number is written")
    func spelling() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"s":{"switch":{"from":"x","by":"value"}}}}"#
        )
        let client = bench.connect()
        for key in 1...40 {
            client.ask(#"{"op":"sub","id":\#(key),"graph":"g","case":{"of":"s","key":\#(key)0e-1}}"#)
        }
        for key in 1...40 {
            bench.pass(10)
            try bench.set(graph, [("x", "\(key)")])
            #expect(client.take().first?.contains(#"{"id":\#(key),"v":\#(key)}"#) == true)
        }
    }

    @Test("G-143: of two cases of one key one goes, and the other continues; with both the key is forgotten")
    func sharedKey() throws {
        let bench = Bench()
        let nodes = #""x":{"set":"any"},"c":{"case":{"of":"x","key":1}}"#
        let graph = try bench.define(#"{"graph":"g","nodes":{\#(nodes)}}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","case":{"of":"x","key":1.0}}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","case":{"of":"x","key":2}}"#)
        try bench.set(graph, [("x", #"{"key":1,"value":"both"}"#)])
        #expect(client.take().joined().contains(#"{"id":1,"v":"both"}"#))
        client.ask(#"{"op":"unsub","id":1}"#)
        client.ask(#"{"op":"unsub","id":2}"#)
        try bench.set(graph, [("x", #"{"key":1,"value":"one"}"#)])
        #expect(graph.node("c")?.living?.value?.text == #""one""#)
        #expect(graph.builder.caseTables.count == 1 && graph.isWhole)
    }

    @Test(
        "G-91: keys are compared as JSON is",
        arguments: [
            ("1", "1.0"), ("1", "10e-1"), ("0", "-0.0"), (#""a""#, #""\u0061""#), ("null", "null"),
            ("true", "true"),
            ("[1,2]", "[1.0,2]"), (#"{"a":1,"b":[]}"#, #"{"b":[],"a":1e0}"#), ("1e300", "10e299"),
        ]
    )
    func equalKeys(key: String, written: String) throws {
        let bench = Bench()
        let nodes =
            #""x":{"set":"any"},"c":{"case":{"of":"x","key":\#(key)}},"d":{"case":{"of":"x","key":"other"}}"#
        let graph = try bench.define(#"{"graph":"g","nodes":{\#(nodes)}}"#)
        try bench.set(graph, [("x", #"{"key":\#(written),"value":7}"#)])
        #expect(graph.node("c")?.living?.value?.text == "7")
        #expect(graph.node("d")?.living?.isEmpty == true)
        try bench.set(graph, [("x", #"{"key":"other","value":8}"#)])
        #expect(graph.node("c")?.living?.value?.text == "7" && graph.node("d")?.living?.value?.text == "8")
        // Made later for the same key: it receives the present pair.
        let client = bench.connect()
        #expect(
            client.ask(#"{"op":"sub","id":1,"graph":"g","case":{"of":"x","key":"other"}}"#)[0].contains(
                #""v":8"#
            )
        )
        #expect(
            client.ask(#"{"op":"sub","id":2,"graph":"g","case":{"of":"x","key":\#(key)}}"#)[0].contains(
                #""empty":true"#
            )
        )
    }

    @Test("a switch without `value` keeps the text of the value")
    func switchText() throws {
        try same(
            #""x":{"set":"any"}"#,
            source: #""switch":{"from":"x","by":"value.k"}"#,
            [([("x", #"{"k":1.50,"b":1e2}"#)], [], [#"{"key":1.5,"value":{"k":1.50,"b":1e2}}"#])]
        )
    }

    @Test(
        "G-91: a case has the values of its key, keeps the last while others come, and is empty with the switch"
    )
    func oneCase() throws {
        let steps: [(set: [(String, String)], clear: [String], seen: [String])] = [
            ([("x", #"{"k":"b","v":1}"#)], [], []), ([("x", #"{"k":"a","v":2}"#)], [], [#"{"k":"a","v":2}"#]),
            ([("x", #"{"k":"b","v":3}"#)], [], []), ([("x", #"{"v":3}"#)], [], []),
            ([("x", #"{"k":"\u0061"}"#)], [], [#"{"k":"\u0061"}"#]), ([], ["x"], ["empty"]),
            ([("x", #"{"k":"b"}"#)], [], []), ([("x", "1")], [], ["fail:expr_type"]),
        ]
        try same(
            #""x":{"set":"any"},"s":{"switch":{"from":"x","by":"value.k"}}"#,
            source: #""case":{"of":"s","key":"a"}"#,
            steps
        )
    }

    @Test("keys are compared as JSON is: 1.0 is 1, and a number is no string")
    func keys() throws {
        try same(
            #""x":{"set":"any"},"s":{"switch":{"from":"x","by":"value"}}"#,
            source: #""case":{"of":"s","key":1}"#,
            [
                ([("x", "1.0")], [], ["1.0"]), ([("x", "\"1\"")], [], []), ([("x", "[1]")], [], []),
                ([("x", "1e0")], [], ["1e0"]),
            ]
        )
    }

    @Test("G-93: default is the key null, and not what no case took")
    func defaultCase() throws {
        try same(
            #""x":{"set":"any"},"s":{"switch":{"from":"x","by":"value.k"}}"#,
            source: #""default":{"of":"s"}"#,
            [
                ([("x", #"{"k":"b"}"#)], [], []), ([("x", #"{"v":2}"#)], [], [#"{"v":2}"#]),
                ([("x", #"{"k":null}"#)], [], [#"{"k":null}"#]),
            ]
        )
    }

    @Test("a case of something that is no pair fails with not_a_key")
    func notAPair() throws {
        try same(
            #""x":{"set":"any"}"#,
            source: #""case":{"of":"x","key":"a"}"#,
            [
                ([("x", "1")], [], ["fail:not_a_key"]), ([("x", #"{"key":"a"}"#)], [], ["fail:not_a_key"]),
                ([("x", #"{"key":"a","value":[1]}"#)], [], ["[1]"]),
            ]
        )
    }

    @Test("G-92: a case made late sees the present pair only")
    func lateCase() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"s":{"switch":{"from":"x","by":"value"}}}}"#
        )
        try bench.set(graph, [("x", "\"a\"")])
        try bench.set(graph, [("x", "\"b\"")])
        let client = bench.connect()
        let a = client.ask(#"{"op":"sub","id":1,"graph":"g","case":{"of":"s","key":"a"}}"#)
        let b = client.ask(#"{"op":"sub","id":2,"graph":"g","case":{"of":"s","key":"b"}}"#)
        #expect(a.first?.contains(#""empty":true"#) == true)
        #expect(b.first?.contains(#""v":"b""#) == true)
    }

    @Test("G-94: if has two sides; each keeps its last value, a failure goes to `else`")
    func condition() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"x":{"set":"any","initial":5},
             "split":{"if":{"from":"x","when":"value < 0","then":"frost","else":"mild"}},"cold":{"from":"frost"}}}
            """#
        )
        func seen() throws -> [String] {
            try ["split", "frost", "mild", "cold"].map { try bench.read(graph, $0) }
        }
        #expect(try seen() == [#"{"key":false,"value":5}"#, "empty", "5", "empty"])
        try bench.set(graph, [("x", "-1")])
        #expect(try seen() == [#"{"key":true,"value":-1}"#, "-1", "5", "-1"])
        try bench.set(graph, [("x", "7")])
        #expect(try seen() == [#"{"key":false,"value":7}"#, "-1", "7", "-1"])
        try bench.set(graph, [("x", "\"?\"")])
        #expect(try seen() == ["fail:expr_type", "-1", "fail:expr_type", "-1"])
        try bench.set(graph, [("x", "-2")])
        #expect(try seen() == [#"{"key":true,"value":-2}"#, "-2", "fail:expr_type", "-2"])
        try bench.submit(graph, [], clear: ["x"])
        #expect(try seen() == ["empty", "empty", "empty", "empty"])
    }

    @Test("the sides of an if are nodes like others: named, described, listened to")
    func sides() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"split":{"if":{"from":"x","when":"value","else":"no"}}}}"#
        )
        #expect(graph.nodes.map(\.name) == ["x", "split", "no"])
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"no"}"#)
        try bench.set(graph, [("x", "false")])
        #expect(Told(client.take())[1] == ["false"])
        let picture = String(decoding: PictureText(of: graph, live: false).json(), as: UTF8.self)
        #expect(picture.contains(#""name":"no","op":"case","inputs":["split"]"#))
    }

    @Test("values that only some may see do not come out of a source of a client's own")
    func rights() throws {
        let bench = Bench()
        try bench.define(
            #"""
            {"graph":"g","nodes":{"a":{"set":"any","initial":1},"secret":{"set":"any","initial":{"key":1,"value":2}}},
             "access":[{"who":"role:viewer","nodes":"a","can":["read","pipe"]}]}
            """#
        )
        let access = Access(Principal(name: "v", roles: ["viewer"], grants: [Principal.Grant()]))
        let client = bench.connect(access)
        for source in [
            #""zip":["a","secret"]"#, #""merge":["secret"]"#, #""combine":["secret"]"#,
            #""switch":{"from":"secret","by":"value"}"#, #""case":{"of":"secret","key":1}"#,
            #""default":{"of":"secret"}"#, #""flatten":{"from":"a","to":{"1":"secret"}}"#,
            #""flatten":{"from":"secret","to":{"1":"a"}}"#, #""zip":["a","nowhere"]"#,
        ] {
            let answer = client.ask(#"{"op":"sub","id":1,"graph":"g",\#(source)}"#)
            #expect(answer.first?.contains(#""code":"unknown_node""#) == true, "\(source): \(answer)")
        }
        #expect(
            client.ask(#"{"op":"sub","id":1,"graph":"g","zip":["a","a"]}"#).first?.contains("[1,1]") == true
        )
    }

    @Test("a message with two sources, or with `map` where it does not belong, is refused")
    func unclear() throws {
        let bench = Bench()
        try bench.define(#"{"graph":"g","nodes":{"a":{"set":"any"}}}"#)
        let client = bench.connect()
        for fields in [
            #""node":"a","zip":["a"]"#, #""zip":["a"],"merge":["a"]"#, #""node":"a","map":"1""#,
            #""merge":["a"],"map":"1""#,
            #""if":{"from":"a","when":"true","then":"b"}"#, #""zip":"a""#, #""zip":[]"#,
            #""case":{"of":"a"}"#,
        ] {
            let answer = client.ask(#"{"op":"sub","id":1,"graph":"g",\#(fields)}"#)
            #expect(answer.first?.contains(#""code":"bad_field""#) == true, "\(fields): \(answer)")
        }
    }

    @Test("eval takes the same sources, every one of the catalogue")
    func eval() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"a":{"set":"any","initial":{"key":1,"value":3}},"b":{"set":"any","initial":2}}}"#
        )
        let view = try GraphView(graph, for: .full)
        func answer(_ request: String) throws -> String {
            let bytes = try request.withBorrowedBytes { try view.evaluate($0) }
            return String(decoding: bytes.dropLast(), as: UTF8.self)
        }
        let examples = [
            "all": (#""b*","reduce":"sum""#, "2"),
            "combine": (#"["a","b"]"#, #"[{"key":1,"value":3},2]"#), "merge": (#"["a","b"]"#, "2"),
            "zip": (#"["b","b"]"#, "[2,2]"), "flatten": (#"{"from":"b","to":{"2":"b"}}"#, "2"),
            "switch": (#"{"from":"a","by":"value.key"}"#, #"{"key":1,"value":{"key":1,"value":3}}"#),
            "case": (#"{"of":"a","key":1}"#, "3"), "otherwise": (#"{"of":"a","excluding":[2]}"#, "3"),
        ]
        for word in Catalogue.standard.clientSources where word != "default" {
            let example = try #require(examples[word])
            #expect(try answer(#"{"\#(word)":\#(example.0)}"#).hasSuffix(#""v":\#(example.1)}"#))
        }
        #expect(try answer(#"{"default":{"of":"a"}}"#).hasSuffix(#""empty":true}"#))
        #expect(try answer(#"{"zip":["b","b"],"map":"sum(value)"}"#).hasSuffix(#""v":4}"#))
        for request in [#"{"zip":["a"],"node":"a"}"#, #"{"pipe":[]}"#, #"{"merge":["a"],"map":"1"}"#] {
            #expect(throws: HostError.self) { try answer(request) }
        }
        #expect(graph.statistics.nodes == 2)
    }
}

/// What each subscription received in some frames, in order: JSON text, `empty`, or `fail:code`.
struct Told {
    private var entries: [Int: [String]] = [:]

    init(_ frames: [String]) {
        for frame in frames {
            guard let message = try? Datum.parse(frame) else { continue }
            message.withBytes { bytes in
                for entry in (JSONReader(validated: bytes)["d"]?.elements).map(Array.init) ?? [] {
                    guard let id = entry["id"]?.int else { continue }
                    entries[id, default: []].append(Self.text(entry))
                }
            }
        }
    }

    subscript(id: Int) -> [String] { entries[id] ?? [] }

    private static func text(_ entry: JSONReader) -> String {
        if let value = entry["v"] { return String(decoding: value.bytes, as: UTF8.self) }
        if let fail = entry["fail"] { return "fail:" + (fail["code"]?.string ?? "?") }
        return "empty"
    }
}
