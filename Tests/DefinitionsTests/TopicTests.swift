import ReactiveGraph
import Support
import Testing
import Values

@testable import Definitions

private func read(
    upstream: String = #""mqtt": "mqtts://broker.example", "user": "town", "password": {"secret": "BROKER"}"#,
    nodes: String = #""door": {"set": "any"}"#,
    sinks: String = "",
    _ options: DefinitionOptions = DefinitionOptions()
) throws -> (GraphDefinition?, [String]) {
    let text = """
        {"graph": "g", "upstreams": {"hall": {\(upstream)}, "met": {"url": "https://met.example"}},
        "nodes": {\(nodes)}, "sinks": {\(sinks)}}
        """
    let (definition, problems) = GraphDefinition.read(
        try Document.parse(json: text),
        file: nil,
        options: options
    )
    return (definition, problems.map { [$0.message, $0.hint].compactMap(\.self).joined(separator: " — ") })
}

@Suite("Brokers and topics in definitions")
struct TopicTests {
    @Test("an upstream with mqtt has the port of its scheme, a user and a secret")
    func upstream() throws {
        let (definition, problems) = try read()
        #expect(problems == [])
        let broker = try #require(definition?.upstream("hall"))
        #expect(broker.kind == .broker(user: "town", password: "BROKER"))
        #expect(broker.url.port == 8883 && broker.url.scheme.isSecure)
        #expect(broker.url.origin == "mqtts://broker.example" && broker.secrets == ["BROKER"])
        let plain = try read(upstream: #""mqtt": "mqtt://10.0.0.1/""#).0?.upstream("hall")
        #expect(plain?.url.port == 1883 && plain?.kind == .broker(user: nil, password: nil))
    }

    @Test("a source names a topic, with the placeholders of its family")
    func source() throws {
        let (definition, problems) = try read(
            nodes: #""hall.{sensor}": {"source": {"topic": "hall:sensors/{sensor}/ü", "as": "text"}}"#
        )
        #expect(problems == [])
        guard case .topic(let topic)? = definition?["hall.{sensor}"]?.feed?.kind else {
            return #expect(Bool(false))
        }
        #expect(topic.topic.text(for: [("sensor", "attic.1")]) { $0 } == "sensors/attic.1/ü" && topic.isText)
    }

    @Test("a sink publishes with quality 1 and is kept, unless it says something else")
    func sink() throws {
        let (definition, problems) = try read(
            nodes: #""a.{id}": {"set": "any"}"#,
            sinks: #"""
                "all": {"from": "a.*", "topic": "hall:x/{node}/y"},
                "one": {"from": "a.1", "topic": "hall:x", "qos": 0, "retain": false, "as": "text",
                        "discovery": "homeassistant"}
                """#
        )
        #expect(problems == [])
        let sinks = try #require(definition).sinks
        guard case .topic(let all) = sinks[0].target, case .topic(let one) = sinks[1].target else {
            return #expect(Bool(false))
        }
        #expect(all.topic(of: "a.b.c") == "x/a/b/c/y")
        #expect(all.isRetained && all.quality == 1 && !all.isText && !all.announces)
        #expect(!one.isRetained && one.quality == 0 && one.isText && one.announces)
        #expect(definition?.place(of: sinks[0])?.host == "broker.example")
        #expect(definition?.secrets(of: sinks[0]) == ["BROKER"])
    }

    @Test(
        "what cannot be a topic is refused",
        arguments: [
            ("", "at least one character"), ("a/+", "wildcard"), ("#", "wildcard"), ("a\u{0}", "control"),
            ("a\u{7F}", "control"), (String(repeating: "ü", count: 32_768), "65535 bytes"),
        ]
    )
    func topics(text: String, problem: String) {
        #expect(TopicText.problem(of: text[...])?.contains(problem) == true)
        #expect(!TopicText.isValid(text))
    }

    @Test("hosts are checked for what uses them: sources, sinks or both")
    func hosts() throws {
        let sink = #""s": {"from": "door", "topic": "hall:door"}"#
        let source = #""door": {"source": {"topic": "hall:door"}}"#
        var options = DefinitionOptions()
        options.secrets = ["BROKER"]
        options.sourceHosts = PermittedHosts(["met.example"])
        options.sinkHosts = PermittedHosts(["broker.example:8883"])
        #expect(try read(sinks: sink, options).1 == [])
        #expect(try read(nodes: source, options).1.first?.contains("sources must not reach") == true)
        options.sourceHosts = PermittedHosts(["met.example", "broker.example"])
        #expect(try read(nodes: source, options).1 == [])
        options.sinkHosts = PermittedHosts(["broker.example:1883"])
        #expect(try read(nodes: source, options).1 == [])
        #expect(try read(sinks: sink, options).1.first?.contains("sinks must not send to") == true)
        options.sourceHosts = PermittedHosts(["met.example"])
        #expect(try read(options).1.first?.contains("sources must not reach 'broker.example'") == true)
    }
}
