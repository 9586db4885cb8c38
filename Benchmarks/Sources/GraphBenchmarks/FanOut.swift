import OpenCombine
import ReactiveGraph

/// One node, many listeners: the closure form.
func fanOutClosure(_ listeners: Int) -> Case {
    Case(
        "fan-out to \(listeners), closure form",
        unit: "listener",
        units: listeners,
        target: 8,
        [
            Contestant("Sluice, listen(in: bag)", deliveries: listeners, allocations: 0) {
                let graph = Graph()
                let source = graph.mutable(0)
                let sink = Sink()
                for _ in 0..<listeners { source.listen(in: sink.bag, replay: false) { sink.take($0) } }
                return { times in sink.counting { for value in 0..<times { source.set(value) } } }
            },
            openCombineFanOut(listeners),
        ]
    )
}

/// One node, many listeners: the form that hands the owner over.
func fanOutOwner(_ listeners: Int) -> Case {
    Case(
        "fan-out to \(listeners), owner form",
        unit: "listener",
        units: listeners,
        target: 20,
        [
            Contestant("Sluice, listen(owner:), owner with a bag", deliveries: listeners, allocations: 0) {
                let graph = Graph()
                let source = graph.mutable(0)
                let sink = Sink()
                for _ in 0..<listeners {
                    let gauge = Gauge(sink)
                    sink.kept.append(gauge)
                    source.listen(owner: gauge, replay: false) { gauge, value in gauge.sink.take(value) }
                }
                return { times in sink.counting { for value in 0..<times { source.set(value) } } }
            },
            Contestant("Sluice, listen(owner:), any object", deliveries: listeners, allocations: 0) {
                let graph = Graph()
                let source = graph.mutable(0)
                let sink = Sink()
                for _ in 0..<listeners {
                    let stranger = Stranger(sink)
                    sink.kept.append(stranger)
                    source.listen(owner: stranger, replay: false) { stranger, value in
                        stranger.sink.take(value)
                    }
                }
                return { times in sink.counting { for value in 0..<times { source.set(value) } } }
            },
            openCombineFanOut(listeners),
        ]
    )
}

private func openCombineFanOut(_ listeners: Int) -> Contestant {
    Contestant("OpenCombine, CurrentValueSubject", deliveries: listeners) {
        let source = CurrentValueSubject<Int, Never>(0)
        let sink = Sink()
        for _ in 0..<listeners { source.sink { sink.take($0) }.store(in: &sink.cancellables) }
        return { times in sink.counting { for value in 0..<times { source.send(value) } } }
    }
}
