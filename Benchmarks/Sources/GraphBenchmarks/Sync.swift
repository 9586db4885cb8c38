import OpenCombine
import ReactiveGraph

// OpenCombine has no two-way binding. Customary is a sink on either side that sends to the other,
// with removeDuplicates against the echo; beside it a form that compares by hand before it sends,
// and so makes no echo.

/// Published case "sync": two nodes bound to each other, a listener on the other one.
func syncPair() -> Case {
    sync("sync of a pair", nodes: 2, pairs: [(0, 1)], hearing: [1], target: 46)
}

/// Ten nodes, each bound to the next, a listener on the last.
func syncChain() -> Case {
    sync("sync in a chain of 10", nodes: 10, pairs: (0..<9).map { ($0, $0 + 1) }, hearing: [9], target: 230)
}

/// A node in the middle, bound to ten others, a listener on each of them.
func syncStar() -> Case {
    sync(
        "sync in a star of 10",
        nodes: 11,
        pairs: (1...10).map { (0, $0) },
        hearing: Array(1...10),
        target: 230
    )
}

/// Every node bound to every other: what passes along each simple path without the rule against it.
func syncClique(_ count: Int) -> Case {
    let pairs = (0..<count).flatMap { left in ((left + 1)..<count).map { (left, $0) } }
    return Case(
        "sync clique of \(count)",
        unit: "edge",
        units: count * (count - 1),
        [
            .sluice("settled", deliveries: 1) { sink in
                syncSluice(count, pairs, [count - 1], sink)
            },
            .openCombine("removeDuplicates", deliveries: count - 1) { sink in
                syncOpenCombine(count, pairs, [count - 1], sink, guarded: false)
            },
        ]
    )
}

private func sync(
    _ name: String,
    nodes: Int,
    pairs: [(Int, Int)],
    hearing: [Int],
    target: Double
) -> Case {
    Case(
        name,
        unit: "set",
        units: 1,
        target: target,
        atLeast: 1,
        family: .sync,
        [
            .sluice(deliveries: hearing.count) { sink in syncSluice(nodes, pairs, hearing, sink) },
            .openCombine("removeDuplicates, as is customary", deliveries: hearing.count) { sink in
                syncOpenCombine(nodes, pairs, hearing, sink, guarded: false)
            },
            .openCombine("compared by hand, no echo", deliveries: hearing.count) { sink in
                syncOpenCombine(nodes, pairs, hearing, sink, guarded: true)
            },
        ]
    )
}

private func syncSluice(
    _ count: Int,
    _ pairs: [(Int, Int)],
    _ hearing: [Int],
    _ sink: Sink
) -> (Range<Int>) -> Void {
    let graph = Graph()
    let nodes = (0..<count).map { _ in graph.mutable(0) }
    for (left, right) in pairs { nodes[left].sync(with: nodes[right]) }
    for index in hearing { nodes[index].listen(in: sink.bag, replay: false) { sink.take($0) } }
    let source = nodes[0]
    return { for value in $0 { source.set(value) } }
}

private func syncOpenCombine(
    _ count: Int,
    _ pairs: [(Int, Int)],
    _ hearing: [Int],
    _ sink: Sink,
    guarded: Bool
) -> (Range<Int>) -> Void {
    let subjects = (0..<count).map { _ in CurrentValueSubject<Int, Never>(0) }
    for (left, right) in pairs {
        for (from, to) in [(subjects[left], subjects[right]), (subjects[right], subjects[left])] {
            if guarded {
                from.sink { if to.value != $0 { to.send($0) } }.store(in: &sink.cancellables)
            } else {
                from.removeDuplicates().sink { to.send($0) }.store(in: &sink.cancellables)
            }
        }
    }
    for index in hearing {
        subjects[index].sink { sink.take($0) }.store(in: &sink.cancellables)
    }
    let source = subjects[0]
    return { for value in $0 { source.send(value) } }
}
