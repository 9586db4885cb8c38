import LogTestSupport
import Testing
import Values

@testable import CEL
@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText = """
    {"graph": "bank", "nodes": {
      "a": {"set": "number", "min": 0, "initial": 100},
      "b": {"set": "number", "initial": 5},
      "text": {"set": "string"},
      "locked": {"set": "any", "requireIfMatch": true, "initial": 1},
      "twin": {"set": "any"},
      "sum": {"combine": {"a": "a", "b": "b"}, "map": "a + b"},
      "account.{id}": {"set": "number"},
      "double.{id}": {"from": "account.{id}", "pipe": [{"map": "value * 2"}]}
    }, "sync": [{"a": "twin", "b": "text"}]}
    """

/// Transactions as expressions, over a socket and without a log.
@Suite("Updates by expressions")
struct UpdatingTests {
    private let bench = Bench()
    private let graph: LiveGraph
    private let client: Client

    init() throws {
        graph = try bench.define(graphText)
        client = bench.connect()
    }

    private func set(_ fields: String, id: Int = 1) -> [String] {
        client.ask(#"{"op":"set","id":\#(id),"graph":"bank",\#(fields)}"#)
    }

    @Test("X-1: all expressions see the state before the commit, and the answer has the new values")
    func transfer() throws {
        client.ask(#"{"op":"sub","id":9,"graph":"bank","node":"sum","mode":"all"}"#)
        #expect(
            set(#""update":{"a":"value - 10","b":"value + x / 10"},"with":{"x":"a"},"if":"x >= 10""#) == [
                #"{"op":"upd","graph":"bank","rev":2,"t":5000000,"d":[{"id":9,"v":105}]}"#,
                #"{"op":"ok","id":1,"epoch":"e1","rev":2,"values":{"a":90,"b":15}}"#,
            ]
        )
        // Swapped: neither sees the other's result.
        #expect(
            set(#""update":{"a":"y","b":"x"},"with":{"x":"a","y":"b"},"set":{"twin":1}"#).last
                == #"{"op":"ok","id":1,"epoch":"e1","rev":3,"values":{"a":15,"b":90}}"#
        )
        #expect(try bench.read(graph, "twin") == "1")
    }

    @Test("X-1: an empty node is null, and a result may be any value")
    func empty() throws {
        let fields =
            #""update":{"account.7":"value == null ? 1 : value + 1","twin":"{'n': [x]}"},"with":{"x":"text"}"#
        #expect(set(fields).last?.hasSuffix(#""values":{"account.7":1,"twin":{"n":[null]}}}"#) == true)
        #expect(set(fields).last?.contains(#""account.7":2"#) == true)
    }

    @Test("X-1: an update satisfies requireIfMatch")
    func locked() {
        #expect(set(#""update":{"locked":"value + 1"}"#).last?.contains(#""values":{"locked":2}"#) == true)
        #expect(set(#""set":{"locked":7},"if":"true""#).last?.contains("precondition_required") == true)
    }

    @Test("X-1: a condition that does not hold is a conflict with what it takes")
    func condition() {
        #expect(
            set(
                #""update":{"a":"value - 200"},"with":{"x":"a","y":"b","z":"text"},"if":"x >= 200 || z == 'yes'""#
            )
                == [
                    #"{"op":"err","id":1,"code":"conflict","msg":"if: the condition does not hold","node":"a","rev":1,"failed":[{"node":"a","rev":1,"v":100},{"node":"text","rev":1,"empty":true}],"retry":false}"#
                ]
        )
        // Conditions of both kinds, and values that are set, go together with updates.
        #expect(set(#""update":{"b":"value + 1"},"if":{"a":{"v":100}}"#).last?.contains(#""b":6"#) == true)
        #expect(set(#""update":{"b":"value + 1"},"if":{"a":{"v":1}}"#).last?.contains("conflict") == true)
        #expect(set(#""set":{"b":0},"with":{"x":"a"},"if":"x == 100""#).last?.contains(#""op":"ok""#) == true)
    }

