import ReactiveGraph
import TestSupport
import Testing

@Suite("Functions that fail, in filter, scan and flatten")
struct TryOperatorTests {
    struct Odd: Error {}

    let graph = Graph()

    func half(_ value: Int) throws -> Int {
        guard value.isMultiple(of: 2) else { throw Odd() }
        return value / 2
    }

    @Test("G-99: tryFilter drops values for which its predicate fails, and reports to the graph")
    func filter() {
        var errors: [String] = []
        graph.onError = { errors.append($0.description) }
        let source = graph.mutable(0)
        let kept = Recorder(source.tryFilter { try half($0) > 1 }.named("kept"))
        let other = Recorder(source.map { $0 })
        for value in [2, 3, 4, 5, 6] { source.set(value) }
        #expect(kept.history == [4, 6])
        #expect(other.history == [0, 2, 3, 4, 5, 6])
        #expect(errors.count == 2 && errors[0].contains("tryFilter"))
    }

    @Test("G-99, G-72: tryScan keeps the running value when its function fails")
    func scan() throws {
        var errors = 0
        graph.onError = { _ in errors += 1 }
        let source = graph.mutable(2)
        let sum = source.tryScan(0) { try $0 + half($1) }
        let heard = Recorder(sum)
        source.set(3)
        source.set(4)
        #expect(heard.history == [1, 3] && errors == 1)
        let edge = try #require(sum.upstreamTransforms.first as? TransformEdge<Int, Int>)
        edge.from = graph.mutable(10)
        #expect(sum.value == 5)
    }

    @Test("G-99, G-77: tryFlattenMap continues following when its function fails")
    func flatten() {
        var errors = 0
        graph.onError = { _ in errors += 1 }
        let inner = graph.mutable("a")
        let source = graph.mutable(2)
        let flat = source.tryFlattenMap { value in
            _ = try half(value)
            return inner
        }
        source.set(3)
        inner.set("b")
        #expect(flat.value == "b" && errors == 1)
    }

    @Test("G-99: mapResult reports to the graph too")
    func result() {
        var errors: [String] = []
        graph.onError = { errors.append($0.description) }
        let results = graph.mutable(3).mapResult { try half($0) }.named("halves")
        #expect(throws: Odd.self) { try results.value?.get() }
        #expect(errors.count == 1 && errors[0].contains("mapResult"))
    }

    @Test("G-48, G-99: a failing function in one branch leaves no node stuck, and a handler may set and cut")
    func handler() {
        let source = graph.mutable(0)
        let errors = graph.mutable(0)
        var halves: Node<Int>? = source.tryMap { try half($0) }
        graph.onError = { _ in
            errors.set((errors.value ?? 0) + 1)
            halves = nil
        }
        let after = Recorder(source.map { $0 })
        source.set(1)
        source.set(2)
        #expect(after.history == [0, 1, 2])
        #expect(errors.value == 1 && halves == nil)
        expectSound(graph, source, errors)
    }

    @Test("G-99: a function that cuts its own edge and then fails is reported")
    func cutsAndFails() {
        var errors = 0
        graph.onError = { _ in errors += 1 }
        let source = graph.mutable(0)
        var halves: Node<Int>?
        halves = source.tryMap { value in
            if value == 1 { halves?.removeUpstreamNodes() }
            return try half(value)
        }
        source.set(1)
        #expect(errors == 1 && halves?.value == 0)
    }

    @Test("Are released with their last holder")
    func release() {
        expectReleased { $0.tryFilter { $0 > 0 } }
        expectReleased { $0.tryScan(0) { $0 + $1 } }
        expectReleased { source in
            let inner = source.map { $0 }
            return source.tryFlattenMap { _ in inner }
        }
    }
}
