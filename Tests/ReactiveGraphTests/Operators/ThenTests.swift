import ReactiveGraph
import TestSupport
import Testing

@Suite("Then")
struct ThenTests {
    let graph = Graph()

    @Test("G-69: runs at once, once, and returns the receiver")
    func then() {
        let source = graph.mutable(1)
        var seen: [AnyNode] = []
        let same = source.then { seen.append($0) }
        #expect(same === source)
        #expect(seen == [source])
    }

    @Test("G-69: hands on what its closure throws, and holds nothing")
    func failure() {
        struct Failure: Error {}
        let source = graph.mutable(1)
        #expect(throws: Failure.self) { try source.then { _ in throw Failure() } }
        expectReleased { $0.map { $0 }.then { _ in } }
    }
}
