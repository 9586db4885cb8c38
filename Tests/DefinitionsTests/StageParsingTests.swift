import Definitions
import Testing
import Values

@Suite("Reading a pipe")
struct StageParsingTests {
    private static let spanHint =
        "write 250ms, 5s, 2m, 1h, 7d, or whole milliseconds; more than zero and at most a year"

    @Test(
        "problems of a stage are reported at its place",
        arguments: [
            (
                #"¦{"map": "value"}"#,
                "a pipe must be a list of stages, not a mapping (write pipe: [ { map: \"value + 1\" }, distinct ])"
            ),
            (#"[{¦"mapp": "value"}]"#, "unknown stage 'mapp' (did you mean 'map'?)"),
            (#"[¦"distnct"]"#, "unknown stage 'distnct' (did you mean 'distinct'?)"),
            (#"[¦"explode"]"#, "unknown stage 'explode'"),
            (#"[¦"from"]"#, "'from' is a key of a node and not a stage"),
            (#"[{¦"zip": ["a"]}]"#, "'zip' is a key of a node and not a stage"),
            (#"[{¦"sync": {"a": "x"}}]"#, "'sync' is a key of a graph and not a stage"),
            (#"[¦["map"]]"#, "a stage must be a word or a mapping with one key"),
            (#"[¦{}]"#, "a stage must have exactly one key, not 0"),
            (
                #"[¦{"skip": 1, "take": 2}]"#,
                "a stage must have exactly one key, not 2 (write one list element for each stage)"
            ),
            (#"[¦"map"]"#, "map needs an expression"),
            (#"[{"map": ¦["value"]}]"#, "map must be an expression, not a list"),
            (
                #"[{"map": ¦{"a": 1}}]"#,
                "map must be an expression, not a mapping (expressions with braces need quotes in YAML)"
            ),
            (#"[{¦"map": null}]"#, "map needs an expression"),
            (#"[{"delta": ¦1}]"#, "delta takes no argument"),
            (#"[{"take": ¦-1}]"#, "take must be a whole number from 0 to 2147483647"),
            (#"[{"skip": ¦1.5}]"#, "skip must be a whole number from 0 to 2147483647"),
            (#"[{"prefix": ¦"two"}]"#, "prefix must be a whole number from 0 to 2147483647"),
            (#"[{"sample": ¦"soon"}]"#, "sample must be a duration (\(spanHint))"),
            (
                #"[{"sample": {"every": "1s", "edge": ¦"front"}}]"#,
                "edge must be one of trailing, leading, both"
            ),
            (#"[{"delay": ¦0}]"#, "delay must be a duration (\(spanHint))"),
            (#"[{"throttle": ¦[]}]"#, "throttle must be a duration (\(spanHint))"),
            (#"[{"debounce": ¦{"edge": "both"}}]"#, "debounce needs 'for'"),
            (
                #"[{"debounce": {"for": "5s", "edge": ¦"trailling"}}]"#,
                "edge must be one of trailing, leading, both (did you mean 'trailing'?)"
            ),
            (#"[{"scan": ¦{"start": 0}}]"#, "scan needs 'with'"),
            (#"[{"scan": ¦{"with": "acc"}}]"#, "scan needs 'start'"),
            (
                #"[{"scan": {"start": 0, "with": "acc", ¦"until": "x"}}]"#,
                "unknown key 'until' in scan"
            ),
            (#"[{"scan": ¦0}]"#, "scan must be a mapping, not a number"),
            (#"[{"window": ¦{"of": "avg"}}]"#, "a window needs either last or count"),
            (
                #"[{"window": ¦{"of": "avg", "last": "5s", "count": 3}}]"#,
                "a window needs either last or count"
            ),
            (#"[{"window": {"of": "avg", "count": ¦0}}]"#, "count must be a whole number from 1 to 10000"),
            (
                #"[{"window": {"of": ¦"average", "count": 1}}]"#,
                "of must be one of avg, sum, min, max, count, first, last, rate, p50, p95, p99, list "
                    + "('average' is written 'avg' here)"
            ),
        ]
    )
    func problems(_ text: String, _ message: String) throws {
        let marked = Marked(text)
        let (_, problems) = Stage.parse(try Document.parse(json: marked.text))
        #expect(problems.map(\.description) == marked.expected([message]))
    }

    @Test(
        "a bad expression is reported at the character that is wrong",
        arguments: [
            (#"[{"map": "value + ¦vaule"}]"#, "expr_type" as HostError.Code),
            (#"[{"map": "value +¦"}]"#, "expr_syntax"),
            (#"[{"filter": "¦siez(value) > 1"}]"#, "expr_type"),
            (#"[{"scan": {"start": 0, "with": "acc + ¦vlaue"}}]"#, "expr_type"),
            (#"[{"distinct": "value.¦"}]"#, "expr_syntax"),
        ]
    )
    func expressions(_ text: String, _ code: HostError.Code) throws {
        let marked = Marked(text)
        let (stages, problems) = Stage.parse(try Document.parse(json: marked.text))
        #expect(stages.isEmpty)
        #expect(problems.map(\.position) == marked.places, "\(problems)")
        #expect(problems.map(\.code) == [code])
    }

    @Test("the place within a block scalar counts its lines and indentation")
    func blocks() throws {
        let expression = Document.scalar(
            "value +\nvaule\n",
            style: .literal,
            at: Position(line: 7, column: 12),
            indent: 8
        )
        let entry = Document.Entry(
            key: .scalar("map", at: Position(line: 7, column: 7)),
            value: expression
        )
        let stage = Document.mapping([entry], at: Position(line: 7, column: 7))
        let (_, problems) = Stage.parse(.sequence([stage], at: Position(line: 6, column: 5)))
        #expect(problems.map(\.position) == [Position(line: 9, column: 9)])
        #expect(problems.first?.hint == "did you mean 'value'?")
    }

    @Test("all problems of a pipe are reported at once, and become one refusal")
    func several() throws {
        let marked = Marked("[¦\"mapp\",\n {\"take\": ¦-1}, \"distinct\",\n {\"map\": \"¦vaule\"}]")
        let (stages, problems) = Stage.parse(try Document.parse(json: marked.text))
        #expect(stages.map(\.name) == ["distinct"])
        #expect(problems.map(\.position) == marked.places)
        let error = HostError(problems, node: "n")
        #expect(error.code == .badField)
        #expect(error.node == "n")
        #expect(error.message.contains("unknown stage 'mapp' (at 1:2)"))
    }

    @Test(
        "what stages are called when chains are shared, and what they depend on",
        arguments: [
            (#"{"map": "value+1"}"#, "map(value + 1)", OperatorRow.StateClass.none, false),
            (#"{"replace": {"a": 1}}"#, #"replace({"a":1})"#, .none, false),
            (#"{"filter": "value>0"}"#, "filter(value > 0)", .history, false),
            (#""distinct""#, "distinct", .history, false),
            (#"{"distinct": null}"#, "distinct", .history, false),
            (#"{"distinct": "value.id"}"#, "distinct(value.id)", .history, false),
            (#"{"take": 3}"#, "take(3)", .history, true),
            (#"{"scan": {"start": 0, "with": "acc+value"}}"#, "scan(0;acc + value)", .history, true),
            (#"{"window": {"last": "1m", "of": "avg"}}"#, "window(last 60000;avg)", .timed, true),
            (#"{"window": {"count": 5, "of": "p95"}}"#, "window(count 5;p95)", .history, true),
            (#"{"debounce": "1s"}"#, "debounce(1000;trailing)", .timed, true),
            (#"{"debounce": {"for": 1000, "edge": "both"}}"#, "debounce(1000;both)", .timed, true),
            (#"{"sample": "1s"}"#, "sample(1000)", .timed, true),
            (#"{"sample": {"every": "1s"}}"#, "sample(1000)", .timed, true),
            (#"{"sample": {"every": "1s", "edge": "leading"}}"#, "sample(1000;leading)", .timed, true),
        ]
    )
    func keys(_ text: String, _ key: String, _ stateClass: OperatorRow.StateClass, _ isPrivate: Bool) throws {
        let (stages, problems) = Stage.parse(try Document.parse(json: "[\(text)]"))
        #expect(problems.map(\.description) == [])
        #expect(stages.map(\.key) == [key])
        #expect(stages.map(\.stateClass) == [stateClass])
        #expect(stages.map(\.isPrivate) == [isPrivate])
    }

    @Test(
        "what stages do, in words for people",
        arguments: [
            (#"{"map": "value+1"}"#, "value+1"),
            (#"{"window": {"last": "5m", "of": "avg"}}"#, "average over 5 min"),
            (#"{"window": {"count": 5, "of": "p95"}}"#, "95th percentile of the last 5"),
            (#"{"debounce": 1500}"#, "waits 1 s 500 ms"), (#"{"sample": "25h"}"#, "every 1 d 1 h"),
            (#"{"debounce": {"for": "1h", "edge": "both"}}"#, "at once, and after 1 h"),
            (#"{"delay": 90000}"#, "1 min 30 s later"), (#""distinct""#, "only changes"),
            (#"{"select": "on"}"#, #"only "on""#), (#"{"skip": 2}"#, "without the first 2"),
        ]
    )
    func labels(_ text: String, _ words: String) throws {
        let stages = Stage.parse(try Document.parse(json: "[\(text)]")).stages
        #expect(stages.map { $0.label.replacing("\u{202F}", with: " ") } == [words])
    }

    @Test("a pipe has at most 256 stages")
    func length() throws {
        let stages = Array(repeating: "\"distinct\"", count: 257)
        let most = stages.dropLast().joined(separator: ",")
        #expect(Stage.parse(try Document.parse(json: "[\(most)]")).stages.count == 256)
        let problems = Stage.parse(try Document.parse(json: "[\(stages.joined(separator: ","))]")).problems
        #expect(problems.map(\.description) == ["1:1: a pipe has at most 256 stages"])
    }

    @Test(
        "the canonical text of a source has the operator, the nodes and the rest of the argument",
        arguments: [
            ("from", #""a""#, "from(a)"), ("merge", #"["b","a","b"]"#, "merge(b,a,b)"),
            ("flatten", #"{"from":"a","to":{"k\"":"b","1":"c"}}"#, #"flatten(a;"k\""=b;"1"=c)"#),
            ("flatten", #"{"otherwise":"c","from":"a","to":{"1":"b"}}"#, #"flatten(a;"1"=b;else=c)"#),
            ("zip", #"["a","b"]"#, "zip(a,b)"),
            ("switch", #"{"from":"a","by":"value.k"}"#, "switch(a;value.k)"),
            ("switch", #"{"from":"a","by":"value.k","value":"value+1"}"#, "switch(a;value.k;value + 1)"),
            ("case", #"{"of":"a","key":{"b": [1]}}"#, #"case(a;{"b":[1]})"#),
            ("default", #"{"of":"a"}"#, "default(a)"),
            ("otherwise", #"{"of":"a","excluding":[1,null,"x"]}"#, #"otherwise(a;1,null,"x")"#),
            ("if", #"{"from":"a","when":"value<0","then":"t"}"#, "if(a;value < 0)"),
        ]
    )
    func sourceKeys(_ word: String, _ argument: String, _ key: String) throws {
        let (source, problems) = Source.parse(word, try Document.parse(json: argument))
        #expect(problems.map(\.description) == [])
        #expect(source?.key == key)
    }

    @Test(
        "a client's pipeline is taken as it is, even if its values cannot fit its expressions",
        arguments: [
            ("combine", #"["a","b"]"#, [:], "value > 3"), ("combine", #"{"t":"a"}"#, [:], "t > 'a'"),
            ("zip", #"["a","b"]"#, [:], "value.startsWith('x')"),
            ("all", #""a*""#, ["reduce": #""sum""#], "value + 'x'"),
        ]
    )
    func mismatches(_ word: String, _ argument: String, _ beside: [String: String], _ map: String) throws {
        var beside = try beside.mapValues { try Document.parse(json: $0) }
        beside["map"] = try Document.parse(json: "\"\(map)\"")
        let (source, problems) = Source.parse(word, try Document.parse(json: argument), beside: beside)
        #expect(source != nil && problems.map(\.description) == [])
    }

    @Test("a client's combine is read in both forms, and its problems are placed")
    func combine() throws {
        let named = Source.parse("combine", try Document.parse(json: #"{"t": "a", "h": "b"}"#))
        #expect(named.source?.key == "combine(t=a,h=b)")
        let list = Source.parse("combine", try Document.parse(json: #"["a", "b"]"#))
        #expect(list.source?.key == "combine(a,b)")
        let marked = Marked(#"{¦"in": "a", "b": ¦"not a name"}"#)
        let bad = Source.parse("combine", try Document.parse(json: marked.text))
        #expect(bad.source == nil)
        #expect(bad.problems.map(\.position) == marked.places)
    }
}
