import ReactiveGraph
import TestSupport
import Testing

@Suite("Owners of listens")
struct OwnersTests {
    let graph = Graph()
    let log = EventLog()

    @Test("G-114: any class instance may own; the listen lasts until all owners are dead or removed")
    func allOwners() {
        let node = graph.mutable(1)
        var first: Keeper? = Keeper()
        var second: BagKeeper? = BagKeeper()
        let third = Keeper()
        do {
            let ear = Ear("e", log)
            node.addListener(ear, owner: first!).addListener(ear, owner: second!).addListener(
                ear,
                owner: third
            )
        }
        first = nil
        node.set(2)
        second = nil
        node.set(3)
        node.removeListeners(ownedBy: third)
        node.set(4)
        #expect(log.lines == ["e added(1)", "e 2", "e 3", "e stopped"])
        #expect(first == nil && second == nil && graph.counts.liveListeners == 0)
    }

    @Test("G-115: a self-owned listener is held weakly, listens until it dies, and its death is silent")
    func selfOwned() {
        let node = graph.mutable(1)
        var ear: Ear? = Ear("e", log)
        weak let gone = ear
        node.addListener(ear!)
        node.set(2)
        ear = nil
        #expect(gone == nil)
        node.set(3)
        #expect(log.lines == ["e added(1)", "e 2"])
        #expect(!node.hasListener && graph.counts.liveListeners == 0)
    }

    @Test("G-115, G-67: the death of a self-owned listener with a bag ends the listen at once")
    func selfOwnedWithBag() {
        var node: MutableNode<Int>? = graph.mutable(1)
        weak let gone = node
        var ear: BagEar? = BagEar("e", log)
        node?.addListener(ear!)
        node = nil
        #expect(gone != nil)
        ear = nil
        #expect(gone == nil && graph.counts.liveListeners == 0)
        #expect(log.lines == ["e added(1)"])
    }

    @Test("G-116: with an external owner the node holds the listener strongly, and the owner weakly")
    func external() {
        let node = graph.mutable(1)
        var owner: Keeper? = Keeper()
        weak let weakOwner = owner
        weak var weakEar: Ear?
        do {
            let ear = Ear("e", log)
            weakEar = ear
            node.addListener(ear, owner: owner!)
        }
        #expect(weakEar != nil)
        node.set(2)
        owner = nil
        #expect(weakOwner == nil)
        graph.collect()
        #expect(weakEar == nil)
        #expect(log.lines == ["e added(1)", "e 2", "e stopped"])
    }

