import OpenCombine
import ReactiveGraph

/// A source, a number of maps in a row, each with a closure, and one listener at the end.
func chain(_ length: Int) -> Case {
    Case(
        "chain of \(length) maps",
        unit: "node",
        units: length,
        target: 10,
        [
            Contestant("Sluice, every node holds its value", deliveries: 1, allocations: 0) {
                let graph = Graph()
                let source = graph.mutable(0)
                var last: Node<Int> = source
                for _ in 0..<length { last = last.map { $0 &+ 1 } }
                let sink = Sink()
                last.listen(in: sink.bag, replay: false) { sink.take($0) }
                return { times in sink.counting { for value in 0..<times { source.set(value) } } }
            },
            Contestant("OpenCombine, CurrentValueSubject per stage (holds a value)", deliveries: 1) {
                let source = CurrentValueSubject<Int, Never>(0)
                var last = source
                let sink = Sink()
                for _ in 0..<length {
                    let next = CurrentValueSubject<Int, Never>(0)
                    last.map { $0 &+ 1 }.sink { next.send($0) }.store(in: &sink.cancellables)
                    last = next
                }
                last.sink { sink.take($0) }.store(in: &sink.cancellables)
                return { times in sink.counting { for value in 0..<times { source.send(value) } } }
            },
            Contestant("OpenCombine, erased map (holds none)", deliveries: 1) {
                let source = PassthroughSubject<Int, Never>()
                var last = source.eraseToAnyPublisher()
                for _ in 0..<length { last = last.map { $0 &+ 1 }.eraseToAnyPublisher() }
                let sink = Sink()
                last.sink { sink.take($0) }.store(in: &sink.cancellables)
                return { times in sink.counting { for value in 0..<times { source.send(value) } } }
            },
        ]
    )
}
