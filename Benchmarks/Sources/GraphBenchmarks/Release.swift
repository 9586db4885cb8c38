import OpenCombine
import ReactiveGraph

/// A chain is built, receives its first value, and is released with its listener: a thousand such
/// lives are a million nodes.
func lifeOfChain(_ length: Int) -> Case {
    Case(
        "life of a chain of \(length) maps",
        unit: "node",
        units: length,
        [
            .sluice("built, fed once, released", deliveries: 1, allocations: nil) { sink in
                let graph = Graph()
                let source = graph.mutable(0)
                return {
                    for _ in $0 {
                        var last: Node<Int> = source
                        for _ in 0..<length { last = last.map { $0 &+ 1 } }
                        last.listen(in: sink.bag) { sink.take($0) }
                        sink.bag.cancel()
                    }
                }
            },
            .openCombine("CurrentValueSubject per stage, the same", deliveries: 1) { sink in
                let source = CurrentValueSubject<Int, Never>(0)
                return {
                    for _ in $0 {
                        var last = source
                        for _ in 0..<length {
                            let next = CurrentValueSubject<Int, Never>(0)
                            last.map { $0 &+ 1 }.sink { next.send($0) }.store(in: &sink.cancellables)
                            last = next
                        }
                        last.sink { sink.take($0) }.store(in: &sink.cancellables)
                        sink.cancellables.removeAll()
                    }
                }
            },
        ]
    )
}
