import OpenCombine
import ReactiveGraph

/// One source, two maps, one combine, one listener.
///
/// OpenCombine has no combineLatest: the customary hand-made one emits twice per set, and the first time wrongly.
func diamond() -> Case {
    Case(
        "diamond",
        unit: "diamond",
        units: 1,
        target: 70,
        [
            Contestant("Sluice, settled: one consistent emission", deliveries: 1, allocations: 0) {
                sluiceDiamonds(1, .settled)
            },
            Contestant("Sluice, immediate: two", deliveries: 2, allocations: 0) {
                sluiceDiamonds(1, .immediate)
            },
            Contestant("OpenCombine, combined by hand: two", deliveries: 2) {
                let source = CurrentValueSubject<Int, Never>(0)
                let left = CurrentValueSubject<Int, Never>(0)
                let right = CurrentValueSubject<Int, Never>(0)
                let bottom = CurrentValueSubject<Int, Never>(0)
                let sink = Sink()
                source.map { $0 &* 10 }.sink { left.send($0) }.store(in: &sink.cancellables)
                source.map { $0 &+ 1 }.sink { right.send($0) }.store(in: &sink.cancellables)
                left.sink { bottom.send($0 &+ right.value) }.store(in: &sink.cancellables)
                right.sink { bottom.send(left.value &+ $0) }.store(in: &sink.cancellables)
                bottom.sink { sink.take($0) }.store(in: &sink.cancellables)
                return { times in sink.counting { for value in 0..<times { source.send(value) } } }
            },
        ]
    )
}

/// Diamonds one below the other: work must grow with their number, not double with each.
func stackedDiamonds(_ count: Int) -> Case {
    Case(
        "\(count) stacked diamonds",
        unit: "diamond",
        units: count,
        [
            Contestant("Sluice, settled", deliveries: 1, allocations: 0) { sluiceDiamonds(count, .settled) }
        ]
    )
}

private func sluiceDiamonds(_ count: Int, _ propagation: Graph.Propagation) -> (Int) -> Int {
    let graph = Graph(propagation: propagation)
    let source = graph.mutable(0)
    var last: Node<Int> = source
    for _ in 0..<count {
        last = Node.combineEach(last.map { $0 &* 10 }, last.map { $0 &+ 1 }) { $0 &+ $1 }
    }
    let sink = Sink()
    last.listen(in: sink.bag, replay: false) { sink.take($0) }
    return { times in sink.counting { for value in 0..<times { source.set(value) } } }
}
