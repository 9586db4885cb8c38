import OpenCombine
import ReactiveGraph

/// Published case "zip": ten of two nodes; one operation sets both.
func tenZips() -> Case {
    Case(
        "10 zips of 2 nodes, each with a listener",
        unit: "tuple",
        units: 10,
        atLeast: 1,
        family: .zip,
        [
            .sluice(deliveries: 10) { sink in
                let graph = Graph()
                let left = graph.mutable(of: Int.self)
                let right = graph.mutable(of: Int.self)
                for _ in 0..<10 {
                    Node.zipEach(left, right) { $0 &+ $1 }
                        .listen(in: sink.bag, replay: false) { sink.take($0) }
                }
                return {
                    for value in $0 {
                        left.set(value)
                        right.set(value)
                    }
                }
            },
            .openCombine(deliveries: 10) { sink in
                let left = PassthroughSubject<Int, Never>()
                let right = PassthroughSubject<Int, Never>()
                for _ in 0..<10 {
                    left.zip(right) { $0 &+ $1 }
                        .sink { sink.take($0) }.store(in: &sink.cancellables)
                }
                return {
                    for value in $0 {
                        left.send(value)
                        right.send(value)
                    }
                }
            },
        ]
    )
}

/// The other form: one of ten nodes; one operation sets each of them.
func zipOfTen() -> Case {
    Case(
        "zip of 10 nodes, with a listener",
        unit: "set",
        units: 10,
        atLeast: 1,
        family: .zip,
        [
            .sluice(deliveries: 1) { sink in
                let graph = Graph()
                let inputs = (0..<10).map { _ in graph.mutable(of: Int.self) }
                Node.zipEach(inputs) { $0.reduce(0, &+) }
                    .listen(in: sink.bag, replay: false) { sink.take($0) }
                return { for value in $0 { for input in inputs { input.set(value) } } }
            },
            .openCombine("zips of four, four and two, zipped", deliveries: 1) { sink in
                let inputs = (0..<10).map { _ in PassthroughSubject<Int, Never>() }
                let first = inputs[0].zip(inputs[1], inputs[2], inputs[3]) { $0 &+ $1 &+ $2 &+ $3 }
                let second = inputs[4].zip(inputs[5], inputs[6], inputs[7]) { $0 &+ $1 &+ $2 &+ $3 }
                let third = inputs[8].zip(inputs[9]) { $0 &+ $1 }
                first.zip(second, third) { $0 &+ $1 &+ $2 }
                    .sink { sink.take($0) }.store(in: &sink.cancellables)
                return { for value in $0 { for input in inputs { input.send(value) } } }
            },
        ]
    )
}
