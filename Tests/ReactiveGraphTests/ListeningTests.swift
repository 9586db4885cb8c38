import ReactiveGraph
import TestSupport
import Testing

private final class Foreign {
    var heard: [Int] = []
}

@Suite("Listening and owners")
struct ListeningTests {
    let graph = Graph()

    @Test(
        "One replay, synchronous, no context; none for an empty node or where not wanted (G-21, G-22, G-149)"
    )
    func replay() {
        let bag = CancellableBag()
        let node = graph.mutable(1)
        var heard: [String] = []
        node.listenEmissions(in: bag) { emission, delivery in
            guard let value = emission.value else { return }
            heard.append("\(value) \(delivery.context != nil)")
        }
        node.listen(in: bag, replay: false) { heard.append("late \($0)") }
        graph.mutable(of: Int.self).listen(in: bag) { heard.append("never \($0)") }
        node.set(2, context: Context(0))
        #expect(heard == ["1 false", "2 true", "late 2"])
    }

    @Test("One listener may listen several times; each fires, in order (G-58)")
    func severalTimes() {
        let node = graph.mutable(of: Int.self)
        let recorder = Recorder<Int>()
        let first = node.listen(owner: recorder) { $0.note($1) }
        node.listen(owner: recorder) { $0.note(-$1) }
        node.set(1)
        first.cancel()
        first.cancel()
        node.set(2)
        #expect(recorder.history == [1, -1, -2])
    }

    @Test("A bag that dies ends its listens at once and frees what only they needed (G-67)")
    func bagDies() {
        var bag: CancellableBag? = CancellableBag()
        weak var chain: Node<Int>?
        let source = graph.mutable(1)
        do {
            let made = source.map { $0 }.map { $0 }
            made.listen(in: bag!) { _ in }
            chain = made
        }
        #expect(chain != nil)
        bag = nil
        #expect(chain == nil)
        #expect(graph.counts == graph.counts)
        #expect(graph.counts.liveNodes == 1)
        #expect(graph.counts.liveListeners == 0)
    }

    @Test(
        "A foreign owner's death is noticed at the next delivery, and nothing is called (G-67)",
        arguments: [true, false]
    )
    func foreignDelivery(byValue: Bool) {
        let source = graph.mutable(1)
        var owner: Foreign? = Foreign()
        var calls = 0
        source.transform(named: "Same") { emission, _ in emission }.listen(owner: owner!) { _, _ in calls += 1
        }
        owner = nil
        #expect(graph.counts.liveNodes == 2)
        if byValue { source.set(2) } else { source.clear() }
        #expect(calls == 1)
        #expect(graph.counts.liveNodes == 1)
        #expect(graph.counts.liveListeners == 0)
    }

