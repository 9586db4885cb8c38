import CNodes
import OpenCombine
import ReactiveGraph

/// One node, many listeners: the closure form.
func fanOutClosure(_ listeners: Int) -> Case {
    Case(
        "fan-out to \(listeners), closure form",
        unit: "listener",
        units: listeners,
        target: 6,
        atLeast: 17,
        [
            .sluice("listen(in: bag)", deliveries: listeners) { sink in
                let graph = Graph()
                let source = graph.mutable(0)
                for _ in 0..<listeners { source.listen(in: sink.bag, replay: false) { sink.take($0) } }
                return { for value in $0 { source.set(value) } }
            },
            openCombineFanOut(listeners),
            .c("structs and function pointers", deliveries: listeners) { nodes_fan_out(Int64(listeners)) },
        ]
    )
}

/// One node, many listeners: the form that hands the owner over.
func fanOutOwner(_ listeners: Int) -> Case {
    Case(
        "fan-out to \(listeners), owner form",
        unit: "listener",
        units: listeners,
        target: 18,
        atLeast: 5.6,
        [
            .sluice("listen(owner:), owner with a bag", deliveries: listeners) { sink in
                let graph = Graph()
                let source = graph.mutable(0)
                for _ in 0..<listeners {
                    let gauge = Gauge(sink)
                    sink.kept.append(gauge)
                    source.listen(owner: gauge, replay: false) { gauge, value in gauge.sink.take(value) }
                }
                return { for value in $0 { source.set(value) } }
            },
            openCombineFanOut(listeners),
        ]
    )
}

/// One node, many listeners whose owners know nothing of the graph: a weak reference each.
func fanOutForeign(_ listeners: Int) -> Case {
    Case(
        "fan-out to \(listeners), foreign owners",
        unit: "listener",
        units: listeners,
        target: 45,
        atLeast: 2.3,
        [
            .sluice("listen(owner:), any object", deliveries: listeners) { sink in
                let graph = Graph()
                let source = graph.mutable(0)
                for _ in 0..<listeners {
                    let stranger = Stranger(sink)
                    sink.kept.append(stranger)
                    source.listen(owner: stranger, replay: false) { stranger, value in
                        stranger.sink.take(value)
                    }
                }
                return { for value in $0 { source.set(value) } }
            },
            openCombineFanOut(listeners),
        ]
    )
}

private func openCombineFanOut(_ listeners: Int) -> Contestant {
    .openCombine("CurrentValueSubject", deliveries: listeners) { sink in
        let source = CurrentValueSubject<Int, Never>(0)
        for _ in 0..<listeners { source.sink { sink.take($0) }.store(in: &sink.cancellables) }
        return { for value in $0 { source.send(value) } }
    }
}
