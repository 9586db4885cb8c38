import ReactiveGraph
import Testing

extension Examples {
    @Test("Neighbours (G-100)")
    func neighbours() throws {
        let graph = Graph()
        let width = graph.mutable(4).named("width")
        let height = graph.mutable(3).named("height")
        let area = Node.combineEach(width, height) { $0 * $1 }.named("area")
        print(area.upstreamNodes)  // prints [width: 4, height: 3]
        print(width.downstreamTransforms.map(\.name))  // prints ["Combine"]
        print(width.isUpstream(of: area), width.isUpstream(of: height))  // prints true false
        try check()
    }

    @Test("Traversal (G-105)")
    func traversal() throws {
        let graph = Graph()
        let celsius = graph.mutable(21.5).named("celsius")
        let rounded = celsius.map { Int($0) }.named("rounded")
        let even = rounded.filter { $0.isMultiple(of: 2) }.named("even")
        rounded.traverse(node: { node, depth in
            print(depth, node.name ?? "")
            return false
        })  // prints 0 rounded, then -1 celsius, then 1 even
        print(even.isEmpty)  // prints true
        try check()
    }

    @Test("A visitor (G-105)")
    func visitor() throws {
        struct FirstFilter: GraphVisitor {
            var found: AnyEdge?

            mutating func visit(edge: AnyEdge) -> Bool {
                if edge.name == "Filter" { found = edge }
                return found != nil
            }
        }

        let graph = Graph()
        let celsius = graph.mutable(21.5).named("celsius")
        let warm = celsius.map { $0 * 9 / 5 + 32 }.filter { $0 > 70 }.named("warm")
        var search = FirstFilter()
        celsius.traverse(&search)
        print(search.found?.toNode == warm)  // prints true
        try check()
    }

    @Test("Pictures (G-106)")
    func pictures() throws {
        let graph = Graph()
        let celsius = graph.mutable(21.5).named("celsius")
        let fahrenheit = celsius.map { $0 * 9 / 5 + 32 }
        for line in fahrenheit.mermaid(values: true).split(separator: "\n") { print(line) }
        // prints flowchart LR, then     n2["n2<br/>70.7"], then     n1 -->|"Map"| n2
        // prints     n1["celsius<br/>21.5"]
        try check()
    }

    @Test("Counts")
    func counts() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let celsius = graph.mutable(21.5)
        celsius.map { $0 * 9 / 5 + 32 }.listen(in: bag) { _ in }
        print(graph.counts.liveNodes, graph.counts.liveEdges, graph.counts.liveListeners)  // prints 2 1 1
        bag.cancel()
        print(graph.counts.bornNodes, graph.counts.releasedNodes)  // prints 2 1
        try check()
    }

    @Test("A combine that lost an input (G-82, G-144)")
    func endedCombine() throws {
        let graph = Graph()
        let width = graph.mutable(4)
        let height = graph.mutable(3)
        let area = Node.combineEach(width, height) { $0 * $1 }
        area.removeUpstreamNode(height)
        width.set(5)
        print(area, area.isEnded)  // prints undefined: 12 true
        try check()
    }

    @Test("A set without listeners (G-17)", .enabled(if: tellsIdleSets))
    func idleSet() throws {
        let graph = Graph()
        graph.onIdleSet = { node in print("nobody hears", node.name ?? "") }
        let forgotten = graph.mutable(0).named("forgotten")
        forgotten.set(1)  // prints nobody hears forgotten
        print(forgotten.value ?? 0)  // prints 1
        try check()
    }
}

/// The library reports sets without listeners in debug builds only (G-17).
private var tellsIdleSets: Bool {
    #if DEBUG
        true
    #else
        false
    #endif
}
