import ReactiveGraph
import TestSupport
import Testing

@Suite("Registry")
struct RegistryTests {
    let graph = Graph()
    let log = EventLog()

    @Test(
        "G-127: at most one node per name; the same instance as long as anyone holds it",
        arguments: Retention.allCases
    )
    func one(policy: Retention) {
        let registry = Registry(graph: graph, policy: policy)
        let node = registry.mutable("a", as: Int.self)
        #expect(registry.node("a", as: Int.self) === node)
        #expect(node.name == "a" && node.isEmpty)
        registry.flushUnused()
        #expect(registry.mutable("a", as: Int.self) === node)
        registry.remove("a")
        #expect(registry.count == 0 && registry.names == [])
        #expect(registry.mutable("a", as: Int.self) === node)
        #expect(registry.names == ["a"])
    }

    @Test("G-127: different query, different node; what is not part of the name does not distinguish")
    func names() {
        let registry = Registry(graph: graph)
        let node = registry.node("https://example.org/a?x=1", as: Int.self)
        #expect(registry.node("HTTPS://Example.org:443/b/../a?x=1#part", as: Int.self) === node)
        #expect(registry.node("https://example.org/a?x=2", as: Int.self) !== node)
        #expect(registry.node("https://example.org/a", as: Int.self) !== node)
        #expect(registry.node("http://example.org/a?x=1", as: Int.self) !== node)
        #expect(registry.node("https://example.org/A?x=1", as: Int.self) !== node)
    }

    @Test("G-127: invalid names give a fresh unregistered node each time, which always reports an error")
    func invalid() {
        var told: [String] = []
        graph.onError = { told.append("\($0)") }
        let registry = Registry(graph: graph, policy: .always)
        let owner = Keeper()
        for name in ["", "a\u{7}b", "http://", "http:///a", "http://a b/", "http://a/%4", "http://a:8x/"] {
            let node = registry.mutable(name, as: Int.self)
            #expect(registry.node(name, as: Int.self) !== node)
            #expect(registry.count == 0 && registry.find(name, as: Int.self) == nil)
            node.addListener(owner: owner) { [log] event in log.note(text(event)) }
            #expect(log.lines.count == 2 && log.take().first == "added(empty)")
            let load = node.beginLoad()
            #expect(!load.isRunning)
            #expect(log.take().map { $0.prefix(9) } == ["requested", "progress(", "error(Inv"])
            load.finish(1)
            node.set(2)
            #expect((node.latestError as? InvalidName)?.name == name)
            _ = log.take()
        }
        #expect(told.first == "a registry was asked for the invalid name \"\"" && told.count == 14)
    }

    @Test("G-129: whileInUse holds nothing, the node goes at once")
    func whileInUse() {
        let registry = Registry(graph: graph, policy: .whileInUse)
        weak var gone: Node<Int>?
        do {
            let node = registry.node("a", as: Int.self)
            gone = node
            #expect(registry.count == 1)
        }
        #expect(gone == nil && registry.count == 0 && registry.find("a", as: Int.self) == nil)
    }

