import ReactiveGraph
import TestSupport
import Testing

/// A declared name whose node adds one to its first input.
private final class Declared: RegistryEntry {
    private unowned let names: Registry
    private let inputs: [String]
    var log: EventLog?

    init(_ key: String, in registry: Registry, from inputs: [String] = [], _ retention: Retention? = nil) {
        names = registry
        self.inputs = inputs
        super.init(key)
        override = retention
        registry.declare(self)
    }

    override func input(_ number: Int) -> RegistryEntry? {
        number < inputs.count ? names.entry(inputs[number]) : nil
    }

    override func make() -> AnyNode {
        log?.note("make \(key)")
        guard let input = input(0)?.node as? Node<Int> else { return names.graph.mutable(0) }
        return input.map { $0 + 1 }
    }

    override func nodeDied(_ node: AnyNode) { log?.note("\(key) died") }
}

@Suite("Declared names")
struct DeclaredTests {
    private let graph = Graph()
    private let log = EventLog()

    @Test("G-127, G-134: a declared name stays when its node dies, and makes it again")
    func stays() {
        let registry = Registry(graph: graph)
        let entry = Declared("a", in: registry)
        entry.log = log
        #expect(registry.entry("a") === entry && entry.node == nil && registry.names == ["a"])
        var node: AnyNode? = registry.node(of: entry)
        #expect(registry.node("a", as: Int.self) === node && node?.name == "a" && entry.node === node)
        #expect(node?.entry(in: registry) === entry)
        node = nil
        #expect(entry.node == nil && registry.entry("a") === entry)
        #expect(registry.node("a", as: Int.self).value == 0)
        #expect(log.lines == ["make a", "a died", "make a", "a died"] && graph.counts.liveNodes == 0)
    }

    @Test("G-131: a declared name counts while pressure would release its node")
    func counts() {
        let registry = Registry(graph: graph, limit: 2)
        let policies: [Retention] = [.whileInUse, .untilPressure, .always]
        let entries = policies.map {
            Declared($0.rawValue, in: registry, $0)
        }
        let nodes = entries.map(registry.node)
        #expect(registry.count == 1 && !registry.isFull)
        _ = registry.node("other", as: Int.self, retention: .always)
        #expect(registry.count == 2 && registry.isFull)
        registry.flushUnused()
        #expect(registry.count == 1 && entries.map(\.isHeld) == [false, false, true])
        entries[1].hold()
        #expect(registry.count == 2 && entries[1].isHeld)
        withExtendedLifetime(nodes) {}
    }

    @Test("G-138: inputs are made first, each once, without native stack")
    func deep() {
        onThread(stackBytes: 512 * 1024) {
            let graph = Graph()
            let registry = Registry(graph: graph)
            _ = Declared("0", in: registry)
            for number in 1...100_000 {
                _ = Declared("\(number)", in: registry, from: ["\(number - 1)", "\(number - 1)"])
            }
            let node = registry.node("100000", as: Int.self)
            #expect(node.value == 100_000 && graph.counts.liveNodes == 100_001)
        }
    }

    @Test("G-133a: a removed name is not found, its node lives while in use, and may be declared again")
    func again() {
        let registry = Registry(graph: graph, policy: .always)
        let first = Declared("a", in: registry)
        let node = registry.node(of: first)
        registry.remove(first)
        #expect(registry.entry("a") == nil && registry.names == [] && first.node === node)
        let second = Declared("a", in: registry)
        #expect(registry.entry("a") === second && second.node == nil && first.node == nil)
        #expect(registry.node(of: second) !== node && node.entry(in: registry) == nil)
        registry.remove(second)
        registry.remove(second)
        #expect(second.node == nil && registry.entry("a") == nil)
        withExtendedLifetime(node) {}
    }

    @Test("G-147: nothing is left when names come and go, and when the registry goes first")
    func leaks() {
        weak var gone: Declared?
        var node: AnyNode?
        do {
            let registry = Registry(graph: graph, policy: .untilPressure)
            for round in 0..<100 {
                let entry = Declared("\(round)", in: registry)
                gone = entry
                node = registry.node(of: entry)
                if round % 2 == 0 { registry.flushUnused() }
                if round < 99 { registry.remove(entry) }
            }
            #expect(graph.counts.liveNodes == 1 && registry.count == 1)
        }
        #expect(gone == nil && graph.counts.liveNodes == 1 && node?.name == "99" && node?.isEmpty == false)
    }
}
