import ReactiveGraph
import Testing

/// What became of the inner nodes of a switch by the time of saving.
@Suite("Saving and restoring switches")
struct SwitchStateTests {
    /// A switch by parity, a node that follows its latest inner node, and one that has seen a
    /// single pair.
    private struct World {
        let graph = Graph()
        let source: MutableNode<Int>
        let nodes: [AnyNode]
        let latest: Node<Int>
        let even: Node<Int>

        init(_ limit: KeyLimit = .unlimited, releasesUnused: Bool = false) {
            source = graph.mutable(0)
            let pairs = source.switch(maxKeys: limit, releasesUnused: releasesUnused) { $0 % 2 }
            latest = pairs.otherwise(excluding: [])
            let first = pairs.take(2)
            let second = first.skip(1)
            even = second.case(0)
            nodes = [source, pairs, latest, first, second, even]
        }

        func save() throws -> [UInt8] {
            var writer = StateWriter { value, bytes in bytes += "\(value)".utf8 }
            graph.saveState(of: nodes, to: &writer)
            if let error = writer.error { throw error }
            return writer.bytes
        }

        func restore(_ bytes: [UInt8]) throws {
            var reader = StateReader(bytes) { bytes, _ in
                guard let value = Int(String(decoding: bytes, as: UTF8.self)) else {
                    throw StateError.malformed
                }
                return value
            }
            try graph.restoreState(of: nodes, from: &reader)
            #expect(reader.isAtEnd)
        }
    }

    @Test(
        "G-164: an inner node that nothing follows for a moment, while others are restored, stays in its switch"
    )
    func idleForAMoment() throws {
        let first = World(releasesUnused: true)
        for value in [2, 1] { first.source.set(value) }
        let second = World(releasesUnused: true)
        try second.restore(first.save())
        for world in [first, second] {
            world.source.set(4)
            #expect(world.even.value == 4)
            #expect(world.graph.validate(roots: world.nodes) == [])
        }
    }

    @Test("G-164: an inner node that its switch has dropped is followed on, and silent")
    func evicted() throws {
        let first = World(.evictOldest(1))
        for value in [2, 1] { first.source.set(value) }
        let second = World(.evictOldest(1))
        try second.restore(first.save())
        #expect(second.graph.counts.liveFollowings == first.graph.counts.liveFollowings)
        for world in [first, second] {
            for value in [4, 3] { world.source.set(value) }
            #expect(world.even.value == 2)
            #expect(world.latest.value == 3)
        }
    }
}