    @Test("… at a look at hasListener, and at collect (G-67)", arguments: [true, false])
    func foreignCollect(byLooking: Bool) {
        let source = graph.mutable(1)
        var owner: Foreign? = Foreign()
        source.listen(owner: owner!) { $0.heard.append($1) }
        #expect(source.hasListener)
        owner = nil
        if byLooking { #expect(!source.hasListener) } else { graph.collect() }
        #expect(graph.counts.liveListeners == 0)
        expectSound(graph, source)
    }

    @Test("stopListening ends all listens of one owner on one node (G-59)")
    func stopListening() {
        let node = graph.mutable(of: Int.self)
        let other = graph.mutable(of: Int.self)
        let recorder = Recorder<Int>()
        let foreign = Foreign()
        for source in [node, other] {
            source.listen(owner: recorder) { $0.note($1) }
            source.listen(owner: recorder) { $0.note($1) }
            source.listen(owner: foreign) { $0.heard.append($1) }
        }
        node.stopListening(owner: recorder)
        node.stopListening(owner: foreign)
        node.stopListening(owner: Foreign())
        node.set(1)
        other.set(2)
        #expect(recorder.history == [2, 2])
        #expect(foreign.heard == [2])
        #expect(!node.hasListener)
        other.stopListening(owner: foreign)
    }

    @Test("A listener that dies during a pass is not called for it (G-66)")
    func diesInPass() {
        let node = graph.mutable(of: Int.self)
        var second: Recorder<Int>? = Recorder()
        let bag = CancellableBag()
        node.listen(in: bag) { _ in second = nil }
        let kept = Foreign()
        node.listen(owner: second!) { _, value in kept.heard.append(value) }
        let third = Recorder(node)
        node.set(1)
        #expect(kept.heard == [])
        #expect(third.history == [1])
        #expect(second == nil)
    }

    @Test("A listener that ends its own listen, and releases itself, is not called any more (G-47)")
    func endsItself() {
        let node = graph.mutable(of: Int.self)
        var owner: Recorder<Int>? = Recorder()
        weak let gone = owner
        let heard = Foreign()
        node.listen(owner: owner!) { recorder, value in
            heard.heard.append(value)
            owner = nil
            recorder.listenBag.cancel()
        }
        node.set(1)
        node.set(2)
        #expect(heard.heard == [1])
        #expect(gone == nil)
    }

    @Test("A listener attached during a pass receives the value once, by replay (G-46)")
    func attachedInPass() {
        let node = graph.mutable(of: Int.self)
        let bag = CancellableBag()
        var late: [Int] = []
        var derived: Node<Int>?
        var calls = 0
        node.listen(in: bag) { [unowned bag, unowned node] value in
            guard value == 1 else { return }
            node.listen(in: bag) { late.append($0) }
            derived = node.map { value in
                calls += 1
                return value
            }
        }
        node.set(1)
        #expect(late == [1])
        #expect(calls == 1)
        node.set(2)
        #expect(late == [1, 2])
        #expect(derived?.value == 2)
    }

    @Test("A listener attached during a pass receives what was queued after it (G-37, G-46)")
    func attachedBeforeQueued() {
        let node = graph.mutable(0)
        let bag = CancellableBag()
        var heard: [Int] = []
        node.listen(in: bag, replay: false) { value in
            guard value == 1 else { return }
            node.listen(in: bag) { heard.append($0) }
            node.set(2)
        }
        node.set(1)
        #expect(heard == [1, 2])
    }

    @Test("Emission listeners receive empties, value listeners do not (G-11)")
    func empties() {
        let node = graph.mutable(of: Int.self)
        let values = Recorder(node)
        let all = EmissionRecorder(node)
        node.set(1)
        node.clear(context: Context("why"))
        node.set(2)
        #expect(values.history == [1, 2])
        #expect(all.history == [.empty, .value(1), .empty, .value(2)])
    }
}

@Suite("Cancellables and bags")
struct CancellableTests {
    @Test("A closure runs at most once, and is dropped (G-65)")
    func closure() {
        let token = Foreign()
        weak let watched = token
        var calls = 0
        do {
            let cancellable = CancelToken { calls += 1 }
            cancellable.cancel()
            cancellable.cancel()
            #expect(!cancellable.isActive)
        }
        #expect(calls == 1)
        #expect(watched === token)
    }

    @Test("A bag cancels each once, in order of insertion, and can be used again (G-64)")
    func bag() {
        let bag = CancellableBag()
        var order: [Int] = []
        let items = (0..<4).map { number in CancelToken { order.append(number) } }
        for item in items { item.store(in: bag) }
        bag.remove(items[1])
        bag.cancel()
        #expect(order == [0, 2, 3])
        #expect(bag.isEmpty)
        CancelToken { order.append(9) }.store(in: bag)
        #expect(order == [0, 2, 3])
        bag.cancel()
        #expect(order == [0, 2, 3, 9])
    }

    @Test("Adding and removing from inside a cancellation is safe (G-64)")
    func reentrant() {
        let bag = CancellableBag()
        var order: [String] = []
        let last = CancelToken { order.append("last") }
        CancelToken {
            order.append("first")
            bag.remove(last)
            bag.add(CancelToken { order.append("added") })
        }.store(in: bag)
        bag.add(last)
        bag.cancel()
        #expect(order == ["first"])
        bag.cancel()
        #expect(order == ["first", "added"])
    }

    @Test("A dying bag cancels what it holds (G-64)")
    func dies() {
        var calls = 0
        do {
            let bag = CancellableBag()
            bag.add(CancelToken { calls += 1 })
        }
        #expect(calls == 1)
    }
}
