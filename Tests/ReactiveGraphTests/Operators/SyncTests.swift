import ReactiveGraph
import TestSupport
import Testing

@Suite("Sync")
struct SyncTests {
    let graph = Graph()

    /// Syncs every node with every other one.
    private func clique<Value>(_ nodes: [MutableNode<Value>]) {
        for (index, node) in nodes.enumerated() {
            for other in nodes[..<index] { node.sync(with: other) }
        }
    }

    // MARK: - Connecting

    @Test("G-88: both have values: the argument wins, and is set once more")
    func argumentWins() {
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let heardA = Recorder(a, replay: false)
        let heardB = Recorder(b, replay: false)
        a.sync(with: b)
        #expect(heardA.history == [2])
        #expect(heardB.history == [2])
        expectSound(graph, a, b)
    }

    @Test("G-88: both have values: the argument is set once more to revert(transform(b))")
    func argumentIsReverted() {
        let a = graph.mutable("x")
        let b = graph.mutable(7)
        let heardA = Recorder(a, replay: false)
        let heardB = Recorder(b, replay: false)
        a.sync(with: b, transform: { "\($0 / 2)" }, revert: { (Int($0) ?? 0) * 2 })
        #expect(heardA.history == ["3"])
        #expect(heardB.history == [6])
    }

    @Test("G-88: only the receiver has a value: the argument takes it, the receiver is not set")
    func receiverOnly() {
        let a = graph.mutable(1)
        let b = graph.mutable(of: Int.self)
        let heardA = Recorder(a, replay: false)
        let heardB = Recorder(b, replay: false)
        a.sync(with: b)
        #expect(heardA.history == [])
        #expect(heardB.history == [1])
    }

