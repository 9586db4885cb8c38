import OpenCombine
import ReactiveGraph

/// Published case "filter": ten filters of one node that let everything pass, each with a listener.
func tenFilters() -> Case {
    Case(
        "10 filters of one node, each with a listener",
        unit: "filter",
        units: 10,
        atLeast: 1,
        family: .filter,
        [
            .sluice(deliveries: 10) { sink in
                let source = Graph().mutable(0)
                for _ in 0..<10 {
                    source.filter { $0 >= 0 }.listen(in: sink.bag, replay: false) { sink.take($0) }
                }
                return { for value in $0 { source.set(value) } }
            },
            .openCombine(deliveries: 10) { sink in
                let source = CurrentValueSubject<Int, Never>(0)
                for _ in 0..<10 {
                    source.filter { $0 >= 0 }.sink { sink.take($0) }.store(in: &sink.cancellables)
                }
                return { for value in $0 { source.send(value) } }
            },
        ]
    )
}
