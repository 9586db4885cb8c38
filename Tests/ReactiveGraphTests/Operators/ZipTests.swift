import ReactiveGraph
import TestSupport
import Testing

@Suite("Zip")
struct ZipTests {
    let graph = Graph()

    @Test("G-86: pairs the first values, then the second ones", arguments: [true, false])
    func emits(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: String.self)
        let heard = Recorder(Node.zipEach(a, b) { "\($0)\($1)" })
        a.set(1)
        a.set(2)
        b.set("a")
        b.set("b")
        b.set("c")
        a.set(3)
        #expect(heard.history == ["1a", "2b", "3c"])
        expectSound(graph, a, b)
    }

    @Test("G-86: at creation each source contributes its value; one tuple if all do")
    func creation() {
        let a = graph.mutable(1)
        let b = graph.mutable(of: Int.self)
        #expect(Node.zip(a, graph.mutable("x")).value.map { "\($0)" } == "(1, \"x\")")
        let zip = Node.zip(a, b)
        #expect(zip.isEmpty)
        a.set(2)
        b.set(10)
        #expect(zip.value?.0 == 1)
        b.set(20)
        #expect(zip.value?.0 == 2)
    }

    @Test("G-86: at most one tuple per incoming value")
    func onePerValue() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        let heard = Recorder(Node.zipEach(a, b) { $0 * 100 + $1 })
        for value in 1...3 { a.set(value) }
        #expect(heard.history.isEmpty)
        b.set(1)
        #expect(heard.history == [101])
    }

    @Test("G-86: clearing a source takes nothing out of its queue")
    func clear() {
        let a = graph.mutable(1)
        let b = graph.mutable(of: Int.self)
        let zip = Node.zipEach(a, b, +)
        a.clear()
        b.set(10)
        #expect(zip.value == 11)
    }

    @Test("G-145: where emptiness travels the node is empty until the next tuple; queues stay")
    func emptyTravels() {
        let graph = Graph(propagatesEmpty: true)
        let a = graph.mutable(1)
        let b = graph.mutable(1)
        let heard = EmissionRecorder(Node.zipEach(a, b, +))
        a.set(2)
        a.clear()
        b.set(5)
        #expect(heard.history == [.value(2), .empty, .value(7)])
    }

    @Test("G-86, G-82: removing an input ends the zip, drops what waits, and inspection says so")
    func ends() throws {
        let a = graph.mutable(of: Tracked.self)
        let b = graph.mutable(of: Int.self)
        let control = BufferControl()
        let zip = Node.zipEach(a, b, control: control) { $0.number + $1 }
        weak var waiting: Tracked?
        do {
            let value = Tracked(1)
            waiting = value
            a.set(value)
        }
        a.clear()
        #expect(waiting != nil && control.count == 1)
        let edge = try #require(zip.upstreamTransforms.first)
        #expect(!edge.isEnded)
        zip.removeUpstreamNode(b)
        #expect(edge.isEnded)
        #expect(waiting == nil)
        #expect(control.count == 0 && control.droppedCount == 1)
        a.set(Tracked(2))
        b.set(3)
        #expect(zip.isEmpty && control.count == 0)
        zip.link(to: graph.mutable(9))
        #expect(zip.value == 9)
        a.set(Tracked(3))
        #expect(zip.value == 9)
        expectSound(graph, a, b, zip)
    }

    @Test("G-86: another source for an input finds what is queued, and its value waits after that")
    func anotherSource() throws {
        let a = graph.mutable(1)
        let b = graph.mutable(of: Int.self)
        let heard = Recorder(Node.zipEach(a, b) { $0 * 100 + $1 })
        let zip = try #require(a.downstreamNodes.first)
        let edge = try #require(zip.upstreamTransforms.first as? TransformEdge<Int, Int>)
        edge.from = nil
        a.set(7)
        edge.from = graph.mutable(2)
        b.set(1)
        b.set(2)
        b.set(3)
        #expect(heard.history == [101, 202])
    }

    @Test(
        "G-45: the tuple has the path and context of the value that completed it",
        arguments: [true, false]
    )
    func pathAndContext(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        let zip = Node.zipEach(a, b, +)
        let bag = CancellableBag()
        var heard: [String] = []
        zip.listenEmissions(in: bag, paths: true) { emission, delivery in
            guard let value = emission.value else { return }
            #expect(delivery.path.ids == [value == 3 ? b.id : a.id, zip.id])
            heard.append(delivery.context?.value() ?? "none")
        }
        a.set(1, context: Context("first"))
        b.set(2, context: Context("second"))
        b.set(3)
        a.set(4, context: Context("third"))
        #expect(heard == ["second", "third"])
    }

    @Test("G-51: a zip of two branches emits once in both modes", arguments: [true, false])
    func diamond(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let source = graph.mutable(3)
        let zip = Node.zipEach(source.map { $0 * 10 }, source.map { $0 + 1 }, +)
        let heard = Recorder(zip)
        source.set(4)
        #expect(heard.history == [34, 45])
    }

    @Test("G-50: a zip does not wait for the end of the turn", arguments: [true, false])
    func notSettled(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let source = graph.mutable(of: Int.self)
        var order: [String] = []
        let bag = CancellableBag()
        let twice = Node.zipEach(source, source) { $0 + $1 }
        twice.listen(in: bag) { order.append("zip \($0)") }
        source.map { $0 }.listen(in: bag) { order.append("later \($0)") }
        source.set(1)
        #expect(order == ["zip 2", "later 1"])
    }

    @Test("nil is a value like any other")
    func nilInput() {
        let a = graph.mutable(Int?.none)
        let text = Node.zipEach(a, graph.mutable(1)) { "\(String(describing: $0)) \($1)" }
        #expect(text.value == "nil 1")
    }

    @Test("G-85: three to six nodes, lists of one type, and the receiver form")
    func forms() {
        let (a, b) = (graph.mutable(1), graph.mutable("b"))
        let (c, d) = (graph.mutable(3.5), graph.mutable(true))
        let (e, f) = (graph.mutable(UInt8(5)), graph.mutable([6]))
        #expect(Node.zip(a, b, c).value?.2 == 3.5)
        #expect(Node.zip(a, b, c, d).value?.3 == true)
        let (five, six) = (Node.zip(a, b, c, d, e), Node.zip(a, b, c, d, e, f))
        #expect(five.value?.4 == 5 && six.value?.5 == [6])
        #expect(Node.zipEach(a, a, a) { $0 + $1 + $2 }.value == 3)
        #expect(Node.zipEach(a, a, a, a) { $0 + $1 + $2 + $3 }.value == 4)
        #expect(Node.zipEach(a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 }.value == 5)
        #expect(Node.zipEach(a, a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 + $5 }.value == 6)
        #expect(a.zip(with: b).value?.1 == "b")
        #expect(a.zip(with: b) { "\($0)\($1)" }.value == "1b")
        let list = Node.zip([a, graph.mutable(2)])
        let kept = list.value
        a.set(7)
        #expect(kept == [1, 2] && list.value == [1, 2])
        #expect(Node.zipEach([a, a]) { $0.reduce(0, +) }.value == 14)
    }

    @Test("A kept array of a list zip stays as it was")
    func arrays() {
        let (a, b) = (graph.mutable(1), graph.mutable(2))
        let heard = Recorder(Node.zip([a, b]))
        for value in 1...3 {
            a.set(value)
            b.set(value * 10)
        }
        #expect(heard.history == [[1, 2], [1, 10], [2, 20], [3, 30]])
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { Node.zipEach($0, $0.map { $0 }, +) }
        expectReleased { Node.zip([$0, $0]) }
        expectReleased { Node.zip($0, $0.graph.mutable(of: Int.self)) }
    }

    @Test("A function that releases its own node, or ends its zip, does no harm", arguments: [true, false])
    func misbehaves(letsGo: Bool) {
        let a = graph.mutable(1)
        var sum: Node<Int>?
        sum = Node.zipEach(a, a) { x, y in
            if x == 2 {
                if letsGo { sum = nil } else { sum?.removeUpstreamNodes() }
            }
            return x + y
        }
        var heard = sum.map { Recorder($0) }
        a.set(2)
        a.set(3)
        #expect(heard?.history == (letsGo ? [2, 4, 6] : [2]))
        sum = nil
        heard = nil
        expectSound(graph, a)
    }

    @Test("A function that sets an input feeds the queues in order")
    func sets() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        let heard = Recorder(
            Node.zipEach(a, b) { x, y in
                if x == 1 { a.set(2) }
                return x * 10 + y
            }
        )
        b.set(1)
        b.set(2)
        a.set(1)
        #expect(heard.history == [11, 22])
    }

    final class Tracked {
        let number: Int

        init(_ number: Int) {
            self.number = number
        }
    }
}
