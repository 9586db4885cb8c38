import Observation
import ReactiveGraph
import ReactiveGraphBinding
import TestSupport
import Testing

private final class Notes<Value>: @unchecked Sendable {
    // Unchecked: all of a test happens on one thread.
    private(set) var all: [Value] = []

    func add(_ value: Value) { all.append(value) }
}

/// An observer that looks again after each change, as a view does that is drawn again.
private final class View<Shown>: @unchecked Sendable {
    // Unchecked: a change is reported on the thread of the graph, which is that of the test.
    private let look: () -> Shown
    private(set) var changes = 0
    private(set) var seen: [Shown] = []

    init(_ look: @escaping () -> Shown) {
        self.look = look
        draw()
    }

    func draw() {
        let shown = withObservationTracking(look) { [weak self] in self?.changes += 1 }
        seen.append(shown)
    }
}

@MainActor @Observable
private final class Model {
    let graph = Graph()
    let celsius: ObservedMutableNode<Double>
    let fahrenheit: ObservedNode<Double>

    init() {
        let node = graph.mutable(20.0)
        celsius = ObservedMutableNode(node)
        fahrenheit = ObservedNode(node.map { $0 * 9 / 5 + 32 })
    }
}

@Suite("Nodes as observable objects")
struct ObservedNodeTests {
    let graph = Graph()

    @Test("A change is reported once, before it is seen, until the observer looks again")
    func tracking() {
        let count = graph.mutable(1)
        let observed = ObservedNode(count.map { $0 * 10 })
        let during = Notes<Int?>()
        nonisolated(unsafe) let reader = observed
        withObservationTracking {
            _ = observed.value
        } onChange: {
            during.add(reader.value)
        }
        count.set(2)
        #expect(observed.value == 20)
        count.set(3)
        #expect(during.all == [10])
    }

    @Test("A view that draws again after each change sees every value, and emptiness")
    func views() {
        let name = graph.mutable("Ada")
        let observed = ObservedNode<String>(name)
        let view = View { observed.value }
        for word in ["Grace", "Grace", "Edsger"] {
            name.set(word)
            view.draw()
        }
        name.clear()
        view.draw()
        #expect(view.seen == ["Ada", "Grace", "Grace", "Edsger", nil])
        #expect(view.changes == 4)
        #expect(observed.emission.isEmpty)
    }

    @Test("G-81: a batch changes what a combine shows once, and no half of it is seen")
    func batch() {
        let (width, height) = (graph.mutable(2), graph.mutable(3))
        let observed = ObservedNode(Node.combineEach(width, height) { $0 * $1 })
        let changes = Notes<Int>()
        nonisolated(unsafe) let reader = observed
        @Sendable func follow() {
            let value = withObservationTracking {
                reader.value
            } onChange: {
                changes.add(-1)
            }
            changes.add(value ?? 0)
        }
        follow()
        graph.batch { batch in
            batch.set(width, 4)
            batch.set(height, 5)
        }
        follow()
        #expect(changes.all == [6, -1, 20])
    }

    @Test("A nil that is stored is a value; an empty node has none")
    func optionals() {
        let node = graph.mutable(of: Int?.self)
        let observed = ObservedNode<Int?>(node)
        #expect(observed.value == .none)
        node.set(nil)
        #expect(observed.value == .some(nil))
    }

    @Test("The property of a node that can be set sets it, and nil empties it; nothing comes back")
    func setting() {
        let node = graph.mutable(1)
        let heard = Recorder(node)
        let observed = ObservedMutableNode(node)
        let view = View { observed.value }
        observed.value = 2
        #expect(node.value == 2 && view.changes == 1)
        view.draw()
        observed.value = nil
        #expect(node.isEmpty && view.changes == 2)
        node.set(3)
        #expect(observed.value == 3)
        #expect(heard.history == [1, 2, 3])
    }

    @Test("G-52: the object owns its listen: the node and what only it needed end with the object")
    func released() {
        let source = graph.mutable(1)
        let before = graph.counts
        weak var node: Node<Int>?
        weak var released: ObservedNode<Int>?
        do {
            let observed = ObservedNode(source.map { $0 + 1 }.filter { $0 > 0 })
            (node, released) = (observed.node, observed)
            let view = View { observed.value }
            source.set(2)
            view.draw()
            #expect(view.seen == [2, 3])
            #expect(graph.counts.liveListeners == 1)
        }
        #expect(released == nil && node == nil)
        #expect(graph.counts.liveNodes == before.liveNodes)
        #expect(graph.counts.liveEdges == 0 && graph.counts.liveListeners == 0)
        source.set(3)
        expectSound(graph, source)
    }

    @Test("G-165: freed on another thread, it ends in a post of the graph's loop")
    func freedElsewhere() {
        let loop = ManualExecutor()
        let graph = Graph(executor: loop)
        let source = graph.mutable(1)
        nonisolated(unsafe) var observed: ObservedNode<Int>? = ObservedNode(source.map { $0 })
        #expect(observed?.value == 1)
        onThreads { _ in observed = nil }
        #expect(graph.counts.liveListeners == 1)
        source.set(2)
        loop.run()
        #expect(graph.counts.liveListeners == 0 && graph.counts.liveNodes == 1)
    }

    @Test("An observer may drop the object, and set the node, while a change is reported")
    func reentrant() {
        let source = graph.mutable(1)
        nonisolated(unsafe) var observed: ObservedNode<Int>? = ObservedNode(source)
        withObservationTracking {
            _ = observed?.value
        } onChange: {
            observed = nil
        }
        source.set(2)
        #expect(observed == nil && !source.hasListener)

        let kept = ObservedNode(source)
        nonisolated(unsafe) let node = source
        withObservationTracking {
            _ = kept.value
        } onChange: {
            node.set(9)
        }
        source.set(3)
        #expect(source.value == 9 && kept.value == 9)
    }

    @Test("The death of a shown value may look at the object")
    func deaths() {
        final class Mortal {
            let onDeath: () -> Void
            init(_ onDeath: @escaping () -> Void) { self.onDeath = onDeath }
            deinit { onDeath() }
        }
        let node = graph.mutable(of: Mortal?.self)
        let observed = ObservedNode<Mortal?>(node)
        var isNil: [Bool] = []
        node.set(Mortal { isNil.append(observed.value.map { $0 == nil } ?? false) })
        node.set(nil)
        #expect(isNil == [true])
    }

    @Test("On the main actor: a model shows nodes, and ends where its graph lives")
    @MainActor func mainActor() {
        let model = Model()
        let view = View { MainActor.assumeIsolated { model.fahrenheit.value } }
        model.celsius.value = 100
        view.draw()
        #expect(view.seen == [68, 212] && view.changes == 1)
    }
}
