import ReactiveGraph
import Testing

@Suite("Rules of the required improvements")
struct ImprovementRules {
    let graph = Graph()
    let trace = Trace()

    @Test("G-136: no listener below a join sees old and new values mixed")
    func glitches() {
        let s = graph.mutable(1)
        let doubled = s.map { $0 * 2 }
        let squared = doubled.map { $0 * $0 }
        let both = Node.combineEach(s, Node.combineEach(doubled, squared) { $0 + $1 }) { ($0, $1) }
        both.listen(in: trace.bag) { [trace] (pair: (Int, Int)) in
            trace.note(pair.1 == pair.0 * 2 + pair.0 * pair.0 * 4 ? "consistent" : "mixed \(pair)")
        }
        for value in 2..<6 { s.set(value) }
        #expect(trace.lines == Array(repeating: "consistent", count: 5))
    }

    @Test("G-137: k stacked diamonds make k emissions, not 2 to the k")
    func stacked() {
        let s = graph.mutable(1)
        var last: Node<Int> = s
        var calls = 0
        for _ in 0..<40 {
            last = Node.combineEach(last.map { $0 }, last.map { $0 }) { one, _ in
                calls += 1
                return one
            }
        }
        calls = 0
        s.set(2)
        #expect(calls == 40 && last.value == 2)
    }

    @Test("G-138a: a settled join that resumes knows the ring it came through")
    func resumed() {
        let x = graph.mutable(0)
        let y = x.map { $0 + 1 }
        let sum = Node.combineEach(y, y.map { $0 * 10 }) { $0 + $1 }
        var calls = 0
        x.link(
            to: sum,
            via: TransformEdge {
                calls += 1
                return $0
            }
        )
        calls = 0
        trace.hear(sum, as: "sum")
        x.set(1)
        #expect(trace.lines == ["sum22"] && calls == 0 && x.value == 1)
    }

    @Test(
        "G-145: where emptiness travels a combine is empty until its input is refilled; elsewhere it keeps its value"
    )
    func emptiness() {
        for propagates in [true, false] {
            let graph = Graph(propagatesEmpty: propagates)
            let a = graph.mutable(1)
            let b = graph.mutable(2)
            let sum = Node.combineEach(a.map { $0 }, b) { $0 + $1 }
            a.clear()
            b.set(3)
            #expect(sum.isEmpty == propagates)
            a.set(2)
            #expect(sum.value == 5)
        }
    }

    @Test("G-145: the option can be chosen per link")
    func perLink() {
        let source = graph.mutable(1)
        let travelling = graph.node(of: Int.self)
        let keeping = graph.node(of: Int.self)
        travelling.link(to: source)?.edges[0].propagatesEmpty = true
        keeping.link(to: source)
        source.clear()
        #expect(travelling.isEmpty && keeping.value == 1)
    }

    @Test("G-149: replay can be switched off for listens and links, also on an empty node")
    func withoutReplay() {
        let full = graph.mutable(1)
        let empty = graph.mutable(of: Int.self)
        let target = graph.node(of: Int.self)
        trace.hear(full, as: "f")
        trace.hear(empty, as: "e")
        target.link(to: full, replay: false)
        #expect(trace.lines.isEmpty && target.isEmpty)
        full.set(2)
        empty.set(3)
        #expect(trace.lines == ["f2", "e3"] && target.value == 2)
    }

    @Test("G-154: many re-entrant sets are drained without native stack, in order")
    func drained() {
        let graph = Graph(feedbackLimit: .max)
        let node = graph.mutable(0)
        var heard = 0
        node.listen(in: trace.bag, replay: false) { (value: Int) in
            heard += 1
            if value < 200_000 { node.set(value + 1) }
        }
        node.set(1)
        #expect(heard == 200_000 && node.value == 200_000)
    }
}
