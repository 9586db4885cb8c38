import OpenCombine
import ReactiveGraph

/// Published case "listener": ten listeners on one node.
func tenListeners() -> Case {
    Case(
        "10 listeners of one node",
        unit: "listener",
        units: 10,
        target: 6,
        atLeast: 17,
        family: .listener,
        [
            .sluice("listen(in: bag)", deliveries: 10) { sink in
                let source = Graph().mutable(0)
                for _ in 0..<10 { source.listen(in: sink.bag, replay: false) { sink.take($0) } }
                return { for value in $0 { source.set(value) } }
            },
            .sluice("listen(owner:), owner with a bag", deliveries: 10) { sink in
                let source = Graph().mutable(0)
                let gauge = Gauge(sink)
                sink.kept.append(gauge)
                for _ in 0..<10 {
                    source.listen(owner: gauge, replay: false) { gauge, value in gauge.sink.take(value) }
                }
                return { for value in $0 { source.set(value) } }
            },
            .openCombine(deliveries: 10) { sink in
                let source = CurrentValueSubject<Int, Never>(0)
                for _ in 0..<10 { source.sink { sink.take($0) }.store(in: &sink.cancellables) }
                return { for value in $0 { source.send(value) } }
            },
        ]
    )
}
