import ReactiveGraph
import Testing

@Suite("Flushing by name (G-131, I-4)")
struct FlushMatchingTests {
    @Test("I-4: a flush of a pattern releases unused nodes whose names match, and no others")
    func matching() {
        let registry = Registry(graph: Graph(), policy: .untilPressure, naming: .verbatim)
        for name in ["room.a", "room.b", "hall"] { _ = registry.mutable(name, as: Int.self) }
        let used = registry.mutable("room.used", as: Int.self)
        #expect(registry.flushUnused(matching: "cellar.*") == 0)
        #expect(registry.flushUnused(matching: "room.*") == 2)
        #expect(Set(registry.names) == ["hall", "room.used"])
        #expect(registry.flushUnused(matching: "h?ll") == 1)
        #expect(registry.names == ["room.used"])
        withExtendedLifetime(used) {}
    }
}
