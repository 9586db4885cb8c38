import ReactiveGraph
import Testing

@Suite("Batches")
struct BatchTests {
    @Test("A batch emits a combine once (G-34a)")
    func once() {
        let graph = Graph()
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let sum = Node.combineEach(a, b) { $0 + $1 }
        let bag = CancellableBag()
        var heard: [Int] = []
        sum.listen(in: bag) { heard.append($0) }
        graph.batch { batch in
            batch.set(a, 10)
            batch.set(b, 20)
        }
        #expect(heard == [3, 30])
    }
}
