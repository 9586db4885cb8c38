import OpenCombine
import ReactiveGraph

/// A chain is built, hears its first value, and is released with its listener: a thousand such lives are a million nodes.
func lifeOfChain(_ length: Int) -> Case {
    Case(
        "life of a chain of \(length) maps",
        unit: "node",
        units: length,
        [
            Contestant("Sluice, built, fed once, released", deliveries: 1) {
                let graph = Graph()
                let source = graph.mutable(0)
                let sink = Sink()
                return { times in
                    sink.counting {
                        for _ in 0..<times {
                            var last: Node<Int> = source
                            for _ in 0..<length { last = last.map { $0 &+ 1 } }
                            last.listen(in: sink.bag) { sink.take($0) }
                            sink.bag.cancel()
                        }
                    }
                }
            },
            Contestant("OpenCombine, CurrentValueSubject per stage, the same", deliveries: 1) {
                let source = CurrentValueSubject<Int, Never>(0)
                let sink = Sink()
                return { times in
                    sink.counting {
                        for _ in 0..<times {
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
                }
            },
        ]
    )
}
