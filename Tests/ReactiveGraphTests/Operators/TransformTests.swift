import ReactiveGraph
import TestSupport
import Testing

@Suite("Transform")
struct TransformTests {
    let graph = Graph()

    @Test("Is called with values and empties, and with the present emission at connection")
    func emits() {
        let source = graph.mutable(of: Int.self)
        let filled = source.transform(named: "IfEmpty") { emission, _ in
            emission.isEmpty ? .value(-1) : emission
        }
        let heard = Recorder(filled)
        source.set(5)
        source.clear()
        #expect(heard.history == [-1, 5, -1])
        #expect(filled.upstreamTransforms.map(\.name) == ["IfEmpty"])
    }

    @Test("nil means that nothing happens, empty that the node becomes empty")
    func silence() {
        let source = graph.mutable(1)
        let derived: Node<Int> = source.transform(named: "Odd") { emission, _ in
            guard let value = emission.value, value < 10 else { return .empty }
            return value.isMultiple(of: 2) ? nil : emission
        }
        let heard = EmissionRecorder(derived)
        for value in [2, 3, 10] { source.set(value) }
        #expect(heard.history == [.value(1), .value(3), .empty])
    }

    @Test("Receives the context")
    func context() {
        let source = graph.mutable(of: Int.self)
        let who: Node<String> = source.transform(named: "Who") { _, context in
            .value(context?.value() ?? "nobody")
        }
        #expect(who.value == "nobody")
        source.set(1, context: Context("me"))
        #expect(who.value == "me")
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.transform(named: "Same") { emission, _ in emission } }
    }
}
