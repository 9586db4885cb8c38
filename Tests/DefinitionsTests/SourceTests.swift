import ReactiveGraph
import Support
import Testing
import Values

@testable import Definitions

private let upstreams = #""upstreams": {"met": {"url": "https://met.example/v2/", "headers": {"A": "b"}}}"#

private func read(
    _ nodes: String,
    _ options: DefinitionOptions = DefinitionOptions()
) throws -> (
    GraphDefinition?, [String]
) {
    let text = "{\"graph\": \"g\", \(upstreams), \"nodes\": {\(nodes)}}"
    let (definition, problems) = GraphDefinition.read(
        try Document.parse(json: text),
        file: nil,
        options: options
    )
    return (definition, problems.map { [$0.message, $0.hint].compactMap(\.self).joined(separator: " — ") })
}

private func poll(_ source: String, of name: String = "x") throws -> (Feed, Feed.Poll) {
    let (definition, problems) = try read("\"\(name)\": {\"source\": \(source)}")
    #expect(problems == [])
    let feed = try #require(definition?[name]?.feed)
    guard case .poll(let poll) = feed.kind else { throw DefinitionProblem("no poll", at: .start) }
    return (feed, poll)
}

@Suite("Source nodes in definitions")
struct SourceTests {
    @Test("S-1: a source node is held as a node that is set, and clients cannot set it")
    func kind() throws {
        let (definition, _) = try read(
            #"""
            "x": {"source": {"get": "met:/x"}, "fresh": "1m"},
            "y": {"source": {"get": "met:/y"}, "history": 5},
            "m.{id}": {"source": {"get": "met:/m/{id}"}},
            "d": {"from": "x", "pipe": ["distinct"]}, "e": {"from": "x"}
            """#
        )
        let graph = try #require(definition)
        #expect(graph.hasSources)
        #expect(["x", "d"].map { graph[$0]?.kindName } == [.source, .derived])
        #expect(graph["x"]?.retain == .always)
        // Only what is held for a reason of its own keeps upstreams open.
        #expect(
            ["x", "y", "m.{id}", "d", "e"].map { graph[$0]?.keepsSourcesOpen } == [
                false, true, false, true, false,
            ]
        )
        guard case .mutable(let member)? = graph["m.{id}"]?.kind else { return #expect(Bool(false)) }
        #expect(member.expire?.milliseconds == 600_000)
    }

    @Test("keys have their defaults, and the address is put together")
    func get() throws {
        let (feed, poll) = try poll(#"{"get": "met:/now?place=Bern", "every": "10m", "pick": "value.temp"}"#)
        #expect(feed.upstream == "met" && feed.pick?.source == "value.temp")
        #expect(poll.method == "GET" && poll.every == 600_000 && poll.batch == 100 && !poll.isText)
        let upstream = try #require(try read("").0?.upstreams.first)
        let target = poll.target.pieces(for: [], encoding: { PercentEncoding.encoded($0) }).before
        #expect(upstream.address(of: target)?.description == "https://met.example/v2/now?place=Bern")
        #expect(upstream.headers == [RequestHeader(name: "A", value: .text("b"))])
    }

    @Test("S-7: placeholders are encoded, and members stand where {id*} is")
    func template() throws {
        let (_, single) = try poll(#"{"get": "met:/a/{b}/{id}?x={id}"}"#, of: "n.{id}.{b}")
        let texts = [(placeholder: "id", text: "ü/1"), (placeholder: "b", text: "a-b")]
        let pieces = single.target.pieces(for: texts, encoding: { PercentEncoding.encoded($0) })
        #expect(pieces.before == "/a/a-b/%C3%BC%2F1?x=%C3%BC%2F1" && pieces.after == nil)
        let (_, joined) = try poll(
            #"{"get": "met:/{b}?ids={id*}&z=1", "pick": "value[key.id]"}"#,
            of: "n.{id}.{b}"
        )
        let parts = joined.target.pieces(for: texts, encoding: { PercentEncoding.encoded($0) })
        #expect(parts.before == "/a-b?ids=" && parts.text == "%C3%BC%2F1" && parts.after == "&z=1")
    }

    @Test(
        "what is wrong is said at its place",
        arguments: [
            (#""x": {"source": {"get": "met"}}"#, "get must begin with the name of an upstream"),
            (#""x": {"source": {"get": "mett:/x"}}"#, "there is no upstream 'mett' — did you mean 'met'?"),
            (#""x": {"source": {"get": "met:x"}}"#, "'x' is no path with a query"),
            (#""x": {"source": {"get": "met:/{id"}}"#, "a placeholder is written {id}"),
            (#""x": {"source": {"get": "met:/{id}"}}"#, "{id} is for families"),
            (#""x": {"source": {"get": "met:/?i={id*}"}}"#, "{id*} is for families"),
            (#""m.{id}": {"source": {"get": "met:/{no}/{id}"}}"#, "the family has no placeholder {no}"),
            (#""m.{id}": {"source": {"get": "met:/x"}}"#, "nothing uses the placeholder {id}"),
            (#""m.{a}.{b}": {"source": {"get": "met:/{a*}{b*}"}}"#, "only one placeholder can be joined"),
            (#""x": {"source": {"every": "1s"}}"#, "source needs one of get"),
            (#""x": {"source": {"get": "met:/x", "often": 1}}"#, "unknown key 'often' in source"),
            (#""x": {"source": {"get": "met:/x", "every": "10ms"}}"#, "every must be at least 100ms"),
            (#""x": {"source": {"get": "met:/x", "method": "BREW"}}"#, "method must be one of GET"),
            (#""x": {"source": {"get": "met:/x", "batch": 5}}"#, "'batch' is for addresses"),
            (#""x": {"source": {"get": "met:/x", "pick": "valu"}}"#, "valu"),
            (#""x": {"source": {"get": "met:/x", "headers": {"Host": "a"}}}"#, "the server itself sets"),
            (
                #""x": {"source": {"get": "met:/x", "headers": {"A": {"secret": "no"}}}}"#,
                "the name of a secret"
            ),
            (#""x": {"source": {"socket": "met:/{id*}"}}"#, "a socket is for one member"),
            (#""m.{id}": {"source": {"socket": "met:/x", "send": "{ib}"}}"#, "nothing uses the placeholder"),
            (#""x": {"source": {"socket": "met:/x", "filter": "valu"}}"#, "valu"),
            (#""x": {"source": {"get": "met:/x"}, "ttl": "1s"}"#, "'ttl' is for nodes that are set"),
            (#""x": {"source": {"get": "met:/x"}, "confirm": true}"#, "'confirm' is for nodes that are set"),
            (#""x": {"source": {"get": "met:/x"}, "set": "number"}"#, "has set and source"),
            (#""x": {"source": {"get": "met:/x"}, "expire": "1s"}"#, "'expire' is for families"),
            (#""x": {"set": "number", "pipe": []}"#, "'pipe' is for nodes that are derived"),
            (#""x": {"from": "y", "fresh": "1s"}, "y": {"set": "any"}"#, "are set or have a source"),
        ]
    )
    func problems(nodes: String, problem: String) throws {
        let (definition, problems) = try read(nodes)
        #expect(definition == nil)
        #expect(problems.contains { $0.contains(problem) }, "\(problems)")
    }

    @Test("what a socket is sent has the member's text, as JSON where it is JSON")
    func greeting() throws {
        func greeting(_ send: String) throws -> String? {
            let node = #""m.{id}.{b}": {"source": {"socket": "met:/{b}", "send": \#(send)}}"#
            let (definition, problems) = try read(node)
            #expect(problems == [])
            guard case .socket(let socket)? = definition?.families.first?.feed?.kind else { return nil }
            return socket.greeting?.text(for: [("id", #"a"{b}"#), ("b", "2")])
        }
        #expect(try greeting(#"{"sub": "no {id}{b}", "n": "{x}"}"#) == #"{"sub":"no a\"{b}2","n":"{x}"}"#)
        #expect(try greeting(#""SUB {id}""#) == #"SUB a"{b}"#)
    }

    @Test("hosts and secrets are checked where the configuration is known")
    func permitted() throws {
        var options = DefinitionOptions()
        options.sourceHosts = PermittedHosts(["met.example"])
        options.secrets = ["MET"]
        #expect(try read(#""x": {"source": {"get": "met:/x"}}"#, options).1 == [])
        let secret = #""x": {"source": {"get": "met:/x", "headers": {"A": {"secret": "OTHER"}}}}"#
        #expect(try read(secret, options).1.first?.contains("no secret 'OTHER'") == true)
        // What is wrong with an upstream is not said of its sources.
        options.sourceHosts = PermittedHosts([])
        let problems = try read(#""x": {"source": {"get": "met:/x"}}"#, options).1
        #expect(problems.count == 1 && problems[0].contains("sources must not reach 'met.example'"))
    }
}
