import ReactiveGraph

// The shapes of the public js-reactivity benchmark, one operation being one set.
// `ReactivityShapeTests` checks their values.

func shapes() -> [Case] {
    [
        shape("avoidable: 5 steps, the second gives the same again", units: 5, deliveries: 0) {
            graph,
            head,
            sink in
            head.map { $0 }.map { _ in 0 }.distinct().map { $0 &+ 1 }.map { $0 &+ 2 }.map { $0 &+ 3 }
                .listen(in: sink.bag, replay: false) { sink.take($0) }
        },
        shape("broad: 50 pairs of steps, each with a listener", units: 50, deliveries: 50) {
            graph,
            head,
            sink in
            for place in 0..<50 {
                head.map { $0 &+ place }.map { $0 &+ 1 }.listen(in: sink.bag, replay: false) { sink.take($0) }
            }
        },
        shape("deep: 50 steps in a row", units: 50) { graph, head, sink in
            var last: Node<Int> = head
            for _ in 0..<50 { last = last.map { $0 &+ 1 } }
            last.listen(in: sink.bag, replay: false) { sink.take($0) }
        },
        shape("diamond: 5 branches", units: 5) { graph, head, sink in
            Node.combineEach((0..<5).map { _ in head.map { $0 &+ 1 } }) { $0.reduce(0, &+) }
                .listen(in: sink.bag, replay: false) { sink.take($0) }
        },
        mux(),
        shape("repeated: one node 30 times", units: 30) { graph, head, sink in
            Node.combineEach([Node<Int>](repeating: head, count: 30)) { $0.reduce(0, &+) }
                .listen(in: sink.bag, replay: false) { sink.take($0) }
        },
        shape("triangle: 10 steps in one sum", units: 10) { graph, head, sink in
            var steps: [Node<Int>] = [head]
            for _ in 1..<10 { steps.append(steps[steps.count - 1].map { $0 &+ 1 }) }
            Node.combineEach(steps) { $0.reduce(0, &+) }.listen(in: sink.bag, replay: false) { sink.take($0) }
        },
        // The node that was chosen before emits as well, and then the one that is chosen now.
        shape("unstable: the input changes with every value", units: 1, deliveries: 2) { graph, head, sink in
            let (double, inverse) = (head.map { $0 &* 2 }, head.map { 0 &- $0 })
            head.map { $0 & 1 == 1 }.flattenMap { $0 ? double : inverse }.map { $0 &* 20 }
                .listen(in: sink.bag, replay: false) { sink.take($0) }
        },
        rows(width: 10, layers: 5, inputs: 2),
        rows(width: 10, layers: 10, inputs: 6),
        rows(width: 1_000, layers: 12, inputs: 4),
        rows(width: 1_000, layers: 5, inputs: 25),
        rows(width: 5, layers: 500, inputs: 3),
        rows(width: 100, layers: 15, inputs: 6),
    ]
}

private func shape(
    _ name: String,
    units: Int,
    deliveries: Int = 1,
    _ make: @escaping (Graph, MutableNode<Int>, Sink) -> Void
) -> Case {
    Case(
        name,
        unit: "node",
        units: units,
        [
            .sluice(deliveries: deliveries, allocations: nil) { sink in
                let graph = Graph()
                let head = graph.mutable(0)
                make(graph, head, sink)
                return { for value in $0 { head.set(value) } }
            }
        ]
    )
}

private func mux() -> Case {
    Case(
        "mux: 100 nodes joined and taken apart",
        unit: "node",
        units: 100,
        [
            .sluice(deliveries: 100, allocations: nil) { sink in
                let graph = Graph()
                let heads = (0..<100).map { _ in graph.mutable(0) }
                let all = Node.combine(heads)
                for place in heads.indices {
                    all.map { $0[place] }.map { $0 &+ 1 }
                        .listen(in: sink.bag, replay: false) { sink.take($0) }
                }
                return { for value in $0 { heads[value % 100].set(value) } }
            }
        ]
    )
}

/// Rows of nodes, each the sum of some nodes of the row before; the sources are set in turn.
private func rows(width: Int, layers: Int, inputs: Int) -> Case {
    // How far one source reaches: some places further with every row.
    let reached = (1..<layers).reduce(0) { $0 + min(width, $1 * (inputs - 1) + 1) }
    return Case(
        "rows: \(width) × \(layers), each of \(inputs)",
        unit: "node",
        units: reached,
        [
            .sluice(deliveries: min(width, (layers - 1) * (inputs - 1) + 1), allocations: nil) { sink in
                let graph = Graph()
                let sources = (0..<width).map { graph.mutable($0) }
                var row: [Node<Int>] = sources
                for _ in 1..<layers {
                    row = row.indices.map { place in
                        Node.combineEach((0..<inputs).map { row[(place + $0) % width] }) { $0.reduce(0, &+) }
                    }
                }
                for leaf in row { leaf.listen(in: sink.bag, replay: false) { sink.take($0) } }
                return { for value in $0 { sources[value % width].set(value) } }
            }
        ]
    )
}
