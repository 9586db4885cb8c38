import ReactiveGraph
import TestSupport
import Testing

@Suite("Functions over tuples")
struct MapEachTests {
    let graph = Graph()

    @Test("G-87: the parts of a tuple are handed over one by one")
    func emits() {
        let (a, b) = (graph.mutable(1), graph.mutable("x"))
        let text = Node.combine(a, b).mapEach { number, text in "\(number)\(text)" }
        let heard = Recorder(text)
        a.set(2)
        b.set("y")
        #expect(heard.history == ["1x", "2x", "2y"])
    }

    @Test("G-87: combine, or zip, and then mapEach is combineEach, or zipEach", arguments: [true, false])
    func each(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let (a, b, c) = (graph.mutable(1), graph.mutable(2), graph.mutable(3))
        let combined = Recorder(Node.combine(a, b, c).mapEach { $0 * 100 + $1 * 10 + $2 })
        let direct = Recorder(Node.combineEach(a, b, c) { $0 * 100 + $1 * 10 + $2 })
        let zipped = Recorder(Node.zip(a, b, c).mapEach { $0 * 100 + $1 * 10 + $2 })
        let zipDirect = Recorder(Node.zipEach(a, b, c) { $0 * 100 + $1 * 10 + $2 })
        a.set(4)
        b.set(5)
        c.set(6)
        #expect(combined.history == [123, 423, 453, 456] && direct.history == combined.history)
        #expect(zipped.history == [123, 456] && zipDirect.history == zipped.history)
    }

    @Test("G-87: any node of tuples, of any size")
    func anyTuple() {
        let pairs = graph.mutable((1, 2, 3, 4, 5, 6, 7, 8))
        let list = pairs.mapEach { a, b, c, d, e, f, g, h in [a, b, c, d, e, f, g, h] }
        pairs.set((8, 7, 6, 5, 4, 3, 2, 1))
        #expect(list.value == [8, 7, 6, 5, 4, 3, 2, 1])
    }

    @Test("Ignores empty, and is released with its last holder")
    func emptyAndRelease() {
        let pairs = graph.mutable((1, 2))
        let sum = pairs.mapEach(+)
        pairs.clear()
        #expect(sum.value == 3)
        expectReleased { Node.combine($0, $0).mapEach(+) }
    }
}
