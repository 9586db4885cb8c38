import ReactiveGraph
import TestSupport
import Testing

@Suite("Buffers of a zip (G-142)")
struct ZipBufferTests {
    let graph = Graph()

    /// Sets `a` to 1 … 5, then `b` five times, through a zip with this buffer.
    func play(_ buffer: BufferPolicy, _ control: BufferControl) -> [Int] {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        let heard = Recorder(Node.zipEach(a, b, buffer: buffer, control: control) { $0 * 10 + $1 })
        for value in 1...5 { a.set(value) }
        for value in 1...5 { b.set(value) }
        expectSound(graph, a, b)
        return heard.history
    }

    @Test("G-142: unbounded by default, with counters")
    func unbounded() {
        let control = BufferControl()
        #expect(play(.unbounded, control) == [11, 22, 33, 44, 55])
        #expect(control.count == 0 && control.peak == 5 && control.droppedCount == 0)
    }

    @Test("G-142: dropOldest makes room for the newest")
    func dropOldest() {
        let control = BufferControl()
        #expect(play(.dropOldest(2), control) == [41, 52])
        #expect(control.peak == 2)
        #expect(control.droppedCount == 3 + 1 + 2)
    }

    @Test("G-142: dropNewest keeps the oldest")
    func dropNewest() {
        let control = BufferControl()
        #expect(play(.dropNewest(2), control) == [11, 22])
        #expect(control.peak == 2)
        #expect(control.droppedCount == 3 + 1 + 2)
    }

    @Test("G-142: fail calls onError for each value it refuses, and continues")
    func fails() {
        var errors: [String] = []
        graph.onError = { errors.append($0.description) }
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        let control = BufferControl()
        let zip = Node.zipEach(a, b, buffer: .fail(1), control: control, +).named("pairs")
        a.set(1)
        a.set(2)
        a.set(3)
        #expect(errors.count == 2)
        #expect(errors[0].contains("pairs") && errors[0].contains("1"))
        b.set(10)
        #expect(zip.value == 11)
        a.set(4)
        b.set(20)
        #expect(zip.value == 24)
        #expect(control.count == 0 && control.peak == 1 && control.droppedCount == 2)
    }

    @Test("G-142: an error handler that ends the zip does no harm")
    func handlerEnds() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        var zip: Node<Int>? = Node.zipEach(a, b, buffer: .fail(1), +)
        graph.onError = { _ in zip = nil }
        a.set(1)
        a.set(2)
        #expect(zip == nil)
        expectSound(graph, a, b)
    }

    @Test("G-142: what waits is counted as dropped when the node dies")
    func death() {
        let control = BufferControl()
        let a = graph.mutable(1)
        do {
            let zip = Node.zip(a, graph.mutable(of: Int.self), control: control)
            a.set(2)
            #expect(zip.isEmpty && control.count == 2)
        }
        #expect(control.count == 0 && control.droppedCount == 2 && control.peak == 2)
    }

    @Test("G-142: a long queue, more than once, in a ring that is used again")
    func long() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        let zip = Node.zipEach(a, b) { $0 - $1 }
        for round in 1...3 {
            for value in 0..<3_000 { a.set(value * round) }
            for value in 0..<3_000 {
                b.set(value * round)
                #expect(zip.value == 0)
            }
        }
        for value in 0..<100 {
            a.set(value)
            a.set(value)
            b.set(value)
            b.set(value)
        }
        #expect(zip.value == 0)
    }
}
