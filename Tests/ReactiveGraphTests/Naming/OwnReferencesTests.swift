import ReactiveGraph
import Testing

@Suite("A client's own references to named nodes")
struct OwnReferencesTests {
    let graph = Graph()

    @Test(
        "G-132: what a client keeps survives a flush; dropped before, it goes",
        arguments: Retention.allCases
    )
    func dropFirst(retention: Retention) {
        let registry = Registry(graph: graph, policy: retention)
        var cache: [Node<Int>] = ["a", "b"].map { registry.node($0, as: Int.self) }
        #expect(registry.flushUnused() == 0)
        #expect(registry.names == ["a", "b"])
        // Looked up again, they are the registry's again (G-130).
        _ = registry.nodes
        withExtendedLifetime(cache) {}
        cache.removeAll()
        // While in use is all that goes without a flush.
        #expect(registry.count == (retention == .whileInUse ? 0 : 2))
        #expect(registry.flushUnused() == (retention == .untilPressure ? 2 : 0))
        #expect(registry.names == (retention == .always ? ["a", "b"] : []))
    }

    @Test("G-132: a listener to the same pressure drops its references first, or they go next time")
    func orderOfHandlers() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        let source = PressureSource()
        final class Cache { var node: Node<Int>? }
        let cache = Cache()
        cache.node = registry.node("a", as: Int.self)
        // This one is called before the registry, and releases the node.
        source.add {
            cache.node = nil
            return true
        }
        registry.flush(on: source)
        source.signal()
        let remained = registry.count
        registry.flushUnused()
        #expect(remained <= 1 && registry.count == 0)
    }
}