    @Test("G-116: values and closures are kept by their owners' lives", arguments: [true, false])
    func glue(hasBag: Bool) {
        let node = graph.mutable(of: Int.self)
        var owner: AnyObject? = hasBag ? BagKeeper() : Keeper()
        weak var token: Keeper?
        if let owner {
            let made = Keeper()
            token = made
            node.addListener(ValueEar(name: "v", log: log), owner: owner)
            node.addListener(owner: owner) { [log] event in
                withExtendedLifetime(made) { log.note("c \(text(event))") }
            }
        }
        node.set(1)
        #expect(token != nil)
        owner = nil
        if !hasBag { graph.collect() }
        #expect(token == nil)
        node.set(2)
        #expect(
            log.lines
                == ["v added(empty)", "c added(empty)", "v 1", "c 1", "v stopped", "c stopped"]
        )
    }

    @Test(
        "G-117: strong while an external owner remains, weak when only itself does, strong again with another"
    )
    func both() {
        let node = graph.mutable(0)
        var ear: Ear? = Ear("e", log)
        weak let weakEar = ear
        var owner: BagKeeper? = BagKeeper()
        node.addListener(ear!).addListener(ear!, owner: owner!)
        ear = nil
        #expect(weakEar != nil)
        ear = weakEar
        owner = nil
        node.set(1)
        #expect(log.take() == ["e added(0)", "e 1"])
        owner = BagKeeper()
        node.addListener(ear!, owner: owner!)
        ear = nil
        node.set(2)
        #expect(weakEar != nil && log.take() == ["e 2"])
        owner = nil
        #expect(weakEar == nil && graph.counts.liveListeners == 0)
        node.set(3)
        #expect(log.lines.isEmpty)
    }

    @Test("G-117: the last external owner goes, nothing else holds the listener: it dies, the listen ends")
    func bothForeign() {
        let node = graph.mutable(0)
        var owner: Keeper? = Keeper()
        weak var weakEar: Ear?
        do {
            let ear = Ear("e", log)
            weakEar = ear
            node.addListener(ear, owner: owner!).addListener(ear)
        }
        owner = nil
        node.set(1)
        #expect(weakEar == nil && !node.hasListener)
        #expect(log.lines == ["e added(0)"])
    }

    @Test("G-118: a known object adds the owner and nothing else; owners are a set, not a count")
    func known() {
        let node = graph.mutable(1)
        let ear = Ear("e", log)
        let owner = Keeper()
        for _ in 0..<3 { node.addListener(ear, owner: owner) }
        node.set(2)
        node.removeListeners(ownedBy: owner)
        node.set(3)
        #expect(log.lines == ["e added(1)", "e 2", "e stopped"])
    }

    @Test("G-118: values and closures are unique unless they bring an identity")
    func identities() {
        let node = graph.mutable(of: Int.self)
        let owner = Keeper()
        let other = Keeper()
        let body: (NodeEvent<Int>) -> Void = { [log] in log.note("c \(text($0))") }
        node.addListener(owner: owner, body).addListener(owner: owner, body)
        node.set(1)
        #expect(log.take() == ["c added(empty)", "c added(empty)", "c 1", "c 1"])
        node.removeListeners(ownedBy: owner)
        _ = log.take()
        node.addListener(owner: owner, identity: "x", body).addListener(owner: other, identity: "x", body)
        node.addListener(ValueEar(name: "v", log: log), owner: owner, identity: 7)
        node.addListener(ValueEar(name: "w", log: log), owner: owner, identity: 7)
        node.set(2)
        node.removeListeners(ownedBy: owner)
        node.set(3)
        #expect(log.lines == ["c added(1)", "v added(1)", "c 2", "v 2", "v stopped", "c 3"])
    }

    @Test("G-118: an object behind `any NodeListener` keeps its identity")
    func existential() {
        let node = graph.mutable(1)
        let ear = Ear("e", log)
        let erased: any NodeListener = ear
        node.addListener(erased, owner: ear).addListener(ear).addListener(erased, owner: Keeper())
        node.set(2)
        #expect(log.lines == ["e added(1)", "e 2"])
    }

    @Test("G-118: the identity counts per node")
    func perNode() {
        let nodes = [graph.mutable(1), graph.mutable(2)]
        let ear = Ear("e", log)
        for node in nodes { node.addListener(ear) }
        #expect(log.lines == ["e added(1)", "e added(2)"])
    }

    @Test("G-120: removal touches one node, one owner; nil and strangers do nothing; plain listens end too")
    func removal() {
        let node = graph.mutable(of: Int.self)
        let other = graph.mutable(of: Int.self)
        let first = Keeper()
        let second = Keeper()
        let shared = Ear("shared", log)
        let lone = Ear("lone", log)
        for listened in [node, other] {
            listened.addListener(shared, owner: first).addListener(shared, owner: second)
            listened.addListener(lone, owner: first)
            listened.listen(owner: first) { [log] _, value in log.note("plain \(value)") }
        }
        _ = log.take()
        node.removeListeners(ownedBy: nil)
        node.removeListeners(ownedBy: Keeper())
        #expect(log.lines.isEmpty && node.listenerCount == 3)
        node.removeListeners(ownedBy: first)
        node.set(1)
        other.set(2)
        #expect(log.lines == ["lone stopped", "shared 1", "shared 2", "lone 2", "plain 2"])
    }

    @Test("G-121: removed and added again is a new listen, called with added every time")
    func again() {
        let node = graph.mutable(1)
        let ear = Ear("e", log)
        for _ in 0..<3 {
            node.addListener(ear)
            node.removeListeners(ownedBy: ear)
        }
        #expect(log.lines == Array(repeating: ["e added(1)", "e stopped"], count: 3).flatMap { $0 })
    }

    @Test("G-121, G-125: added again after unnoticed deaths of all owners is a new listen")
    func againAfterDeath() {
        let node = graph.mutable(1)
        let ear = Ear("e", log)
        var owner: Keeper? = Keeper()
        node.addListener(ear, owner: owner!)
        owner = nil
        let second = Keeper()
        node.addListener(ear, owner: second)
        #expect(log.lines == ["e added(1)", "e stopped", "e added(1)"])
        withExtendedLifetime(second) {}
    }

    @Test("G-125: no event on behalf of the dead, whatever happens before they are noticed")
    func dead() {
        let node = graph.mutable(1)
        let ear = Ear("e", log)
        var owner: Keeper? = Keeper()
        node.addListener(ear, owner: owner!)
        _ = log.take()
        owner = nil
        node.set(2)
        _ = node.beginLoad()
        node.clear()
        #expect(log.lines == ["e stopped"])
    }

    @Test("G-124: adding is chainable")
    func chain() {
        let owner = Keeper()
        let node = graph.mutable(1).addListener(owner: owner) { _ in }.named("n")
            .addListener(owner: owner) { _, _, _ in }
        #expect(node.value == 1 && node.listenerCount == 2)
    }

    @Test("G-126, G-52: a listen keeps its node alive, and the whole chain above it")
    func alive() {
        weak var source: MutableNode<Int>?
        let owner = BagKeeper()
        do {
            let made = graph.mutable(1)
            source = made
            made.map { $0 + 1 }.addListener(owner: owner) { [log] in log.note(text($0)) }
        }
        source?.set(2)
        #expect(log.lines == ["added(2)", "3"])
        owner.listenBag.cancel()
        #expect(source == nil && log.lines.last == "stopped")
    }

    @Test("G-147: a new listener or owner at an old address is another one")
    func reusedAddress() {
        let node = graph.mutable(0)
        for round in 0..<200 {
            let ear = Ear("\(round)", log)
            node.addListener(ear)
            let owner = Keeper()
            node.addListener(ValueEar(name: "v\(round)", log: log), owner: owner)
        }
        #expect(log.lines.filter { $0.hasSuffix("added(0)") }.count == 400)
        graph.collect()
        #expect(graph.counts.liveListeners == 0)
    }

    @Test("G-59: stopListening ends the listen of a listener, whatever its other owners")
    func stopListening() {
        let node = graph.mutable(0)
        let ear = BagEar("e", log)
        let owner = Keeper()
        node.addListener(ear).addListener(ear, owner: owner)
        ear.stopListening(to: node)
        ear.stopListening(to: node)
        node.set(1)
        #expect(log.lines == ["e added(0)", "e stopped"] && ear.listenBag.isEmpty)
    }

    @Test("The owner is handed over, and listens until it dies (G-62)")
    func handed() {
        let node = graph.mutable(1)
        var owner: Keeper? = Keeper()
        weak let gone = owner
        node.addListener(owner: owner!) { [log] given, node, event in
            log.note("\(given === gone) \(node.value ?? -1) \(text(event))")
        }
        owner = nil
        node.set(2)
        #expect(gone == nil && log.lines == ["true 1 added(1)"])
    }

    @Test("Listens with owners leave nothing behind, and every invariant holds")
    func sound() {
        let node = graph.mutable(1)
        do {
            let owner = BagKeeper()
            let ear = Ear("e", log)
            node.map { $0 }.addListener(ear, owner: owner).addListener(ear)
            node.addListener(ear)
            expectSound(graph, node)
        }
        graph.collect()
        #expect(graph.counts.liveNodes == 1 && graph.counts.liveListeners == 0)
        expectSound(graph, node)
    }
}
