import OpenCombine
import ReactiveGraph

/// Published case "flattenMap": ten of them on one node, each with a listener; the function makes
/// the inner node.
func tenFlattenMapsToNewNodes() -> Case {
    Case(
        "10 flattenMaps to a node made then, each with a listener",
        unit: "flattenMap",
        units: 10,
        atLeast: 1,
        family: .flattenMap,
        [
            // One allocation each: the inner node.
            .sluice(deliveries: 10, allocations: 10) { sink in
                let graph = Graph()
                let source = graph.mutable(0)
                for _ in 0..<10 {
                    source.flattenMap { [unowned graph] in graph.node($0 &+ 1) }
                        .listen(in: sink.bag, replay: false) { sink.take($0) }
                }
                return { for value in $0 { source.set(value) } }
            },
            .openCombine("map to Just, switchToLatest", deliveries: 10) { sink in
                let source = CurrentValueSubject<Int, Never>(0)
                for _ in 0..<10 {
                    source.map { Just($0 &+ 1) }.switchToLatest()
                        .sink { sink.take($0) }.store(in: &sink.cancellables)
                }
                return { for value in $0 { source.send(value) } }
            },
        ]
    )
}

/// The same, but the function chooses among two nodes that are there.
func tenFlattenMapsAmongNodes() -> Case {
    Case(
        "10 flattenMaps to one of two nodes, each with a listener",
        unit: "flattenMap",
        units: 10,
        atLeast: 1,
        family: .flattenMap,
        [
            .sluice(deliveries: 10) { sink in
                let graph = Graph()
                let source = graph.mutable(0)
                let even = graph.node(1)
                let odd = graph.node(2)
                for _ in 0..<10 {
                    source.flattenMap { $0 & 1 == 0 ? even : odd }
                        .listen(in: sink.bag, replay: false) { sink.take($0) }
                }
                return { for value in $0 { source.set(value) } }
            },
            .openCombine("map, switchToLatest", deliveries: 10) { sink in
                let source = CurrentValueSubject<Int, Never>(0)
                let even = CurrentValueSubject<Int, Never>(1)
                let odd = CurrentValueSubject<Int, Never>(2)
                for _ in 0..<10 {
                    source.map { $0 & 1 == 0 ? even : odd }.switchToLatest()
                        .sink { sink.take($0) }.store(in: &sink.cancellables)
                }
                return { for value in $0 { source.send(value) } }
            },
        ]
    )
}
