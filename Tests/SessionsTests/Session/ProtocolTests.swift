@testable import Definitions
@testable import Graphs
@testable import Sessions
import Testing
import Values

private let graphText = """
    {"graph": "g", "title": "G", "nodes": {
      "x": {"set": "any", "initial": 1}, "y": {"set": "any"},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]}
    }}
    """

@Suite("The protocol sluice.v1.json")
struct ProtocolTests {
    @Test(
        "Every request with an id gets one terminal answer",
        arguments: [
            (#"{"op":"ping","id":5}"#, #"{"op":"ok","id":5}"#),
            (
                #"{"op":"list","id":12}"#,
                #"{"op":"ok","id":12,"graphs":[{"graph":"g","title":"G","epoch":"e1","rev":1,"nodes":3,"listeners":0,"#
                    + #""definition":"31f66d372bd80b1cf25cbd7349f6a9b6"}]}"#
            ),
            (
                #"{"op":"get","id":10,"graph":"g","nodes":["x","double","y"]}"#,
                #"{"op":"ok","id":10,"epoch":"e1","rev":1,"t":5000000,"m":{"x":{"v":1},"double":{"v":2},"y":{"empty":true}}}"#
            ),
            (
                #"{"op":"get","id":10,"graph":"g"}"#,
                #"{"op":"ok","id":10,"epoch":"e1","rev":1,"t":5000000,"m":{"x":{"v":1},"y":{"empty":true},"double":{"v":2}}}"#
            ),
            (
                #"{"op":"get","id":10,"graph":"g","node":"y"}"#,
                #"{"op":"ok","id":10,"epoch":"e1","rev":1,"t":5000000,"m":{"y":{"empty":true}}}"#
            ),
            (
                #"{"op":"get","id":10,"graph":"g","node":"x","nodes":["y"]}"#,
                #"{"op":"ok","id":10,"epoch":"e1","rev":1,"t":5000000,"m":{"y":{"empty":true},"x":{"v":1}}}"#
            ),
            (
                #"{"op":"hello","client":"t/1"}"#,
                #"{"op":"hello","session":"c:1","server":"sluice/0.1.0","hb":25,"limits":{"subs":1000,"msg":65536,"pipe":16}}"#
            ),
            (
                #"{"op":"hello","id":3}"#,
                #"{"op":"hello","id":3,"session":"c:1","server":"sluice/0.1.0","hb":25,"limits":{"subs":1000,"msg":65536,"pipe":16}}"#
            ),
        ]
    )
    func answers(request: String, answer: String) throws {
        let bench = Bench()
        try bench.define(graphText)
        #expect(bench.connect().ask(request) == [answer])
    }

    @Test(
        "What cannot be done is refused with a code",
        arguments: [
            (#"{"op":"dance","id":1}"#, "bad_op"),
            (#"{"id":1}"#, "bad_op"),
            (#"{"op":"sub","id":0,"graph":"g","node":"x"}"#, "bad_field"),
            (#"{"op":"sub","id":9007199254740992,"graph":"g","node":"x"}"#, "bad_field"),
            (#"{"op":"sub","id":"1","graph":"g","node":"x"}"#, "bad_field"),
            (#"{"op":"sub","graph":"g","node":"x"}"#, "bad_field"),
            (#"{"op":"sub","id":1,"node":"x"}"#, "bad_field"),
            (#"{"op":"sub","id":1,"graph":"h","node":"x"}"#, "unknown_graph"),
            (#"{"op":"sub","id":1,"graph":"g","node":"nope"}"#, "unknown_node"),
            (#"{"op":"sub","id":1,"graph":"g","nodes":["nope"]}"#, "unknown_node"),
            (#"{"op":"sub","id":1,"graph":"g","combine":{"a":"nope"}}"#, "unknown_node"),
            (#"{"op":"sub","id":1,"graph":"g"}"#, "bad_field"),
            (#"{"op":"sub","id":1,"graph":"g","node":"x","nodes":["y"]}"#, "bad_field"),
            (#"{"op":"sub","id":1,"graph":"g","nodes":["y"],"pipe":["distinct"]}"#, "bad_field"),
            (#"{"op":"sub","id":1,"graph":"g","node":"x","history":-5}"#, "bad_field"),
            (#"{"op":"sub","id":1,"graph":"g","node":"x","since":{"epoch":"e1"}}"#, "bad_field"),
            (#"{"op":"sub","id":1,"graph":"g","node":"x","since":7}"#, "bad_field"),
            (#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"some"}"#, "bad_field"),
            (#"{"op":"sub","id":1,"graph":"g","node":"x","every":-1}"#, "bad_field"),
            (#"{"op":"sub","id":1,"graph":"g","node":"x","queue":0}"#, "bad_field"),
            (#"{"op":"sub","id":1,"graph":"g","node":"x","initial":1}"#, "bad_field"),
            (#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"map":"value +"}]}"#, "expr_syntax"),
            (#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"map":"nope(value)"}]}"#, "expr_type"),
            (#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":["dance"]}"#, "bad_field"),
            (
                #"{"op":"sub","id":1,"graph":"g","node":"x","pipe":["distinct","distinct","distinct"]}"#,
                "bad_field"
            ),
            (#"{"op":"get","id":1,"graph":"g","nodes":[1]}"#, "bad_field"),
            (#"{"op":"get","id":1,"graph":"g","node":1}"#, "bad_field"),
            (#"{"op":"get","id":1,"graph":"g","node":"x","pipe":["distinct"]}"#, "bad_field"),
            (#"{"op":"get","id":1,"graph":"g","nodes":["nope"]}"#, "unknown_node"),
            (#"{"op":"unsub","id":1}"#, "unknown_id"),
            (#"{"op":"mod","id":1,"sub":7}"#, "unknown_id"),
            (#"[1]"#, "bad_json"), (#"{"op":"#, "bad_json"), (#""text""#, "bad_json"),
            (#"{"op":"ping","op":"ping"}"#, "bad_json"),
        ]
    )
    func refusals(request: String, code: String) throws {
        var limits = SessionLimits.ample
        limits.stages = 2
        let bench = Bench(limits: limits)
        let graph = try bench.define(graphText)
        let client = bench.connect()
        let answers = client.ask(request)
        #expect(answers.count == 1)
        #expect(answers.first?.hasPrefix(#"{"op":"err","#) == true, "\(answers)")
        #expect(answers.first?.contains(#""code":"\#(code)""#) == true, "\(answers)")
        #expect(client.session.subscriptions.isEmpty)
        #expect(graph.statistics.nodes == 2)
        #expect(client.ask(#"{"op":"ping","id":1}"#) == [#"{"op":"ok","id":1}"#], "the session lives on")
    }

    @Test(
        "A refusal says what was given, and what was probably meant",
        arguments: [
            (#"{"op":"dance","id":1}"#, #""msg":"unknown op 'dance'","retry":false}"#),
            (#"{"op":"subs","id":1}"#, #""hint":"did you mean 'sub'?""#),
            (
                #"{"op":"eval","id":1,"graph":"g"}"#,
                #""hint":"this is available over HTTP: POST /v1/graphs/{g}/eval""#
            ),
            (
                #"{"op":"\#(String(repeating: "x", count: 500))","id":1}"#,
                "'\(String(repeating: "x", count: 64))'"
            ),
            (#"{"op":7,"id":1}"#, "op: a word is needed"),
            (
                #"{"op":"get","id":1,"graph":"gg"}"#,
                #""msg":"there is no graph 'gg'","retry":false,"hint":"did you mean 'g'?""#
            ),
            (
                #"{"op":"sub","id":1,"graph":"g","node":"x","nodes":["y"]}"#,
                "only one of node, nodes is allowed"
            ),
            (#"{"op":"set","id":1,"graph":"g"}"#, #""hint":"such as \"set\":{\"indoor_c\":21.5} or"#),
            (
                #"{"op":"sub","id":1,"graph":"g","all":"*","reduce":"mean"}"#,
                #""hint":"'mean' is written 'avg' here""#
            ),
        ]
    )
    func hints(request: String, part: String) throws {
        let bench = Bench()
        try bench.define(graphText)
        let answer = bench.connect().ask(request).first
        #expect(answer?.contains(part) == true, "\(answer ?? "")")
    }

    @Test("A live id cannot be used twice, not even by another kind of request")
    func idInUse() throws {
        let bench = Bench()
        try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        for request in [#"{"op":"sub","id":1,"graph":"g","node":"y"}"#, #"{"op":"ping","id":1}"#] {
            #expect(client.ask(request).first?.contains("id_in_use") == true)
        }
        #expect(client.session.subscriptions.count == 1)
    }

    @Test("An array of messages takes effect in order; each element is answered")
    func arrays() throws {
        let bench = Bench()
        try bench.define(graphText)
        let answers = bench.connect().ask(
            #"[{"op":"set","id":1,"graph":"g","set":{"x":5}},{"op":"get","id":2,"graph":"g","nodes":["x"]},7,{"op":"ping","id":3}]"#
        )
        #expect(answers.count == 4)
        #expect(answers[1].contains(#""m":{"x":{"v":5}}"#))
        #expect(answers[2].contains("bad_json"))
        #expect(answers[3] == #"{"op":"ok","id":3}"#)
    }

    @Test("Ten messages in a minute that are no JSON end the connection with 4400")
    func badJSON() throws {
        let bench = Bench()
        let client = bench.connect()
        for _ in 0..<9 { client.ask("{") }
        bench.pass(60_000)
        for _ in 0..<4 { client.ask("{") }
        // JSON, but no object; a list counts once.
        for text in ["7", "null", #""text""#, "[7,8]", "[[]]"] { client.ask(text) }
        #expect(client.sink.closes == [])
        client.ask("{")
        #expect(client.sink.closes == ["4400 bad_json"])
        #expect(client.session.isClosed)
        #expect(client.ask(#"{"op":"ping","id":1}"#).last?.contains("ok") != true)
    }

    @Test("auth may come first: it counts as the hello, and where no token is wanted any will do")
    func authFirst() throws {
        let bench = Bench()
        let tokens = ["secret": Access(Principal(name: "device:7", grants: [Principal.Grant()]))]
        let client = bench.connect(nil, tokens: tokens)
        let wrong = client.ask(#"{"op":"auth","id":1,"token":"wrong"}"#)
        #expect(wrong.first?.contains("unauthenticated") == true)
        #expect(client.ask(#"{"op":"ping","id":2}"#).first?.contains("unauthenticated") == true)
        #expect(client.ask(#"{"op":"auth","id":3,"token":"secret"}"#) == [#"{"op":"ok","id":3}"#])
        bench.pass(10_000)
        #expect(client.sink.closes == [])
        #expect(client.ask(#"{"op":"ping","id":4}"#) == [#"{"op":"ok","id":4}"#])
        #expect(client.ask(#"{"op":"hello","id":5}"#).first?.contains(#""op":"hello""#) == true)

        let open = bench.connect()
        #expect(open.ask(#"{"op":"auth","id":1,"token":"any"}"#) == [#"{"op":"ok","id":1}"#])
        #expect(open.ask(#"{"op":"ping","id":2}"#) == [#"{"op":"ok","id":2}"#])
    }

    @Test("Without authorisation only hello is answered, and it has five seconds")
    func authorisation() throws {
        let bench = Bench()
        try bench.define(graphText)
        let tokens = ["secret": Access(Principal(name: "device:7", grants: [Principal.Grant()]))]
        let silent = bench.connect(nil, tokens: tokens)
        let late = bench.connect(nil, tokens: tokens)
        #expect(late.ask(#"{"op":"ping","id":1}"#).first?.contains("unauthenticated") == true)
        #expect(late.ask(#"{"op":"hello","token":"wrong"}"#).first?.contains("unauthenticated") == true)
        bench.pass(4_999)
        #expect(late.ask(#"{"op":"hello","token":"secret"}"#).first?.contains(#""op":"hello""#) == true)
        bench.pass(1)
        #expect(silent.sink.closes == [], "a hello that lies on the socket still counts")
        bench.pass(1)
        #expect(silent.sink.closes == ["4408 timeout"])
        #expect(late.sink.closes == [])
        late.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        #expect(
            late.ask(#"{"op":"set","graph":"g","set":{"x":2}}"#).last?.hasSuffix(#""by":"device:7"}"#) == true
        )
    }

    @Test("A session may not have more subscriptions than allowed")
    func subscriptionLimit() throws {
        var limits = SessionLimits.ample
        limits.subscriptions = 2
        limits.matches = 2
        let bench = Bench(limits: limits)
        try bench.define(graphText)
        let client = bench.connect()
        #expect(
            client.ask(#"{"op":"sub","id":9,"graph":"g","nodes":["*"]}"#).first?.contains(#""more":"#) == true
        )
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        let answer = client.ask(#"{"op":"sub","id":3,"graph":"g","node":"x"}"#)
        #expect(answer.first?.contains(#""code":"sub_limit""#) == true)
        #expect(answer.first?.contains(#""retry":true"#) == true)
    }

    @Test("What only the first message depends on is not for mod", arguments: ["facets", "load", "history"])
    func mod(field: String) throws {
        let bench = Bench()
        try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        let value = field == "history" ? "3" : "true"
        let answer = client.ask(#"{"op":"mod","id":2,"sub":1,"every":5,"\#(field)":\#(value)}"#)
        #expect(answer.first?.contains("only allowed in 'sub'") == true, "\(answer)")
        #expect(client.session.subscription(1)?.options.every == 0)
    }

    @Test("The plain stream sends bare values and takes them")
    func plainStream() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let node = try #require(graph.node("x"))
        let client = bench.connect(form: .node(node))
        try client.session.stream()
        #expect(client.take() == ["1"])
        #expect(client.ask("[1, 2]") == ["[1, 2]"])
        try bench.submit(graph, [], clear: ["x"])
        bench.host.flush()
        #expect(client.take() == [])
        client.ask("{")
        #expect(client.sink.closes == ["4400 bad_json"])
        #expect(graph.statistics.listeners == 0)

        let derived = bench.connect(form: .node(try #require(graph.node("double"))))
        try derived.session.stream()
        derived.ask("1")
        #expect(derived.sink.closes == ["4400 not_mutable"])
        #expect(throws: HostError.self) {
            try bench.connect(form: .node(node)).session.stream(StreamOptions(pipe: []))
        }
    }
}
