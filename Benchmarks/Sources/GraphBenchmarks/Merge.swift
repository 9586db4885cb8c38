import OpenCombine
import ReactiveGraph

// OpenCombine has no merge: it is the flatMap of a list of publishers there.

/// Published case "merge": ten of two nodes, one of which is set.
func tenMerges() -> Case {
    Case(
        "10 merges of 2 nodes, each with a listener",
        unit: "merge",
        units: 10,
        target: 25,
        atLeast: 5.7,
        family: .merge,
        [
            .sluice(deliveries: 10) { sink in
                let graph = Graph()
                let left = graph.mutable(0)
                let right = graph.mutable(0)
                for _ in 0..<10 {
                    Node.merge([left, right]).listen(in: sink.bag, replay: false) { sink.take($0) }
                }
                return { for value in $0 { (value & 1 == 0 ? left : right).set(value) } }
            },
            .openCombine("flatMap", deliveries: 10) { sink in
                let left = CurrentValueSubject<Int, Never>(0)
                let right = CurrentValueSubject<Int, Never>(0)
                for _ in 0..<10 {
                    [left, right].publisher.flatMap { $0 }
                        .sink { sink.take($0) }.store(in: &sink.cancellables)
                }
                return { for value in $0 { (value & 1 == 0 ? left : right).send(value) } }
            },
        ]
    )
}

/// The other form: one of ten nodes, which are set in turn.
func mergeOfTen() -> Case {
    Case(
        "merge of 10 nodes, with a listener",
        unit: "set",
        units: 1,
        atLeast: 1,
        family: .merge,
        [
            .sluice(deliveries: 1) { sink in
                let graph = Graph()
                let inputs = (0..<10).map { _ in graph.mutable(0) }
                Node.merge(inputs).listen(in: sink.bag, replay: false) { sink.take($0) }
                return { for value in $0 { inputs[value % 10].set(value) } }
            },
            .openCombine("flatMap", deliveries: 1) { sink in
                let inputs = (0..<10).map { _ in CurrentValueSubject<Int, Never>(0) }
                inputs.publisher.flatMap { $0 }
                    .sink { sink.take($0) }.store(in: &sink.cancellables)
                return { for value in $0 { inputs[value % 10].send(value) } }
            },
        ]
    )
}
