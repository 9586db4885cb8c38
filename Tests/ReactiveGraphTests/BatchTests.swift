import ReactiveGraph
import TestSupport
import Testing

@Suite("Batches")
struct BatchTests {
    let graph = Graph()

    @Test("A combine emits once, after the last set (G-34a)")
    func once() {
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let heard = Recorder(Node.combineEach(a, b, +))
        graph.batch { batch in
            batch.set(a, 10)
            batch.set(b, 20)
        }
        #expect(heard.history == [3, 30])
        expectSound(graph, a, b)
    }

    @Test("Immediate: a batch equals consecutive sets (G-34a)")
    func immediate() {
        let graph = Graph(propagation: .immediate)
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let heard = Recorder(Node.combineEach(a, b, +), replay: false)
        graph.batch { batch in
            batch.set(a, 10)
            batch.set(b, 20)
        }
        #expect(heard.history == [12, 30])
    }

    @Test("Sets come first, then clears, each in order; a node named twice is set twice (G-34a, G-51a)")
    func order() {
        let a = graph.mutable(0)
        let b = graph.mutable(0)
        let bag = CancellableBag()
        var order: [String] = []
        for (name, node) in [("a", a), ("b", b)] {
            node.listenEmissions(in: bag, replay: false) { emission, delivery in
                order.append("\(name) \(emission) \(delivery.context?.value(as: String.self) ?? "-")")
            }
        }
        graph.batch(context: Context("c")) { batch in
            batch.clear(a)
            batch.set(b, 1)
            batch.set(a, 2)
            batch.set(b, 3)
        }
        #expect(order == ["b 1 c", "a 2 c", "b 3 c", "a empty c"])
    }

    @Test("Propagation leaves alone what the batch sets; the function is not called (G-34a, G-51a)")
    func ownValueWins() {
        let a = graph.mutable(1)
        let b = graph.mutable(0)
        var calls = 0
        let link = b.link(
            to: a,
            via: TransformEdge { value in
                calls += 1
                return value * 100
            }
        )
        calls = 0
        let heard = Recorder(b, replay: false)
        graph.batch { batch in
            batch.set(b, 5)
            batch.set(a, 2)
        }
        #expect(heard.history == [5])
        #expect(calls == 0)
        a.set(3)
        #expect(b.value == 300)
        link?.cancel()
    }

    @Test("Sets by listeners are obeyed (G-51a)")
    func listeners() {
        let a = graph.mutable(1)
        let b = graph.mutable(0)
        let bag = CancellableBag()
        a.listen(in: bag, replay: false) { b.set($0 * 10) }
        let heard = Recorder(b, replay: false)
        graph.batch { batch in
            batch.set(a, 2)
            batch.set(b, 7)
        }
        #expect(heard.history == [20, 7])
    }

    @Test("A batch inside a pass of one of its nodes queues that entry (G-51a)")
    func inPass() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        let bag = CancellableBag()
        var order: [String] = []
        a.listen(in: bag) { value in
            order.append("a\(value)")
            guard value == 1 else { return }
            graph.batch { batch in
                batch.set(a, 2)
                batch.set(b, 3)
            }
            order.append("done \(a.value ?? -1)")
        }
        b.listen(in: bag) { order.append("b\($0)") }
        a.set(1)
        #expect(order == ["a1", "b3", "done 1", "a2"])
        expectSound(graph, a, b)
    }

    @Test("A batch inside a batch sets its own value, not what the outer one has staged (G-34a)")
    func nested() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        let bag = CancellableBag()
        a.listen(in: bag) { _ in
            graph.batch { $0.set(b, 3) }
        }
        let heard = Recorder(b)
        graph.batch { batch in
            batch.set(a, 1)
            batch.set(b, 2)
        }
        #expect(heard.history == [3, 2])
        expectSound(graph, a, b)
    }

    @Test("Nothing happens before the closure returns, and an empty batch does nothing")
    func nothing() {
        let a = graph.mutable(1)
        graph.batch { batch in
            batch.set(a, 2)
            #expect(a.value == 1)
        }
        #expect(a.value == 2)
        graph.batch { _ in }
    }

    @Test("A derived node can be set through its writable view")
    func writable() {
        let a = graph.mutable(1)
        let derived = a.map { $0 }
        graph.batch { batch in
            batch.set(a, 2)
            batch.set(derived.writable(), 50)
        }
        #expect(derived.value == 50)
    }

    @Test("G-34a: a batch inside the pass of a node that both set many times keeps each to its own")
    func nestedSameNode() {
        let a = graph.mutable(0)
        let trigger = graph.mutable(0)
        let bag = CancellableBag()
        var heard: [Int] = []
        a.listen(in: bag, replay: false) { heard.append($0) }
        trigger.listen(in: bag, replay: false) { _ in
            graph.batch { batch in
                for value in 10..<13 { batch.set(a, value) }
            }
        }
        graph.batch { batch in
            batch.set(a, 1)
            batch.set(trigger, 1)
            graph.batch { inner in
                for value in 20..<23 { inner.set(a, value) }
            }
            for value in 2..<5 { batch.set(a, value) }
        }
        #expect(heard == [20, 21, 22, 1, 10, 11, 12, 2, 3, 4])
        expectSound(graph, a, trigger)
    }

    @Test("G-34a: a node named 200,000 times in a batch is set as often, in time that goes with the number")
    func oneNodeOften() {
        let a = graph.mutable(0)
        var sum = 0
        let bag = CancellableBag()
        a.listen(in: bag, replay: false) { sum += $0 }
        graph.batch { batch in
            for value in 1...200_000 { batch.set(a, value) }
        }
        #expect(sum == 200_000 * 200_001 / 2)
        #expect(a.value == 200_000)
    }
}
