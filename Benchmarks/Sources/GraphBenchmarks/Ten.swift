import OpenCombine
import ReactiveGraph

/// Ten listeners on one node.
func tenListeners() -> Case {
    ten("10 listeners", emits: 10) { source, sink in
        for _ in 0..<10 { source.listen(in: sink.bag, replay: false) { sink.take($0) } }
    } theirs: { source, sink in
        for _ in 0..<10 { source.sink { sink.take($0) }.store(in: &sink.cancellables) }
    }
}

/// Ten maps of one node, each with a listener.
func tenMaps() -> Case {
    ten("10 maps", emits: 10) { source, sink in
        for _ in 0..<10 { source.map { $0 &+ 1 }.listen(in: sink.bag, replay: false) { sink.take($0) } }
    } theirs: { source, sink in
        for _ in 0..<10 {
            source.map { $0 &+ 1 }.sink { sink.take($0) }.store(in: &sink.cancellables)
        }
    }
}

/// Ten filters of one node that let everything pass, each with a listener.
func tenFilters() -> Case {
    ten("10 filters", emits: 10) { source, sink in
        for _ in 0..<10 { source.filter { $0 >= 0 }.listen(in: sink.bag, replay: false) { sink.take($0) } }
    } theirs: { source, sink in
        for _ in 0..<10 {
            source.filter { $0 >= 0 }.sink { sink.take($0) }.store(in: &sink.cancellables)
        }
    }
}

private func ten(
    _ name: String,
    emits: Int,
    ours: @escaping (Node<Int>, Sink) -> Void,
    theirs: @escaping (CurrentValueSubject<Int, Never>, Sink) -> Void
) -> Case {
    Case(
        name,
        unit: "object",
        units: 10,
        [
            Contestant("Sluice", deliveries: emits, allocations: 0) {
                let source = Graph().mutable(0)
                let sink = Sink()
                ours(source, sink)
                return { times in sink.counting { for value in 0..<times { source.set(value) } } }
            },
            Contestant("OpenCombine", deliveries: emits) {
                let source = CurrentValueSubject<Int, Never>(0)
                let sink = Sink()
                theirs(source, sink)
                return { times in sink.counting { for value in 0..<times { source.send(value) } } }
            },
        ]
    )
}