    @Test(
        "X-1: what is refused changes nothing, and says why and where",
        arguments: [
            (#""update":{"a":"value - 10","b":"value +"}"#, #""code":"expr_syntax""#),
            (#""update":{"a":"value - 10","b":"value +"}"#, #""pointer":"/update/b""#),
            (#""update":{"a":"value - x"}"#, #""code":"expr_type""#),
            (#""update":{"b":"value + 1","a":"value.x"}"#, #""code":"expr_type","msg":"update.a: "#),
            (#""update":{"a":"1 / 0"}"#, #""code":"expr_divide""#),
            (#""update":{"a":"{'x': 1}.y"}"#, #""code":"expr_no_key""#),
            (#""update":{"a":"9007199254740993 * 9007199254740993"}"#, #""code":"expr_overflow""#),
            (#""update":{"a":"value - 200"}"#, #""code":"type_mismatch""#),
            (#""update":{"a":"'text'"}"#, #""code":"type_mismatch""#),
            (#""update":{"sum":"value + 1"}"#, #""code":"not_mutable""#),
            (#""update":{"a":"x"},"with":{"x":"sum"}"#, #""code":"not_mutable""#),
            (#""update":{"none":"1"}"#, #""code":"unknown_node""#),
            (#""update":{"a":"x"},"with":{"x":"none"}"#, #""code":"unknown_node""#),
            (#""update":{"a":"1"},"with":{"value":"a"}"#, #""code":"bad_field""#),
            (#""update":{"a":"1"},"with":{"a b":"a"}"#, #""code":"bad_field""#),
            (#""update":{"a":"1"},"with":["a"]"#, #""code":"bad_field""#),
            (#""set":{"a":1},"with":{"x":"a"}"#, #""code":"bad_field""#),
            (#""update":{"a":5}"#, #""code":"bad_field""#),
            (#""update":["a"]"#, #""code":"bad_field""#),
            (#""update":{}"#, #""code":"bad_request""#),
            (
                #""update":{"a":"1"},"set":{"a":2}"#,
                #""code":"bad_field","msg":"a: either set it or update it""#
            ),
            (
                #""update":{"a":"1"},"clear":["a"]"#,
                #""code":"bad_field","msg":"a: either clear it or update it""#
            ),
            (#""update":{"a":"1"},"presence":true"#, #""code":"bad_field""#),
            (#""update":{"a":"1"},"if":"x""#, #""pointer":"/if""#),
            (#""update":{"a":"1"},"with":{"x":"a"},"if":"x""#, #""code":"expr_type""#),
            (#""update":{"a":"1"},"if":7"#, #""code":"bad_field""#),
        ]
    )
    func refused(fields: String, answer: String) throws {
        let answers = set(fields)
        #expect(answers.count == 1)
        #expect(answers.first?.hasPrefix(#"{"op":"err","id":1,"#) == true)
        #expect(answers.first?.contains(answer) == true, "\(answers)")
        #expect(graph.rev == 1)
        #expect(try bench.read(graph, "a") == "100")
    }

    @Test("X-1: the expressions of a commit have one budget together")
    func cost() {
        let dear = (0..<40).map { #""account.\#($0)":"lists.range(500).map(x, x * x).size()""# }
        let answers = set(#""update":{\#(dear.joined(separator: ","))}"#)
        #expect(answers.first?.contains(#""code":"expr_cost""#) == true, "\(answers)")
        #expect(graph.rev == 1)
        #expect(bench.host.work > 1_000)
        let cheap = (0..<200).map { #""account.\#($0)":"1""# }
        #expect(set(#""update":{\#(cheap.joined(separator: ","))}"#).last?.contains(#""op":"ok""#) == true)
    }

    @Test("X-1: what is updated must be set and read, what is named read")
    func rights() throws {
        let principal = Principal(
            name: "p",
            grants: [
                Principal.Grant(nodes: ["a"], can: [.set, .read]),
                Principal.Grant(nodes: ["b"], can: [.set]), Principal.Grant(nodes: ["text"], can: [.read]),
            ]
        )
        let other = bench.connect(Access(principal))
        func ask(_ fields: String) -> String {
            other.ask(#"{"op":"set","id":1,"graph":"bank",\#(fields)}"#).last ?? ""
        }
        #expect(ask(#""update":{"a":"size(x) "},"with":{"x":"text"},"if":"x == null""#).contains("expr_type"))
        #expect(ask(#""update":{"a":"value + 1"}"#).contains(#""op":"ok""#))
        #expect(ask(#""update":{"b":"1"}"#).contains(#""code":"forbidden""#))
        #expect(ask(#""update":{"text":"'x'"}"#).contains(#""code":"forbidden""#))
        #expect(ask(#""update":{"a":"x"},"with":{"x":"b"}"#).contains(#""code":"unknown_node""#))
        #expect(ask(#""update":{"a":"x"},"with":{"x":"locked"}"#).contains(#""code":"unknown_node""#))
    }

    @Test("X-1: a repeat under its key gets the same values, whatever the node holds now")
    func repeated() {
        let fields = #""update":{"a":"value - 10"},"key":"k""#
        #expect(set(fields) == [#"{"op":"ok","id":1,"epoch":"e1","rev":2,"values":{"a":90}}"#])
        _ = set(#""set":{"a":1}"#)
        #expect(
            set(fields) == [#"{"op":"ok","id":1,"epoch":"e1","rev":2,"replayed":true,"values":{"a":90}}"#]
        )
        #expect(set(#""update":{"a":"value - 11"},"key":"k""#).last?.contains("key_reused") == true)
        #expect(
            set(#""update":{"a":"value - 10"},"with":{"x":"b"},"key":"k""#).last?.contains("key_reused")
                == true
        )
    }

    @Test("X-1: what keeps the values of many answers loses the oldest keys of whoever keeps most")
    func keptValues() throws {
        try bench.set(graph, [("twin", #""\#(String(repeating: "x", count: 60_000))""#)])
        let long = #""update":{"twin":"value"}"#
        for number in 0..<1_200 { _ = set(#"\#(long),"key":"k\#(number)""#) }
        #expect(set(#"\#(long),"key":"k1199""#).last?.contains("replayed") == true)
        #expect(set(#"\#(long),"key":"k0""#).last?.contains("replayed") == false)
        // 64 MiB of them.
        #expect((1_000..<1_200).contains(bench.host.submissions.keys.count))
    }

    @Test("X-3: a glob clears what the caller may read and set, and nothing else")
    func globs() throws {
        _ = set(#""set":{"account.1":1,"account.2":2,"account.30":3,"text":"t"}"#)
        #expect(set(#""clear":["account.?"]"#) == [#"{"op":"ok","id":1,"epoch":"e1","rev":3}"#])
        #expect(try bench.read(graph, "account.30") == "3")
        #expect(graph.node("account.1").map { $0.source == nil } == true)
        // What the commit sets stays; derived nodes are left out.
        #expect(
            set(#""set":{"account.5":5},"clear":["account.*","double.*"]"#).last?.contains(#""rev":4"#)
                == true
        )
        #expect(try bench.read(graph, "account.5") == "5")
        // No node: nothing is committed.
        #expect(set(#""clear":["none.*"]"#) == [#"{"op":"ok","id":1}"#])
        // One that needs a condition refuses all.
        #expect(set(#""clear":["*"]"#).last?.contains(#""code":"precondition_required""#) == true)
        #expect(try bench.read(graph, "text") == #""t""#)
        let principal = Principal(
            name: "p",
            grants: [
                Principal.Grant(nodes: ["a", "account.5"], can: [.set, .read]),
                Principal.Grant(nodes: ["b"], can: [.set]), Principal.Grant(nodes: ["text"], can: [.read]),
            ]
        )
        let other = bench.connect(Access(principal))
        #expect(
            other.ask(#"{"op":"set","id":1,"graph":"bank","clear":["*"]}"#).last?.contains(#""rev":5"#)
                == true
        )
        #expect(try bench.read(graph, "a") == "empty")
        #expect(try bench.read(graph, "b") == "5")
        #expect(try bench.read(graph, "text") == #""t""#)
    }

    @Test("X-3: a repeat under its key clears nothing again")
    func wipedOnce() throws {
        _ = set(#""set":{"account.1":1}"#)
        _ = set(#""clear":["account.*"],"key":"k""#)
        _ = set(#""set":{"account.2":2}"#)
        #expect(set(#""clear":["account.*"],"key":"k""#).last?.contains("replayed") == true)
        #expect(try bench.read(graph, "account.2") == "2")
    }

    @Test("X-3: more than 10,000 nodes are too many for one commit")
    func tooMany() throws {
        for part in 0..<11 {
            let values = (0..<1_000).map { ("account.\(part)-\($0)", "1") }
            try bench.set(graph, part == 10 ? [values[0]] : values)
        }
        #expect(set(#""clear":["account.*"]"#).last?.contains(#""code":"too_large""#) == true)
        #expect(set(#""clear":["account.1-*","account.10-0"]"#).last?.contains(#""op":"ok""#) == true)
        #expect(set(#""clear":["account.*"]"#).last?.contains(#""op":"ok""#) == true)
        #expect(graph.members.livingCount == 0)
    }
}
