@testable import Definitions
@testable import Graphs
@testable import Sessions
import Support
import Testing
import Values

private let graphText = """
    {"graph": "g", "nodes": {
      "x": {"set": "number", "initial": 1, "title": "An \\"x\\"", "unit": "m"},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]},
      "mode": {"set": "any", "initial": "a"},
      "shown": {"flatten": {"from": "mode", "to": {"a": "double"}}, "retain": "whileInUse"}
    }}
    """

@Suite("Pictures")
struct PictureTests {
    private func picture(_ graph: LiveGraph, live: Bool) throws -> Datum {
        try PictureText(of: graph, live: live).json().withBorrowedBytes { try Datum.parse($0) }
    }

    @Test("What is declared and does not exist is shown as such, and looking changes nothing")
    func declared() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let before = graph.statistics
        let picture = try picture(graph, live: true)
        #expect(graph.statistics == before)
        let nodes = picture.withBytes { bytes in
            (JSONReader(validated: bytes)["nodes"]?.elements).map { elements in
                elements.map {
                    "\($0["name"]?.string ?? "") \($0["exists"]?.bool == false ? "declared" : "alive")"
                }
            }
        }
        #expect(nodes == ["x alive", "double declared", "mode alive", "shown declared"])
        #expect(picture.text.contains(#""title":"An \"x\"","unit":"m","type":"number""#))
    }

    @Test("Mutable nodes say what they take, so that an editor can be made of it")
    func rules() throws {
        let bench = Bench()
        let graph = try bench.define(
            """
            {"graph": "g", "nodes": {
              "a": {"set": "number", "min": -1.5, "max": 1e3, "history": 600, "ttl": "30s"},
              "b": {"set": {"enum": ["eco", "auto"]}, "initial": "auto", "requireIfMatch": true, "confirm": true},
              "c": {"set": "string", "minLength": 1, "maxLength": 40}
            }}
            """
        )
        let text = try picture(graph, live: false).text
        #expect(text.contains(#""type":"number","min":-1.5,"max":1000,"ttl":30000"#))
        #expect(text.contains(#""retain":"always","history":600"#))
        #expect(text.contains(#""type":"any","enum":["eco","auto"],"requireIfMatch":true,"confirm":true"#))
        #expect(text.contains(#""type":"string","minLength":1,"maxLength":40"#))
    }

    @Test("The live picture has chains, inner followings and who listens")
    func live() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"hello","client":"tablet/1"}"#)
        client.ask(
            #"{"op":"sub","id":1,"graph":"g","node":"shown","pipe":[{"map":"value + 1"},{"delay":5}]}"#
        )
        let live = try picture(graph, live: true).text
        #expect(live.contains(#""kind":"chain""#))
        #expect(live.contains(#""op":"map","label":"value + 1""#))
        #expect(live.contains(#""inner":true"#))
        #expect(live.contains(#""listeners":[{"l":"c:1","client":"tablet/1","transport":"ws""#))
        #expect(live.contains(#""owners":["c:1"]"#))
        #expect(!live.contains(#""exists":false"#))
        let nodes = live.split(separator: #""n":"#).count - 1
        #expect(nodes == graph.statistics.nodes, "parts of stages are not shown and not counted")
        #expect(!(try picture(graph, live: false).text.contains("chain")))

        let dot = String(decoding: PictureText(of: graph, live: true).dot(), as: UTF8.self)
        #expect(dot.hasPrefix("digraph \"g\" {"))
        #expect(dot.contains("tablet/1 c:1"))
        #expect(dot == String(decoding: PictureText(of: graph, live: true).dot(), as: UTF8.self))
        let mermaid = String(decoding: PictureText(of: graph, live: true).mermaid(), as: UTF8.self)
        #expect(mermaid.hasPrefix("flowchart LR\n    n1[\"x\"]\n"))
        #expect(mermaid.contains("([\"tablet/1 c:1\"])"))
        #expect(mermaid.contains("(\"value + 1\")"), "labels of chains are rounded")
        #expect(mermaid.contains(" -.-> n"), "inner followings are dotted")
        client.session.close()
        let after = String(decoding: PictureText(of: graph, live: true).dot(), as: UTF8.self)
        #expect(after.contains(#""double" -> "shown" [style=dotted]"#))
        let declared = String(decoding: PictureText(of: graph, live: true).mermaid(), as: UTF8.self)
        var ids: [String: String] = [:]
        for line in declared.split(separator: "\n") {
            let parts = line.split(separator: "[\"")
            if parts.count == 2 { ids[String(parts[1].dropLast(2))] = String(parts[0].dropFirst(4)) }
        }
        let (double, shown) = (try #require(ids["double"]), try #require(ids["shown"]))
        #expect(double.hasPrefix("d") && shown.hasPrefix("d"))
        #expect(declared.contains("    \(double) -.-> \(shown)\n"))
        #expect(declared.contains("    style \(shown) stroke-dasharray: 3\n"))
        let only = Access(Principal(name: "a", grants: [Principal.Grant(nodes: ["shown"], can: [.read])]))
        let part = String(decoding: PictureText(of: graph, live: false, for: only).mermaid(), as: UTF8.self)
        let text = "flowchart LR\n    d0[\"shown\"]\n    style d0 stroke-dasharray: 3\n"
        #expect(part == text, "what is not to be seen is not named")
    }

    @Test("A stage without a name of its own is labelled with what it does")
    func stageLabels() throws {
        let bench = Bench()
        let graph = try bench.define(
            """
            {"graph": "g", "nodes": {
                "x": {"set": "number", "initial": 1},
                "either": {"merge": ["x"]},
                "hot": {"from": "x", "pipe": [{"map": "value > 30"}, "distinct"]}
            }}
            """
        )
        let text = try picture(graph, live: true).text
        // The last stage is the node itself, which shows the whole pipe.
        #expect(text.contains(#""of":"hot","op":"map","label":"value > 30""#), "\(text)")
        #expect(text.contains(#""op":"from","label":"value > 30 | only changes""#), "\(text)")
        #expect(
            String(decoding: PictureText(of: graph, live: true).dot(), as: UTF8.self).contains(
                "[label=\"value > 30\"]"
            )
        )
    }
}
