import TestSupport
import Testing

@testable import ReactiveGraph

@Suite("Parked edges cost emissions of their source nothing")
struct ParkingTests {
    private let graph = Graph()

    @Test("A parked edge receives only what it is given; others are served, and so are new ones")
    func parked() throws {
        let source = graph.mutable(0)
        let first = source.map { $0 }
        let second = source.map { $0 + 1 }
        var missed: [Int] = []
        source.observeMissed { if case .value(let value) = $0 { missed.append(value) } }
        source.set(5)
        let parked = try #require(PostponingEdge(into: first))
        #expect(parked.source === source)
        parked.park()
        source.set(11)
        let third = source.map { $0 * 2 }
        source.set(1)
        source.set(2)
        #expect(first.value == 5 && second.value == 3 && third.value == 4)
        #expect(missed == [11, 1, 2])
        expectSound(graph, source, first, second, third)
        parked.deliver(Emission<Int>.value(1))
        #expect(first.value == 1 && source.value == 2)
        expectSound(graph, source, first, second, third)
    }

    @Test("Parked edges may end in any order; the number of a connection stays what it was")
    func ends() {
        let source = graph.mutable(0)
        var nodes = (0..<6).map { _ in source.map { $0 } }
        let before = nodes.map { $0.connections.map(\.number) }
        for node in nodes { PostponingEdge(into: node)?.park() }
        #expect(nodes.map { $0.connections.map(\.number) } == before)
        var seed = SeededGenerator(seed: 7)
        while !nodes.isEmpty {
            nodes.remove(at: Int.random(in: nodes.indices, using: &seed))
            if nodes.count > 2 { source.set(1) }
            #expect(graph.validate(roots: [source] + nodes) == [])
        }
        let last = source.map { $0 }
        source.set(4)
        #expect(last.value == 4)
        expectSound(graph, source, last)
    }
}
