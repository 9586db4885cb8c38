import ReactiveGraph
import TestSupport
import Testing

@Suite("Listening on an executor")
struct ListeningOnTests {
    let loop = ManualExecutor()
    let thread = ManualThread()
    let graph = Graph()

    private final class Plain: Sendable {}

    // MARK: - Later, on the graph's thread

    @Test("G-63: each value is posted, the replay too; a set returns before the closure runs")
    func posts() {
        let node = graph.mutable(1)
        let bag = CancellableBag()
        var heard: [Int] = []
        node.listen(in: bag, on: loop) { heard.append($0) }
        node.set(2)
        node.set(3)
        #expect(heard == [])
        loop.run()
        #expect(heard == [1, 2, 3])
        #expect(graph.counts.liveListeners == 1)
    }

    @Test("G-67, G-103: the death of an owner without a bag is noticed by looking, here too")
    func deadOwnerIsNoListener() {
        final class Owner {}
        let node = graph.mutable(1)
        do {
            let owner = Owner()
            node.listen(owner: owner, on: loop) { _, _ in }
            #expect(node.listenerCount == 1)
        }
        #expect(!node.hasListener)
    }

    @Test("G-149: without replay only later values")
    func noReplay() {
        let node = graph.mutable(1)
        let bag = CancellableBag()
        var heard: [Int] = []
        node.listen(in: bag, on: loop, replay: false) { heard.append($0) }
        node.set(2)
        node.clear()
        loop.run()
        #expect(heard == [2])
    }

    @Test("G-95: forms with context, and with path and context, for a bag and for an owner")
    func forms() {
        let node = graph.mutable(of: Int.self)
        let bag = CancellableBag()
        let owner = Recorder<String>()
        let plain = Plain()
        func text(_ emission: Emission<Int>, _ delivery: Delivery) -> String {
            "\(emission) \(delivery.context?.value() ?? "-")"
        }
        node.listenEmissions(in: bag, on: loop, replay: false) { owner.note("bag " + text($0, $1)) }
        node.listenEmissions(in: bag, on: loop, replay: false, paths: true) {
            owner.note("bag \($1.path.ids) " + text($0, $1))
        }
        node.listen(owner: owner, on: loop) { $0.note("owner \($1)") }
        node.listenEmissions(owner: owner, on: loop, replay: false) { $0.note("owner " + text($1, $2)) }
        node.listenEmissions(owner: owner, on: loop, replay: false, paths: true) {
            $0.note("owner \($2.path.ids) " + text($1, $2))
        }
        node.listen(owner: plain, on: loop) { _, value in owner.note("plain \(value)") }
        node.set(1, context: Context("c"))
        loop.run()
        #expect(
            owner.history == [
                "bag 1 c", "bag [\(node.id)] 1 c", "owner 1", "owner 1 c", "owner [\(node.id)] 1 c",
                "plain 1",
            ]
        )
        node.clear()
        loop.run()
        #expect(owner.history.suffix(4).filter { $0.contains("empty") }.count == 4)
    }

    @Test("G-63, G-146: nothing is called after cancel, also what was posted before")
    func cancelled() {
        let node = graph.mutable(1)
        let bag = CancellableBag()
        var heard: [Int] = []
        let listen = node.listen(in: bag, on: loop) { heard.append($0) }
        node.set(2)
        listen.cancel()
        loop.run()
        #expect(heard == [])
        node.listen(in: bag, on: loop) { value in
            heard.append(value)
            bag.cancel()
        }
        node.set(3)
        loop.run()
        #expect(heard == [2])
    }

    @Test("G-63, G-146: nothing is called after the listener's death")
    func dead() {
        let node = graph.mutable(1)
        let log = Recorder<String>()
        var owner: Recorder<Int>? = Recorder()
        var plain: Plain? = Plain()
        node.listen(owner: owner!, on: loop) { _, value in log.note("owner \(value)") }
        node.listen(owner: plain!, on: loop) { _, value in log.note("plain \(value)") }
        loop.run()
        node.set(2)
        owner = nil
        plain = nil
        loop.run()
        node.set(3)
        loop.run()
        #expect(log.history == ["owner 1", "plain 1"])
        #expect(!node.hasListener)
    }

    @Test("G-66a: what a closure holds goes with the listen, although a post still waits")
    func captured() {
        let node = graph.mutable(1)
        let bag = CancellableBag()
        var held: Plain? = Plain()
        weak let gone = held
        node.listen(in: bag, on: loop) { [held] _ in withExtendedLifetime(held) {} }
        held = nil
        #expect(gone != nil)
        bag.cancel()
        #expect(gone == nil)
    }

    @Test("A value on its way keeps neither node nor owner alive")
    func lifetimes() {
        weak var gone: AnyNode?
        let bag = CancellableBag()
        do {
            let node = graph.mutable(1)
            gone = node
            node.listen(in: bag, on: loop) { _ in }
        }
        #expect(gone != nil)
        bag.cancel()
        #expect(gone == nil)
        #expect(loop.hasWork)
        loop.run()
    }

    @Test("A closure that sets the node starts another turn, and receives it later")
    func misbehaves() {
        let node = graph.mutable(1)
        let bag = CancellableBag()
        var heard: [Int] = []
        node.listen(in: bag, on: loop) { value in
            heard.append(value)
            if value < 3 { node.set(value + 1) }
            #expect(node.value == min(value + 1, 3))
        }
        loop.run()
        #expect(heard == [1, 2, 3])
    }

    // MARK: - Elsewhere

    @Test("G-63, G-113: on another thread, in order, with context and path")
    func elsewhere() {
        let node = graph.mutable(0)
        let notes = SharedNotes<String>()
        let queue = ThreadQueue()
        let bag = CancellableBag()
        let plain = Plain()
        node.listen(in: bag, on: queue) { notes.add("\($0)") }
        node.listenEmissions(in: bag, on: queue, replay: false) {
            notes.add("\($0) \($1.context?.value() ?? "-")")
        }
        node.listenEmissions(in: bag, on: queue, replay: false, paths: true) {
            notes.add("\($0) \($1.path.ids)")
        }
        node.listen(owner: plain, on: queue, replay: false) { _, value in notes.add("owner \(value)") }
        node.listenEmissions(owner: plain, on: queue, replay: false) { _, emission, delivery in
            notes.add("owner \(emission) \(delivery.context?.value() ?? "-")")
        }
        node.listenEmissions(owner: plain, on: queue, replay: false, paths: true) {
            notes.add("owner \($1) \($2.path.ids)")
        }
        node.set(1, context: Context("c"))
        queue.finish()
        #expect(
            notes.all == [
                "0", "1", "1 c", "1 [\(node.id)]", "owner 1", "owner 1 c", "owner 1 [\(node.id)]",
            ]
        )
    }

    @Test("G-63, G-146: nothing runs elsewhere after cancel or after the owner's death")
    func ended() {
        let node = graph.mutable(1)
        let notes = SharedNotes<String>()
        let bag = CancellableBag()
        var owner: Plain? = Plain()
        let listen = node.listen(in: bag, on: thread) { notes.add("bag \($0)") }
        node.listen(owner: owner!, on: thread) { notes.add("owner \($1)") }
        thread.run()
        node.set(2)
        #expect(thread.pendingCount == 2)
        listen.cancel()
        owner = nil
        thread.run()
        node.set(3)
        #expect(thread.pendingCount == 0)
        #expect(notes.all == ["bag 1", "owner 1"])
        #expect(!node.hasListener)
    }
}
