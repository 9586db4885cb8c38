import TestSupport
import Testing

@testable import ReactiveGraph

/// Parks its edge with the first value that is too large, and passes others on.
private struct Parking: Operator {
    let name = "Parking"
    let limit: Int
    let parked: (PostponingEdge) -> Void

    mutating func receive(_ value: Int, at site: Site) -> Emission<Int>? {
        guard value > limit else { return .value(value) }
        let edge = PostponingEdge(at: site)
        edge.park()
        parked(edge)
        return nil
    }
}

@Suite("Parked edges cost emissions of their source nothing")
struct ParkingTests {
    private let graph = Graph()

    @Test("A parked edge receives only what it is given; others are served, and so are new ones")
    func parked() throws {
        let source = graph.mutable(0)
        var edge: PostponingEdge?
        let first = source.apply(Parking(limit: 10) { edge = $0 })
        let second = source.map { $0 + 1 }
        var missed: [Int] = []
        source.observeMissed { if case .value(let value) = $0 { missed.append(value) } }
        source.set(5)
        source.set(11)
        let third = source.map { $0 * 2 }
        source.set(1)
        source.set(2)
        #expect(first.value == 5 && second.value == 3 && third.value == 4)
        // The walk that began before the edge was parked came past its new place.
        #expect(missed == [11, 1, 2])
        expectSound(graph, source, first, second, third)
        let parked = try #require(edge)
        parked.deliver(Emission<Int>.value(1))
        #expect(first.value == 1 && source.value == 2)
        parked.unpark()
        source.set(3)
        #expect(first.value == 3 && second.value == 4 && third.value == 6)
        #expect(missed == [11, 1, 2])
        expectSound(graph, source, first, second, third)
    }

    @Test("Parked edges may end in any order; the number of a connection stays what it was")
    func ends() {
        let source = graph.mutable(0)
        var edges: [PostponingEdge] = []
        var nodes = (0..<6).map { _ in source.apply(Parking(limit: 10) { edges.append($0) }) }
        let before = nodes.map { $0.connections.map(\.number) }
        source.set(11)
        #expect(edges.count == 6 && nodes.map { $0.connections.map(\.number) } == before)
        var seed = SeededGenerator(seed: 7)
        while !nodes.isEmpty {
            if Bool.random(using: &seed) { edges.randomElement(using: &seed)?.unpark() }
            nodes.remove(at: Int.random(in: nodes.indices, using: &seed))
            if nodes.count > 2 { source.set(1) }
            #expect(graph.validate(roots: [source] + nodes) == [])
        }
        edges = []
        let last = source.map { $0 }
        source.set(4)
        #expect(last.value == 4)
        expectSound(graph, source, last)
    }
}
