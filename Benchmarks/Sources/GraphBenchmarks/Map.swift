import OpenCombine
import ReactiveGraph

/// Published case "map": ten maps of one node, each with a listener.
func tenMaps() -> Case {
    Case(
        "10 maps of one node, each with a listener",
        unit: "map",
        units: 10,
        atLeast: 1,
        family: .map,
        [
            .sluice(deliveries: 10) { sink in
                let source = Graph().mutable(0)
                for _ in 0..<10 {
                    source.map { $0 &+ 1 }.listen(in: sink.bag, replay: false) { sink.take($0) }
                }
                return { for value in $0 { source.set(value) } }
            },
            .openCombine(deliveries: 10) { sink in
                let source = CurrentValueSubject<Int, Never>(0)
                for _ in 0..<10 {
                    source.map { $0 &+ 1 }.sink { sink.take($0) }.store(in: &sink.cancellables)
                }
                return { for value in $0 { source.send(value) } }
            },
        ]
    )
}

/// The same with a value that has to be counted: text.
func tenMapsToText() -> Case {
    Case(
        "10 maps to text, each with a listener",
        unit: "map",
        units: 10,
        atLeast: 1,
        family: .map,
        [
            .sluice(deliveries: 10, allocations: nil) { sink in
                let source = Graph().mutable(0)
                for _ in 0..<10 {
                    source.map { String($0) }.listen(in: sink.bag, replay: false) { sink.take($0.utf8.count) }
                }
                return { for value in $0 { source.set(value) } }
            },
            .openCombine(deliveries: 10) { sink in
                let source = CurrentValueSubject<Int, Never>(0)
                for _ in 0..<10 {
                    source.map { String($0) }.sink { sink.take($0.utf8.count) }.store(in: &sink.cancellables)
                }
                return { for value in $0 { source.send(value) } }
            },
        ]
    )
}
