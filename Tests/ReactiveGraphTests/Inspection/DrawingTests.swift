import ReactiveGraph
import TestSupport
import Testing

@Suite("Pictures of a graph (G-106)")
struct DrawingTests {
    let graph = Graph()

    @Test(
        "G-106, G-153: DOT has a line per node and transform in traversal order, escaped, and is the same each time"
    )
    func dot() {
        let a = graph.mutable("x\"\n").named("a \"quoted\" \\ %s")
        let b = a.map { $0 }
        let loose = TransformEdge<String, Int>(name: "Loose")
        loose.from = b
        #expect(a.dot(values: true) == a.dot(values: true))
        #expect(
            a.dot() == """
                digraph {
                    n1 [label="a \\"quoted\\" \\\\ %s"];
                    n1 -> n2 [label="Map"];
                    n2 [label="n2"];
                    x1 [shape=point];
                    n2 -> x1 [label="Loose"];
                }

                """
        )
        #expect(a.dot(values: true).contains(#"[label="n2\nx\"\n"]"#))
    }

    @Test("G-106: Mermaid has the same lines in the same order, escaped")
    func mermaid() {
        let a = graph.mutable("x").named("a \"quoted\" \\ %s <b>`#;|\n- end")
        let b = a.map { $0 }.named("")
        let loose = TransformEdge<String, Int>(name: "Loose|")
        loose.from = b
        #expect(a.mermaid() == a.mermaid())
        let label = "a #34;quoted#34; #92; #37;s #60;b#62;#96;#35;#59;#124;<br/>- end"
        #expect(
            a.mermaid() == """
                flowchart LR
                    n1["\(label)"]
                    n1 -->|"Map"| n2
                    n2[" "]
                    x1(( ))
                    n2 -->|"Loose#124;"| x1

                """
        )
    }

    @Test("G-102, G-106: an edge without a source comes from nowhere")
    func half() {
        let a = graph.mutable(1)
        let loose = TransformEdge<Int, Int>(name: "Loose")
        loose.to = a
        #expect(a.dot().contains("    x1 [shape=point];\n    x1 -> n1 [label=\"Loose\"];\n"))
        #expect(a.mermaid().contains("    x1(( ))\n    x1 -->|\"Loose\"| n1\n"))
    }

    @Test("G-82, G-144: an ended combine and what is left of it are dashed")
    func ended() {
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let sum = Node.combineEach(a, b, +).named("sum")
        sum.removeUpstreamNode(a)
        #expect(
            sum.dot() == """
                digraph {
                    n3 [label="sum\\nended", style=dashed];
                    n2 -> n3 [label="Combine", style=dashed];
                    n2 [label="n2"];
                }

                """
        )
        #expect(
            sum.mermaid() == """
                flowchart LR
                    n3["sum<br/>ended"]
                    n2 -.->|"Combine"| n3
                    n2["n2"]
                    style n3 stroke-dasharray: 4

                """
        )
    }

    @Test("Values and listeners are shown when asked for, with the inner nodes that flattens follow")
    func valuesAndListeners() {
        let inner = graph.mutable(7).named("inner")
        let outer = graph.mutable(0).named("outer")
        let flat = outer.flattenMap { _ in inner }.named("flat")
        let bag = CancellableBag()
        flat.listen(in: bag) { _ in }
        final class Owner {}
        do {
            let owner = Owner()
            flat.listen(owner: owner) { _, _ in }
        }
        #expect(
            flat.mermaid(values: true, listeners: true) == """
                flowchart LR
                    n3["flat<br/>7<br/>listeners: 1"]
                    n1 -.->|"Flatten"| n3
                    n2 -->|"Flatten"| n3
                    n2["outer<br/>0"]
                    n1["inner<br/>7<br/>listeners: 1"]

                """
        )
        #expect(flat.dot(listeners: true).contains("n1 -> n3 [label=\"Flatten\", style=dotted];"))
        #expect(!flat.dot().contains("n1"))
    }

    @Test("G-106: the same history gives the same text in another graph, whatever the addresses")
    func determinism() {
        func text() -> [String] {
            let graph = Graph()
            let a = graph.mutable(1)
            let nodes = (0..<20).map { index in a.map { $0 + index }.named("node \(index)") }
            let sum = Node.combineEach(nodes, { $0.reduce(0, +) })
            return [sum.dot(values: true, listeners: true), sum.mermaid(values: true, listeners: true)]
        }
        #expect(text() == text())
    }

    @Test("Drawing leaves no trace: no counter moves, and no node lives longer")
    func noTrace() {
        expectReleased(graph) { source in
            let derived = source.map { $0 }.filter { _ in true }
            let before = graph.counts
            _ = derived.dot(values: true, listeners: true) + derived.mermaid()
            _ = derived.whyAlive() + "\(graph.leakedRings())"
            #expect(graph.counts == before)
            return derived
        }
    }
}
