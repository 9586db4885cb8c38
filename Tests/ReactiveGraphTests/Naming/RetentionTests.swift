import ReactiveGraph
import TestSupport
import Testing

/// The names of ``RetainedNames`` in a registry, made by factories.
private final class Names: RetainedNames {
    private let graph = Graph()
    private let registry: Registry
    private let x: MutableNode<Int>

    init(limit: Int) {
        // `x` and `fixed` count, too.
        let registry = Registry(graph: graph, policy: .untilPressure, limit: limit + 2)
        self.registry = registry
        x = registry.mutable("x", as: Int.self, retention: .always)
        x.set(1)
        let named = { [unowned registry] in registry.node($0, as: Int.self) }
        registry.setFactory(for: "sum") { named("x").scan(0) { $0 + $1 } }
        registry.setFactory(for: "more") { named("sum").map { $0 + 1 } }
        for name in ["loose", "fixed", "k0", "k1", "k2", "k3"] {
            registry.setFactory(for: name) { named("x").map { $0 } }
        }
        _ = registry.node("fixed", as: Int.self, retention: .always)
    }

    func set(_ value: Int) { x.set(value) }

    func read(_ name: String) -> Int? { look(name).value }

    func listen(_ name: String) -> () -> Void {
        let bag = CancellableBag()
        look(name).listen(in: bag) { _ in }
        return { bag.cancel() }
    }

    private func look(_ name: String) -> Node<Int> {
        registry.node(name, as: Int.self, retention: name == "loose" ? .whileInUse : nil)
    }

    func retain(_ name: String, _ retention: Retention) { registry.setRetention(retention, of: name) }
    func remove(_ name: String) { registry.remove(name) }
    func flush() { registry.flushUnused() }
    func number(of name: String) -> UInt64? { registry.entry(name)?.node?.id }
    var nodes: Int { graph.counts.liveNodes }
}

@Suite("Retention in a registry")
struct RetentionTests {
    private typealias Rules = RetentionRules<Names>

    @Test("G-126: a named node with a listener lives") func listened() { #expect(Rules.listened() == []) }
    @Test("G-127: one node per name, while anything holds it") func one() { #expect(Rules.one() == []) }
    @Test("G-128, G-129: what each policy keeps") func policies() { #expect(Rules.policies() == []) }
    @Test("G-129: another policy holds from now on") func change() { #expect(Rules.change() == []) }
    @Test("G-130: survivors are held again when looked up") func survivors() {
        #expect(Rules.survivors() == [])
    }
    @Test("G-130: all references are given up at once") func together() { #expect(Rules.together() == []) }
    @Test("G-131: the soft limit") func limit() { #expect(Rules.limit() == []) }
    @Test("G-133a: a name that was taken out") func removed() { #expect(Rules.removed() == []) }
    @Test("G-134: a kept node keeps its upstream, and is made anew") func anew() {
        #expect(Rules.anew() == [])
    }
}
