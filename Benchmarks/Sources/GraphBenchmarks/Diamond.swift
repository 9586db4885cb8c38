import OpenCombine
import ReactiveGraph

/// One source, two maps, one combine, one listener.
///
/// OpenCombine has no combineLatest: the customary hand-made one emits twice per set, and the first
/// time wrongly.
func diamond() -> Case {
    Case(
        "diamond",
        unit: "diamond",
        units: 1,
        target: 70,
        atLeast: 7.8,
        [
            .sluice("settled: one consistent emission", deliveries: 1) { sluiceDiamonds(1, .settled, $0) },
            .sluice("immediate: two", deliveries: 2) { sluiceDiamonds(1, .immediate, $0) },
            .openCombine("combined by hand: two", deliveries: 2) { openCombineDiamonds(1, $0) },
        ]
    )
}

/// Diamonds one below the other: work must grow with their number, not double with each.
///
/// The other library's doubles, so it is asked only where that can be waited for.
func stackedDiamonds(_ count: Int) -> Case {
    var contestants: [Contestant] = [
        .sluice("settled", deliveries: 1) { sluiceDiamonds(count, .settled, $0) }
    ]
    if count <= 10 {
        contestants.append(
            .openCombine("combined by hand", deliveries: 1 << count) { openCombineDiamonds(count, $0) }
        )
    }
    return Case("\(count) stacked diamonds", unit: "diamond", units: count, target: 70, contestants)
}

private func sluiceDiamonds(
    _ count: Int,
    _ propagation: Graph.Propagation,
    _ sink: Sink
) -> (Range<Int>) -> Void {
    let graph = Graph(propagation: propagation)
    let source = graph.mutable(0)
    var last: Node<Int> = source
    for _ in 0..<count {
        last = Node.combineEach(last.map { $0 &* 10 }, last.map { $0 &+ 1 }) { $0 &+ $1 }
    }
    last.listen(in: sink.bag, replay: false) { sink.take($0) }
    return { for value in $0 { source.set(value) } }
}

private func openCombineDiamonds(_ count: Int, _ sink: Sink) -> (Range<Int>) -> Void {
    let source = CurrentValueSubject<Int, Never>(0)
    var last = source
    for _ in 0..<count {
        let left = CurrentValueSubject<Int, Never>(0)
        let right = CurrentValueSubject<Int, Never>(0)
        let bottom = CurrentValueSubject<Int, Never>(0)
        last.map { $0 &* 10 }.sink { left.send($0) }.store(in: &sink.cancellables)
        last.map { $0 &+ 1 }.sink { right.send($0) }.store(in: &sink.cancellables)
        left.sink { bottom.send($0 &+ right.value) }.store(in: &sink.cancellables)
        right.sink { bottom.send(left.value &+ $0) }.store(in: &sink.cancellables)
        last = bottom
    }
    last.sink { sink.take($0) }.store(in: &sink.cancellables)
    return { for value in $0 { source.send(value) } }
}
