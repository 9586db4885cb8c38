import OpenCombine
import ReactiveGraph

// OpenCombine has no combineLatest: it is put together from flatMap and scan, as one would there.

/// Published case "combine": ten of two inputs, one of which is set.
func tenCombines() -> Case {
    Case(
        "10 combines of 2 nodes, each with a listener",
        unit: "combine",
        units: 10,
        target: 45,
        atLeast: 1,
        family: .combine,
        [
            .sluice(deliveries: 10) { sink in
                let graph = Graph()
                let left = graph.mutable(0)
                let right = graph.mutable(0)
                for _ in 0..<10 {
                    Node.combineEach(left, right) { $0 &+ $1 }
                        .listen(in: sink.bag, replay: false) { sink.take($0) }
                }
                return { for value in $0 { (value & 1 == 0 ? left : right).set(value) } }
            },
            .openCombine("flatMap and scan", deliveries: 10) { sink in
                let left = CurrentValueSubject<Int, Never>(0)
                let right = CurrentValueSubject<Int, Never>(0)
                for _ in 0..<10 {
                    let marked = [left.map { (true, $0) }, right.map { (false, $0) }]
                    marked.publisher.flatMap { $0 }
                        .scan((0, 0)) { $1.0 ? ($1.1, $0.1) : ($0.0, $1.1) }
                        .map { $0.0 &+ $0.1 }
                        .sink { sink.take($0) }.store(in: &sink.cancellables)
                }
                return { for value in $0 { (value & 1 == 0 ? left : right).send(value) } }
            },
        ]
    )
}

/// The other form: one of ten inputs, which are set in turn.
func combineOfTen() -> Case {
    Case(
        "combine of 10 nodes, with a listener",
        unit: "set",
        units: 1,
        atLeast: 1,
        family: .combine,
        [
            .sluice(deliveries: 1) { sink in
                let graph = Graph()
                let inputs = (0..<10).map { _ in graph.mutable(0) }
                Node.combineEach(inputs) { $0.reduce(0, &+) }
                    .listen(in: sink.bag, replay: false) { sink.take($0) }
                return { for value in $0 { inputs[value % 10].set(value) } }
            },
            .openCombine("flatMap and scan", deliveries: 1) { sink in
                let inputs = (0..<10).map { _ in CurrentValueSubject<Int, Never>(0) }
                let marked = inputs.enumerated().map { index, input in input.map { (index, $0) } }
                marked.publisher.flatMap { $0 }
                    .scan([Int](repeating: 0, count: 10)) { latest, change in
                        var latest = latest
                        latest[change.0] = change.1
                        return latest
                    }
                    .map { $0.reduce(0, &+) }
                    .sink { sink.take($0) }.store(in: &sink.cancellables)
                return { for value in $0 { inputs[value % 10].send(value) } }
            },
        ]
    )
}