    @Test("G-88: only the argument has a value: the receiver takes it")
    func argumentOnly() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(2)
        a.sync(with: b)
        #expect(a.value == 2 && b.value == 2)
    }

    @Test("G-88: neither has a value: nothing")
    func neither() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        let heard = EmissionRecorder(a, replay: false)
        a.sync(with: b)
        #expect(heard.history == [] && b.isEmpty)
    }

    @Test("G-88: nodes need not be mutable")
    func immutable() {
        let source = graph.mutable(1)
        let a = source.map { $0 + 1 }
        let b = graph.node(of: Int.self)
        a.sync(with: b)
        source.set(5)
        #expect(b.value == 6)
    }

    @Test("G-27: a node is not synced with itself")
    func itself() {
        let node = graph.mutable(1)
        let heard = Recorder(node, replay: false)
        node.sync(with: node).cancel()
        #expect(heard.history == [] && !node.hasUpstreamNode)
    }

    // MARK: - Setting

    @Test("G-88: a set on either side sets the other exactly once", arguments: [false, true])
    func once(isImmediate: Bool) {
        let graph = Graph(propagation: isImmediate ? .immediate : .settled)
        let a = graph.mutable(0)
        let b = graph.mutable(0)
        let c = graph.mutable(0)
        a.sync(with: b)
        b.sync(with: c, transform: { -$0 }, revert: { -$0 })
        let heard = [Recorder(a, replay: false), Recorder(b, replay: false), Recorder(c, replay: false)]
        a.set(1)
        b.set(2)
        c.set(3)
        #expect(heard.map(\.history) == [[1, 2, -3], [1, 2, -3], [-1, -2, 3]])
    }

    @Test("G-88: functions that are not inverse do not loop: what was set stays")
    func notInverse() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        a.sync(with: b, transform: { $0 + 1 }, revert: { $0 + 10 })
        a.set(1)
        #expect(a.value == 1 && b.value == 11)
        b.set(5)
        #expect(a.value == 6 && b.value == 5)
    }

    #if DEBUG
        @Test("G-88: in debug builds a value that does not come back is reported, and nothing else changes")
        func mismatch() {
            var told: [String] = []
            graph.onSyncMismatch = { told.append("\($0.name ?? "") to \($1.name ?? "")") }
            let a = graph.mutable(of: Int.self).named("a")
            let b = graph.mutable(of: Int.self).named("b")
            a.sync(with: b, transform: { $0 / 2 }, revert: { $0 * 2 })
            a.set(1)
            b.set(4)
            #expect(told == [])
            b.set(5)
            #expect(told == ["b to a"])
            #expect(a.value == 2)
        }
    #endif

    @Test("G-88: cancelling breaks both links; values stay; idempotent")
    func cancelling() {
        let a = graph.mutable(1)
        let b = graph.mutable(of: Int.self)
        let sync = a.sync(with: b)
        sync.cancel()
        sync.cancel()
        a.set(2)
        #expect(b.value == 1)
        b.set(3)
        #expect(a.value == 2)
        #expect(!a.hasUpstreamNode && !b.hasUpstreamNode)
        expectSound(graph, a, b)
    }

    @Test("G-45: context and path go along")
    func context() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        a.sync(with: b)
        let bag = CancellableBag()
        var heard: [String] = []
        b.listenEmissions(in: bag, paths: true) { emission, delivery in
            guard let value = emission.value else { return }
            heard.append("\(value) \(delivery.path.ids) \(delivery.context?.value(as: String.self) ?? "-")")
        }
        a.set(1, context: Context("c"))
        #expect(heard == ["1 [\(a.id), \(b.id)] c"])
    }

    @Test("G-145: emptiness goes over only where it travels, and once to each node of a clique")
    func emptiness() {
        let a = graph.mutable(1)
        let b = graph.mutable(1)
        a.sync(with: b)
        a.clear()
        #expect(b.value == 1)
        let travelling = Graph(propagatesEmpty: true)
        let nodes = (0..<6).map { _ in travelling.mutable(1) }
        clique(nodes)
        let heard = EmissionRecorder(nodes[5], replay: false)
        nodes[0].clear()
        #expect(heard.history == [.empty])
        #expect(nodes.allSatisfy { $0.isEmpty })
    }

    // MARK: - Lifetime

    @Test("G-89: the pair holds itself until cancelled")
    func ring() {
        weak var gone: AnyNode?
        let sync: CancelToken
        do {
            let a = graph.mutable(1)
            let b = graph.mutable(2)
            gone = a
            sync = a.sync(with: b)
        }
        #expect(gone != nil)
        #expect(graph.counts.liveNodes == 2)
        sync.cancel()
        #expect(gone == nil)
        #expect(graph.counts.liveNodes == 0)
    }

    @Test("G-30: the cancellable holds nothing, and dropping it does not end the sync")
    func dropping() {
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        a.sync(with: b)
        a.set(3)
        #expect(b.value == 3)
        a.removeUpstreamNodes()
        b.removeUpstreamNodes()
    }

    @Test("G-151: a sync tied to an owner with a bag ends the moment it dies")
    func owned() {
        weak var gone: AnyNode?
        var owner: Recorder<Int>? = Recorder()
        do {
            let a = graph.mutable(1)
            let b = graph.mutable(2)
            gone = a
            a.sync(with: b, owner: owner!)
        }
        #expect(gone != nil)
        owner = nil
        #expect(gone == nil)
    }

    private final class Plain {}

    @Test(
        "G-151, G-67: for any other owner nothing is delivered once it is dead, and collect() ends the sync"
    )
    func foreign() {
        weak var gone: AnyNode?
        let a = graph.mutable(1)
        var owner: Plain? = Plain()
        do {
            let b = graph.mutable(2)
            gone = b
            a.sync(with: b, owner: owner!)
            a.set(3)
            #expect(b.value == 3)
            owner = nil
            a.set(4)
            #expect(b.value == 3)
        }
        graph.collect()
        #expect(gone == nil)
        expectSound(graph, a)
        let c = graph.mutable("1")
        owner = Plain()
        a.sync(with: c, owner: owner, transform: { Int($0) ?? 0 }, revert: { "\($0)" })
        a.set(5)
        #expect(c.value == "5")
        owner = nil
        graph.collect()
        #expect(!a.hasDownstreamNode && !a.hasUpstreamNode)
    }

    // MARK: - Groups

    @Test("G-137, G-43: on a triangle each node is set once in settled mode, twice in immediate mode")
    func triangle() {
        for (mode, times) in [(Graph.Propagation.settled, 1), (.immediate, 2)] {
            let graph = Graph(propagation: mode)
            let nodes = (0..<3).map { _ in graph.mutable(of: Int.self) }
            clique(nodes)
            let heard = nodes.map { Recorder($0) }
            nodes[1].set(5)
            #expect(heard[0].history == Array(repeating: 5, count: times))
            #expect(heard[1].history == [5])
            #expect(heard[2].history == Array(repeating: 5, count: times))
        }
    }

    @Test(
        "G-137: in a clique a set reaches every node once, at most one set for each edge",
        arguments: 8...12
    )
    func factorial(count: Int) {
        let nodes = (0..<count).map { _ in graph.mutable(of: Int.self) }
        clique(nodes)
        let bag = CancellableBag()
        var sets = 0
        for node in nodes { node.listen(in: bag) { _ in sets += 1 } }
        for turn in 1...3 {
            sets = 0
            nodes[turn].set(turn)
            #expect(sets == count)
            #expect(nodes.allSatisfy { $0.value == turn })
        }
        expectSound(graph, nodes[0])
    }

    @Test("G-137: values are not compared: an equal value set again goes round again")
    func noComparison() {
        let nodes = (0..<3).map { _ in graph.mutable(of: Int.self) }
        clique(nodes)
        let heard = Recorder(nodes[2])
        nodes[0].set(1)
        nodes[0].set(1)
        #expect(heard.history == [1, 1])
    }

    @Test("G-137: what comes over another edge is a new emission")
    func otherEdge() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        a.sync(with: b)
        b.link(to: a.map { $0 })
        let heard = Recorder(b)
        a.set(1)
        #expect(heard.history == [1, 1])
        // x to y over the sync, x to z over a map: z sets y again.
        let x = graph.mutable(of: Int.self)
        let y = graph.mutable(of: Int.self)
        let z = x.map { $0 }
        x.sync(with: y)
        y.sync(with: z)
        let heardY = Recorder(y)
        let heardZ = Recorder(z)
        x.set(1)
        #expect(heardY.history == [1, 1])
        #expect(heardZ.history == [1, 1])
    }

    @Test("G-137: what was queued is a new emission")
    func queued() {
        let nodes = (0..<3).map { _ in graph.mutable(of: Int.self) }
        clique(nodes)
        let bag = CancellableBag()
        nodes[1].listen(in: bag) { if $0 == 1 { nodes[1].set(2) } }
        let heard = nodes.map { Recorder($0) }
        nodes[0].set(1)
        #expect(heard[1].history == [1, 2])
        // What node 1 queued reaches node 2 directly, and through node 0, where it was queued
        // again.
        #expect(heard[2].history == [1, 2, 2])
        #expect(nodes.map(\.value) == [2, 2, 2])
    }

    @Test("G-137: a nested set of the same group does not make an emission forget where it has been")
    func nested() {
        let (x, y, z) = (
            graph.mutable(of: Int.self), graph.mutable(of: Int.self), graph.mutable(of: Int.self)
        )
        clique([x, y, z])
        // The nested emission of `other` overwrites what y remembers of x's.
        let bag = CancellableBag()
        let other = graph.mutable(of: Int.self)
        other.sync(with: y)
        z.listen(in: bag) { value in
            if value == 1 { other.set(11) }
        }
        let heard = [Recorder(y), Recorder(z)]
        x.set(1)
        // y was busy and took 11 after its pass; x then finds that its 1 has been at z, although z
        // holds 11 now, and goes on with the 11 that was queued at x.
        #expect(heard.map(\.history) == [[1, 11], [1, 11, 11]])
        expectSound(graph, x, other)
    }

    @Test("G-137: each set of a batch is an emission of its own")
    func batch() {
        let nodes = (0..<4).map { _ in graph.mutable(of: Int.self) }
        clique(nodes)
        let heard = Recorder(nodes[3])
        graph.batch { batch in
            batch.set(nodes[0], 1)
            batch.set(nodes[1], 2)
        }
        #expect(heard.history == [1, 2])
    }

    @Test("G-50: a join of a group of synced nodes emits once")
    func join() {
        let nodes = (0..<4).map { _ in graph.mutable(0) }
        clique(nodes)
        let sum = Node.combine(nodes).map { $0.reduce(0, +) }
        let heard = Recorder(sum, replay: false)
        nodes[2].set(3)
        #expect(heard.history == [12])
    }

    @Test("G-137: a chain of syncs passes a value along in time linear in its length")
    func chain() {
        let nodes = (0..<2_000).map { _ in graph.mutable(of: Int.self) }
        for index in nodes.indices.dropFirst() { nodes[index].sync(with: nodes[index - 1]) }
        nodes[1_000].set(7)
        #expect(nodes.allSatisfy { $0.value == 7 })
        for node in nodes { node.removeUpstreamNodes() }
    }
}