    @Test(
        "G-129, G-128: untilPressure keeps what is eligible until pressure; in use is a listener, an edge, a reference"
    )
    func untilPressure() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        registry.mutable("idle", as: Int.self).set(1)
        let owner = BagKeeper()
        registry.mutable("listened", as: Int.self).addListener(owner: owner) { _ in }
        var derived: Node<Int>? = registry.mutable("source", as: Int.self).map { $0 }
        var held: Node<Int>? = registry.node("held", as: Int.self)
        #expect(registry.count == 4 && registry.find("idle", as: Int.self)?.value == 1)
        #expect(registry.flushUnused() == 1)
        #expect(registry.names == ["listened", "source", "held"])
        // Not looked up since: they go when they become eligible.
        owner.listenBag.cancel()
        derived = nil
        #expect(registry.names == ["held"])
        // Looked up since: held again.
        _ = registry.node("held", as: Int.self)
        held = nil
        #expect(registry.names == ["held"] && derived == nil && held == nil)
        registry.flushUnused()
        #expect(registry.count == 0 && graph.counts.liveNodes == 0)
    }

    @Test("G-129: always is released only by name, pressure does not touch it")
    func always() {
        let registry = Registry(graph: graph, policy: .always, limit: 1)
        registry.mutable("a", as: Int.self).set(1)
        _ = registry.node("b", as: Int.self)
        registry.flushUnused()
        #expect(registry.count == 2)
        #expect(registry.remove("a") && !registry.remove("a") && !registry.remove("c"))
        #expect(registry.names == ["b"] && graph.counts.liveNodes == 1)
        #expect(registry.node("a", as: Int.self).isEmpty)
    }

    @Test("G-129: a node may override the policy, at look-up or later")
    func override() {
        let registry = Registry(graph: graph, policy: .whileInUse)
        _ = registry.node("kept", as: Int.self, retention: .untilPressure)
        _ = registry.node("for ever", as: Int.self, retention: .always)
        _ = registry.node("gone", as: Int.self)
        #expect(registry.names == ["kept", "for ever"])
        #expect(registry.retention(of: "kept") == .untilPressure && registry.retention(of: "gone") == nil)
        registry.flushUnused()
        #expect(registry.names == ["for ever"])
        registry.setRetention(.untilPressure, of: "for ever")
        #expect(registry.names == ["for ever"])
        registry.setRetention(nil, of: "for ever")
        #expect(registry.names == [])
        registry.setRetention(.always, of: "nobody")
    }

    @Test("G-130: dead owners are discarded first, so their nodes go with the flush")
    func deadOwners() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        var owner: Keeper? = Keeper()
        registry.mutable("a", as: Int.self).addListener(owner: owner!) { [log] in log.note(text($0)) }
        registry.mutable("b", as: Int.self).listen(owner: owner!) { _, _ in }
        owner = nil
        #expect(registry.flushUnused() == 2 && registry.count == 0)
        #expect(log.lines == ["added(empty)", "stopped"])
    }

    @Test("G-130: nodes needed only by one another all go; survivors keep values, listeners and edges")
    func together() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        let a = registry.mutable("a", as: Int.self)
        let owner = BagKeeper()
        do {
            let b = registry.mutable("b", as: Int.self)
            let c = registry.mutable("c", as: Int.self)
            c.link(to: b)
            a.link(to: registry.mutable("d", as: Int.self))
            registry.mutable("e", as: Int.self).set(5)
            let e = registry.mutable("e", as: Int.self)
            e.addListener(owner: owner) { [log] in log.note(text($0)) }
        }
        #expect(registry.flushUnused() == 2)
        #expect(registry.names == ["a", "d", "e"])
        registry.mutable("d", as: Int.self).set(1)
        #expect(a.value == 1 && registry.mutable("e", as: Int.self).value == 5 && log.lines == ["added(5)"])
    }

    @Test(
        "G-130: a survivor is held again at the next look-up of its name, or by enumeration",
        arguments: 0..<3
    )
    func promoted(way: Int) {
        let registry = Registry(graph: graph, policy: .untilPressure)
        var node: Node<Int>? = registry.node("a", as: Int.self)
        registry.flushUnused()
        switch way {
        case 0: _ = registry.node("a", as: Int.self)
        case 1: _ = registry.nodes
        default: #expect(registry.names == ["a"] && registry.count == 1)
        }
        node = nil
        #expect(registry.count == (way == 2 ? 0 : 1) && node == nil)
    }

    @Test("G-131: making the (n+1)-th name flushes first, then adds; the limit is soft")
    func limit() {
        let registry = Registry(graph: graph, policy: .untilPressure, limit: 3)
        let kept = registry.node("kept", as: Int.self)
        for name in ["b", "c"] { _ = registry.node(name, as: Int.self) }
        #expect(registry.count == 3 && registry.pressure.flushes == 0)
        _ = registry.node("b", as: Int.self)
        #expect(registry.pressure.flushes == 0)
        _ = registry.node("d", as: Int.self)
        #expect(registry.names == ["kept", "d"] && registry.pressure == counts(flushes: 1, released: 2))
        let all = (0..<5).map { registry.node("x\($0)", as: Int.self) }
        #expect(registry.count > 3 && all.count == 5 && kept.isEmpty)
        #expect(registry.names.filter { $0.hasPrefix("x") }.count == 5)
        withExtendedLifetime((all, kept)) {}
        #expect(Registry(graph: graph).limit == 2048)
    }

    @Test("G-131: a listener that ends in the flush before a new name sees no node of it yet")
    func flushBeforeName() {
        let registry = Registry(graph: graph, policy: .untilPressure, limit: 1)
        var owner: Keeper? = Keeper()
        registry.mutable("a", as: Int.self).addListener(owner: owner!) { [log, graph] event in
            log.note("\(text(event)) \(graph.counts.liveNodes)")
        }
        owner = nil
        #expect(registry.node("b", as: Int.self).isEmpty)
        #expect(log.lines == ["added(empty) 1", "stopped 1"])
    }

    @Test(
        "G-127: a listener that ends in the flush before a new name may ask for that name",
        arguments: [false, true]
    )
    func nameDuringFlush(hasFactory: Bool) {
        let registry = Registry(graph: graph, policy: .untilPressure, limit: 1)
        if hasFactory { registry.setFactory(for: "b") { [graph] in graph.mutable(1) } }
        var owner: Keeper? = Keeper()
        var found: Node<Int>?
        registry.mutable("a", as: Int.self).addListener(owner: owner!) { event in
            if event == .stopped { found = registry.node("b", as: Int.self) }
        }
        owner = nil
        let node = registry.node("b", as: Int.self)
        #expect(node === found && registry.names == ["b"])
        #expect(node.value == (hasFactory ? 1 : nil))
        found = nil
    }

    private func counts(flushes: Int, released: Int) -> PressureCounts {
        let registry = Registry(graph: Graph(), policy: .untilPressure)
        for number in 0..<released { _ = registry.node("\(number)", as: Int.self) }
        for _ in 0..<flushes { registry.flushUnused() }
        return registry.pressure
    }

    @Test("G-131: lowering the limit to or below the count flushes; raising it does not")
    func lowering() {
        let registry = Registry(graph: graph, policy: .untilPressure, limit: 10)
        for name in ["a", "b", "c"] { _ = registry.node(name, as: Int.self) }
        registry.limit = 20
        registry.limit = 4
        #expect(registry.count == 3)
        registry.limit = 3
        #expect(registry.count == 0)
    }

    @Test("G-131: the host may connect a source of pressure, for as long as the registry lives")
    func source() {
        let source = PressureSource()
        var registry: Registry? = Registry(graph: graph, policy: .untilPressure)
        weak let gone = registry
        registry?.flush(on: source)
        _ = registry?.node("a", as: Int.self)
        source.signal()
        #expect(registry?.count == 0 && registry?.pressure.releasedNodes == 1)
        registry = nil
        source.signal()
        #expect(gone == nil)
    }

    @Test("G-132: who keeps nodes of his own drops them first, then flushes")
    func cached() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        var cache: [Node<Int>] = ["a", "b"].map { registry.node($0, as: Int.self) }
        #expect(registry.flushUnused() == 0 && registry.count == 2 && cache.count == 2)
        _ = registry.nodes
        cache = []
        #expect(registry.count == 2)
        #expect(registry.flushUnused() == 2 && registry.count == 0)
    }

    @Test("G-133: wiping flushes first, empties survivors, clears errors; listeners stay and are told")
    func wipe() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        let owner = Keeper()
        registry.mutable("unused", as: Int.self).set(1)
        let nodes = ["a", "b"].map { name in
            registry.mutable(name, as: Int.self).addListener(owner: owner) { [log] in
                log.note("\(name) \(text($0))")
            }
        }
        nodes[0].listen(owner: owner) { [log] _, value in log.note("plain \(value)") }
        for node in nodes {
            node.set(7)
            node.fail(Failure("x"))
        }
        _ = log.take()
        registry.wipe { name, node in name == "b" && !node.isEmpty }
        #expect(registry.names == ["a", "b"] && log.take() == ["b empty by wipe"])
        #expect(nodes[0].value == 7 && nodes[1].isEmpty && nodes[1].latestError == nil)
        registry.wipe()
        #expect(log.take() == ["a empty by wipe", "b empty by wipe"] && nodes[0].latestError == nil)
        nodes[0].set(8)
        #expect(log.lines == ["a 8", "plain 8"])
    }

    @Test("G-158: wiping takes nodes in the order in which their names entered; found again keeps the place")
    func wipeOrder() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        let owner = BagKeeper()
        // Its node is older than its name.
        let old = graph.mutable(0)
        registry.setFactory(for: "late") { old }
        for name in ["b", "a", "c", "late"] {
            registry.node(name, as: Int.self).addListener(owner: owner) { [log] in
                log.note("\(name) \(text($0))")
            }
        }
        registry.remove("b")
        registry.remove("c")
        _ = registry.node("b", as: Int.self)
        #expect(registry.names == ["b", "a", "late"])
        _ = log.take()
        registry.wipe()
        #expect(log.take() == ["b empty by wipe", "a empty by wipe", "late empty by wipe"])
        // Once its node is dead, a name enters anew.
        registry.remove("a")
        registry.node("a", as: Int.self).removeListeners(ownedBy: owner)
        registry.remove("a")
        _ = registry.node("a", as: Int.self)
        #expect(registry.names == ["b", "late", "a"])
    }

    @Test(
        "G-162: wiping takes a pattern of canonical names",
        arguments: [
            ("*", [0, 1, 2, 3]), ("https://example.org/users/*", [0, 1]), ("*/users/?", [0]),
            ("https://EXAMPLE.org/*", []), ("plain", [3]), ("", []),
        ]
    )
    func wipePattern(_ pattern: String, _ wiped: [Int]) {
        let registry = Registry(graph: graph, policy: .always)
        let names = [
            "https://example.org/users/7", "https://Example.org/users/12", "https://example.org/", "plain",
        ]
        let nodes = names.map { registry.mutable($0, as: Int.self) }
        for node in nodes { node.set(1) }
        registry.wipe(matching: pattern)
        #expect(nodes.indices.filter { nodes[$0].isEmpty } == wiped)
    }

    @Test("G-133a: a removed node still in use is the same instance when it is looked up again")
    func removed() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        let owner = BagKeeper()
        registry.mutable("a", as: Int.self).addListener(owner: owner) { [log] in log.note(text($0)) }
        registry.remove("a")
        #expect(registry.count == 0 && registry.retention(of: "a") == .untilPressure)
        registry.wipe()
        #expect(log.lines == ["added(empty)"])
        registry.mutable("a", as: Int.self).set(1)
        #expect(log.lines == ["added(empty)", "1"] && registry.count == 1)
        registry.remove("a")
        owner.listenBag.cancel()
        #expect(registry.mutable("a", as: Int.self).isEmpty)
    }

    @Test("G-134: a node under untilPressure keeps its whole upstream; released, it is made anew")
    func upstream() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        weak var middle: Node<Int>?
        do {
            let node = registry.mutable("total", as: Int.self)
            let between = graph.mutable(1).map { $0 + 1 }
            middle = between
            node.link(to: between.map { $0 * 10 })
        }
        #expect(middle?.value == 2 && graph.counts.liveNodes == 4)
        registry.flushUnused()
        #expect(middle == nil && graph.counts.liveNodes == 0)
        let again = registry.node("total", as: Int.self)
        #expect(again.isEmpty && !again.hasUpstreamNode && !again.hasListener)
    }

    @Test("G-134: a name with a factory is made by it, every time; a factory may ask for other names")
    func factories() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        registry.setFactory(where: { $0.hasPrefix("double/") }) { [unowned registry] name in
            registry.node("raw/" + name.dropFirst(7), as: Int.self).map { $0 * 2 }
        }
        registry.setFactory(for: "double/special") { self.graph.node(0) }
        registry.mutable("raw/a", as: Int.self).set(4)
        #expect(registry.node("double/a", as: Int.self).value == 8)
        #expect(registry.node("double/special", as: Int.self).value == 0)
        #expect(registry.names == ["raw/a", "double/a", "double/special"])
        registry.flushUnused()
        #expect(registry.count == 0)
        #expect(registry.node("double/a", as: Int.self).isEmpty && registry.names == ["raw/a", "double/a"])
    }

    @Test("find gives nil for an unknown name and for another type")
    func find() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        let node = registry.node("a", as: Int.self)
        #expect(registry.find("a", as: Int.self) === node)
        #expect(registry.find("a", as: String.self) == nil && registry.find("b", as: Int.self) == nil)
        #expect(registry.names == ["a"])
    }

    @Test("Asking for a name under another type traps")
    func wrongType() async {
        await #expect(processExitsWith: .failure) {
            let registry = Registry(graph: Graph(), policy: .always)
            _ = registry.node("a", as: Int.self)
            _ = registry.node("a", as: String.self)
        }
    }

    @Test("A factory that asks for its own name traps")
    func ownName() async {
        await #expect(processExitsWith: .failure) {
            let registry = Registry(graph: Graph())
            registry.setFactory(for: "a") { registry.node("a", as: Int.self) }
            _ = registry.node("a", as: Int.self)
        }
    }

    @Test("A node may have names in several registries, and outlives them")
    func several() {
        var first: Registry? = Registry(graph: graph, policy: .always)
        let second = Registry(graph: graph)
        var node: Node<Int>? = first?.node("a", as: Int.self)
        second.setFactory(for: "b") { [weak node] in node! }
        #expect(second.node("b", as: Int.self) === node && second.count == 1)
        first = nil
        #expect(second.count == 1)
        node = nil
        #expect(second.count == 0 && graph.counts.liveNodes == 0 && first == nil)
    }

    @Test("G-120: owners can be removed from all names at once, in order of creation")
    func removeOwners() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        let owner = Keeper()
        for name in ["z", "a", "m"] {
            registry.node(name, as: Int.self).addListener(owner: owner) { [log] in
                log.note("\(name) \(text($0))")
            }
        }
        let outside = graph.mutable(1)
        outside.addListener(owner: owner) { _ in }
        _ = log.take()
        registry.removeListeners(ownedBy: nil)
        registry.removeListeners(ownedBy: owner)
        #expect(log.lines == ["z stopped", "a stopped", "m stopped"] && outside.hasListener)
    }
}
