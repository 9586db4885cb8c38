import ReactiveGraph
import TestSupport
import Testing

@Suite("DefaultCase")
struct DefaultCaseTests {
    let graph = Graph()

    @Test("G-93: the default case is the nil key, not what no other case took")
    func emits() {
        let source = graph.mutable(1)
        let fallback = Recorder(source.switch { $0 > 10 ? nil : $0 }.defaultCase())
        for value in [2, 3, 11, 4, 1, 12] { source.set(value) }
        #expect(fallback.history == [11, 12])
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.switch { _ in Int?.none }.defaultCase() }
    }
}
