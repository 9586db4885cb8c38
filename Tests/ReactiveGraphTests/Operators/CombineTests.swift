import ReactiveGraph
import TestSupport
import Testing

@Suite("Combine")
struct CombineTests {
    let graph = Graph()

    @Test("Emits once all inputs have a value, then for each change (G-81)")
    func emits() {
        let a = graph.mutable(1)
        let b = graph.mutable(of: String.self)
        let combined = Node.combine(a, b)
        let heard = Recorder(combined.map { "\($0.0)\($0.1)" })
        #expect(combined.isEmpty)
        b.set("x")
        a.set(2)
        #expect(heard.history == ["1x", "2x"])
    }

    @Test("Emits one tuple at creation, with all inputs present (G-81)")
    func creation() {
        var calls = 0
        let sum = Node.combineEach(graph.mutable(1), graph.mutable(2), graph.mutable(3)) { a, b, c in
            calls += 1
            return a + b + c
        }
        #expect(sum.value == 6)
        #expect(calls == 1)
    }

    @Test(
        "A diamond emits once when settled, twice when immediate (G-51)",
        arguments: [(true, [45]), (false, [44, 45])]
    )
    func diamond(settled: Bool, expected: [Int]) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let source = graph.mutable(3)
        let total = Node.combineEach(source.map { $0 * 10 }, source.map { $0 + 1 }, +)
        let heard = Recorder(total, replay: false)
        #expect(total.value == 34)
        source.set(4)
        #expect(heard.history == expected)
    }

    @Test(
        "The same node twice: once settled, twice immediate (G-84)",
        arguments: [(true, ["22"]), (false, ["21", "22"])]
    )
    func sameNode(settled: Bool, expected: [String]) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let source = graph.mutable(1)
        let heard = Recorder(Node.combineEach(source, source) { "\($0)\($1)" }, replay: false)
        source.set(2)
        #expect(heard.history == expected)
    }

    @Test("Stacked diamonds settle once each (G-137)")
    func stacked() {
        let source = graph.mutable(1)
        var node: Node<Int> = source
        var calls = 0
        for _ in 0..<40 {
            node = Node.combineEach(node.map { $0 }, node.map { $0 }) { a, b in
                calls += 1
                return a &+ b
            }
        }
        calls = 0
        source.set(2)
        #expect(calls == 40)
    }

    @Test("Remembers the value of a cleared input; clearing travels only where asked (G-81, G-145)")
    func empty() {
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let sum = Node.combineEach(a, b, +)
        a.clear()
        b.set(5)
        #expect(sum.value == 6)
        sum.propagatesEmpty = true
        let heard = EmissionRecorder(sum, replay: false)
        a.clear()
        b.set(7)
        #expect(heard.history == [.empty])
        a.set(1)
        #expect(heard.history == [.empty, .value(8)])
    }

    @Test("nil is a value like any other (G-81)")
    func nilInput() {
        let a = graph.mutable(Int?.none)
        let text = Node.combineEach(a, graph.mutable(1)) { "\(String(describing: $0)) \($1)" }
        #expect(text.value == "nil 1")
    }

    @Test("Removing an input ends it for good, and inspection says so (G-82, G-144)")
    func ends() throws {
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let sum = Node.combineEach(a, b, +)
        let edge = try #require(sum.upstreamTransforms.last)
        #expect(!edge.isEnded)
        sum.removeUpstreamNode(a)
        b.set(10)
        #expect(sum.value == 3)
        #expect(edge.isEnded)
    }

    @Test("Unsetting only `from` freezes an input; another source resumes it (G-82)")
    func freezes() throws {
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let sum = Node.combineEach(a, b, +)
        let edge = try #require(sum.upstreamTransforms.first as? TransformEdge<Int, Int>)
        edge.from = nil
        a.set(100)
        b.set(3)
        #expect(sum.value == 4)
        edge.from = graph.mutable(50)
        #expect(sum.value == 53)
    }

    @Test("A plain link is just another upstream (G-83)")
    func link() {
        let a = graph.mutable(1)
        let sum = Node.combineEach(a, graph.mutable(2), +)
        sum.link(to: graph.mutable(99))
        #expect(sum.value == 99)
        a.set(2)
        #expect(sum.value == 4)
    }

    @Test("An incomplete combine leaves alone what a link put into its node (G-81, G-83)")
    func incomplete() {
        let a = graph.mutable(7)
        let combined = Node.combineEach(a, graph.mutable(of: Int.self), +)
        combined.link(to: graph.mutable(8))
        a.set(1)
        #expect(combined.value == 8)
    }

    @Test("A function that ends its own combine stores nothing (G-82)", arguments: [true, false])
    func endsItself(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let a = graph.mutable(1)
        var sum: Node<Int>?
        sum = Node.combineEach(a, graph.mutable(1)) { x, y in
            if x == 2 { sum?.removeUpstreamNodes() }
            return x + y
        }
        let heard = sum.map { Recorder($0) }
        a.set(2)
        #expect(sum?.value == 2)
        #expect(heard?.history == [2])
        sum = nil
    }

    @Test("Six inputs of six types, and a list of one type")
    func forms() {
        let six = Node.combine(
            graph.mutable(1),
            graph.mutable("b"),
            graph.mutable(3.5),
            graph.mutable(true),
            graph.mutable(UInt8(5)),
            graph.mutable([6])
        )
        #expect(six.value?.1 == "b")
        let a = graph.mutable(1)
        let list = Node.combine([a, graph.mutable(2)])
        a.set(7)
        #expect(list.value == [7, 2])
        #expect(Node.combineEach([a, a]) { $0.reduce(0, +) }.value == 14)
        #expect(a.combine(with: graph.mutable("x")).value?.1 == "x")
    }

    @Test(
        "Who keeps the list of an emission keeps it as it was; an input that became empty is not in the next one"
    )
    func keptLists() {
        let graph = Graph(propagatesEmpty: true)
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let bag = CancellableBag()
        var kept: [[Int]] = []
        let list = Node.combine([a, b])
        list.listen(in: bag) { kept.append($0) }
        a.set(3)
        b.set(4)
        b.clear()
        #expect(list.isEmpty)
        a.set(5)
        b.set(6)
        #expect(kept == [[1, 2], [3, 2], [3, 4], [5, 6]])
    }

    @Test("Forwards the context of the input delivered last (G-45)", arguments: [true, false])
    func context(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let bag = CancellableBag()
        var heard: [String?] = []
        Node.combineEach(a, b, +).listenEmissions(in: bag) { emission, delivery in
            guard !emission.isEmpty else { return }
            heard.append(delivery.context?.value())
        }
        a.set(2, context: Context("first"))
        b.set(3)
        #expect(heard == [nil, "first", nil])
    }

    @Test(
        "X-8: a passive input is read and is no cause, unless it completes the value; one turn sees both new values",
        arguments: [true, false]
    )
    func passive(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let (meter, price) = (graph.mutable(2), graph.mutable(of: Int.self))
        let pair = Recorder(meter.withLatest(from: price) { $0 * $1 })
        let list = Recorder(Node.combineEach([meter, price], passive: [1]) { $0[0] * $0[1] })
        func heard() -> [Int] {
            #expect(pair.history == list.history)
            return pair.history
        }
        price.set(10)
        #expect(heard() == [20])
        price.set(20)
        price.clear()
        #expect(heard() == [20])
        meter.set(3)
        #expect(heard() == [20, 60])
        graph.batch {
            $0.set(meter, 4)
            $0.set(price, 30)
        }
        #expect(heard() == [20, 60, settled ? 120 : 80])
    }

    @Test("X-8: an emptiness of a passive input is shown at the next cause; a value then completes it again")
    func passiveEmptiness() {
        let graph = Graph(propagatesEmpty: true)
        let (meter, price) = (graph.mutable(2), graph.mutable(10))
        for cost in [
            meter.withLatest(from: price) { $0 * $1 },
            Node.combineEach([meter, price], passive: [1]) { $0[0] * $0[1] },
        ] {
            price.clear()
            #expect(cost.value == 20)
            meter.set(3)
            #expect(cost.isEmpty)
            price.set(20)
            #expect(cost.value == 60)
            meter.set(2)
            price.set(10)
            meter.set(2)
        }
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { Node.combineEach($0, $0.map { $0 }, +) }
        expectReleased { Node.combine([$0, $0]) }
        expectReleased { Graph.join([$0, $0]) { emissions, _ in emissions[0] } }
    }

    @Test("A function that releases its own node does no harm", arguments: [true, false])
    func misbehaves(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let a = graph.mutable(1)
        var sum: Node<Int>?
        sum = Node.combineEach(a, a) { x, y in
            if x == 2 { sum = nil }
            return x + y
        }
        a.set(2)
        #expect(sum == nil)
        expectSound(graph, a)
    }

    @Test("A universal join is told of empties and may stay silent")
    func join() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(2)
        let present: Node<Int> = Graph.join([a, b], named: "Count") { emissions, _ in
            let count = emissions.count { !$0.isEmpty }
            return count == 0 ? nil : .value(count)
        }
        let heard = Recorder(present)
        graph.batch { batch in
            batch.set(a, 1)
            batch.set(b, 1)
        }
        a.clear()
        b.clear()
        #expect(heard.history == [1, 2, 1])
        #expect(present.upstreamTransforms.map(\.name) == ["Count", "Count"])
    }
}
