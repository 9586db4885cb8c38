import ReactiveGraph
import TestSupport
import Testing

/// What the rules say about owner sets, in the simplest words: see G-114 … G-125.
private struct OwnerModel {
    struct Listen {
        let listener: Int
        var owners: Set<Int>
        var hears = true
    }

    var listens: [Listen] = []

    mutating func add(_ listener: Int, _ owner: Int) -> Bool {
        if let index = listens.firstIndex(where: { $0.listener == listener }) {
            listens[index].owners.insert(owner)
            return false
        }
        listens.append(Listen(listener: listener, owners: [owner]))
        return true
    }

    /// Gives the listeners that stop.
    mutating func remove(_ owner: Int) -> [Int] {
        for index in listens.indices { listens[index].owners.remove(owner) }
        defer { listens.removeAll { $0.owners.isEmpty } }
        return listens.filter(\.owners.isEmpty).map(\.listener)
    }
}

@Suite("Owner sets")
struct OwnerSetTests {
    @Test("G-114 … G-125: random owners behave as the model says", arguments: 0..<(Nightly.isOn ? 2_000 : 60))
    func random(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let graph = Graph()
        let log = EventLog()
        let node = graph.mutable(0)
        var model = OwnerModel()
        var expected: [String] = []
        // Listeners are held here, so that only owners decide; half of the owners keep a bag.
        let ears = (0..<5).map { Ear("\($0)", log) }
        var owners: [AnyObject] = (0..<6).map(makeOwner)
        for step in 0..<200 {
            let who = random.below(owners.count)
            switch random.below(8) {
            case 0, 1, 2:
                let ear = random.below(ears.count)
                node.addListener(ears[ear], owner: owners[who])
                if model.add(ear, who) { expected.append("\(ear) added(\(node.value!))") }
            case 3:
                node.removeListeners(ownedBy: owners[who])
                expected += model.remove(who).map { "\($0) stopped" }
            case 4:
                owners[who] = makeOwner(who)
                if random.chance(1, in: 2) {
                    graph.collect()
                } else {
                    #expect(node.listenerCount <= ears.count)
                }
                expected += model.remove(who).map { "\($0) stopped" }
            case 5:
                let ear = random.below(ears.count)
                let selfOwner = 100 + ear
                if random.chance(1, in: 2) {
                    node.addListener(ears[ear])
                    if model.add(ear, selfOwner) { expected.append("\(ear) added(\(node.value!))") }
                } else {
                    node.removeListeners(ownedBy: ears[ear])
                    expected += model.remove(selfOwner).map { "\($0) stopped" }
                }
            default:
                node.set(step)
                expected += model.listens.map { "\($0.listener) \(step)" }
            }
            let told = log.take()
            #expect(told == expected, "seed \(seed), step \(step)")
            guard told == expected else { return }
            expected = []
        }
        #expect(node.listenerCount == model.listens.count, "seed \(seed)")
        expectSound(graph, node)
        // The optimiser releases objects that are not used any more.
        withExtendedLifetime((ears, owners)) {}
    }

    @Test("G-116, G-117: what random owners hold is released", arguments: 0..<40)
    func released(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let graph = Graph()
        let log = EventLog()
        var ears: [Weak] = []
        do {
            let nodes = (0..<4).map { graph.mutable($0) }
            var owners: [AnyObject] = (0..<4).map(makeOwner)
            for _ in 0..<60 {
                let ear = Ear("e", log)
                ears.append(Weak(ear))
                let node = nodes[random.below(4)]
                if random.chance(1, in: 3) { node.addListener(ear) }
                node.map { $0 + 1 }.addListener(ear, owner: owners[random.below(4)])
                if random.chance(1, in: 6) { owners[random.below(4)] = BagKeeper() }
                node.set(1)
            }
        }
        graph.collect()
        #expect(ears.allSatisfy { $0.object == nil }, "seed \(seed)")
        #expect(graph.counts.liveNodes == 0 && graph.counts.liveListeners == 0, "seed \(seed)")
    }
}

/// Every second owner keeps a bag.
private func makeOwner(_ index: Int) -> AnyObject {
    if index.isMultiple(of: 2) { Keeper() } else { BagKeeper() }
}

private struct Weak {
    weak var object: Ear?
    init(_ object: Ear) { self.object = object }
}
