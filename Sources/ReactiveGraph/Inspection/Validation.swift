/// What a walk over a graph has found.
package struct GraphWalk: Equatable {
    package var nodes = 0
    package var edges = 0
    package var listeners = 0
    package var followings = 0
}

extension Graph {
    /// Walks everything reachable from `roots` over edges in both directions, checks every
    /// invariant on the way, and compares what it found with the counters.
    ///
    /// For tests and debug builds; a node that is reachable neither from a
    /// root nor from its neighbours makes the counters differ.
    ///
    /// - Returns: what is wrong, empty if nothing is.
    package func validate(roots: [AnyNode]) -> [String] {
        let checker = InvariantChecker(graph: self)
        for root in roots { checker.see(root.core) }
        checker.walk()

        let counted = GraphWalk(
            nodes: counts.liveNodes,
            edges: counts.liveEdges,
            listeners: counts.liveListeners,
            followings: counts.liveFollowings
        )
        if checker.found != counted {
            checker.problems.append("counters \(counted) differ from the walk's \(checker.found)")
        }
        if counts.bornNodes - counts.releasedNodes != counts.liveNodes {
            checker.problems.append("born - released is not live: \(counts)")
        }
        if engine.turnState.running == 0 { checker.checkIdle() }
        return checker.problems
    }
}

private final class InvariantChecker {
    let graph: Graph
    var problems: [String] = []
    var found = GraphWalk()
    private var seen: Set<UInt64> = []
    private var queue: [NodeCore] = []

    init(graph: Graph) {
        self.graph = graph
    }

    func see(_ node: NodeCore) {
        if seen.insert(node.id).inserted { queue.append(node) }
    }

    func walk() {
        var index = 0
        while index < queue.count {
            check(queue[index])
            index += 1
        }
    }

    /// No turn runs: nothing is left over from the last one.
    func checkIdle() {
        let engine = graph.engine
        let teardown = engine.teardown
        expect(engine.stack.depth == 0, "frames are left: \(engine.stack.depth)")
        expect(engine.route.extras.count == 0 && engine.route.extras.loose == 0, "extras are left")
        expect(engine.stack.drains.isEmpty, "drains are left")
        expect(engine.marked.isEmpty, "marked joins are left")
        expect(
            !teardown.isDue,
            "retired objects are left"
        )
        expect(
            engine.route.restored == nil && engine.route.context == nil && engine.route.careful == 0,
            "a path is left"
        )
        expect(engine.turnState.batches == 0 && !engine.turnState.isStopping, "a batch or a stop is left")
    }

    private func expect(_ holds: Bool, _ problem: @autoclosure () -> String) {
        if !holds { problems.append(problem()) }
    }

    private func check(_ node: NodeCore) {
        let me = "n\(node.id)"
        found.nodes += 1
        expect(node.graph === graph, "\(me) is of another graph")
        if graph.engine.turnState.running == 0 {
            expect(
                node.pass == -1 && node.marks.isDisjoint(with: [.isBatched, .isExtra]) && !node.hasPending,
                "\(me) is still in a pass or a batch"
            )
        }
        if let join = node.join {
            let join = join.object
            expect(
                join.node?.identity == Ref.to(node).identity,
                "\(me): join of another"
            )
            expect(graph.engine.turnState.running > 0 || !join.isMarked, "\(me): still marked")
        }
        checkService(node, node.listens, listeners: true, me)
        checkService(node, node.outs, listeners: false, me)
        checkHeld(node, me)
        node.forEachInner(counted: true) { inner in
            expect(inner.rank > node.rank, "\(me): rank \(node.rank) is not below inner n\(inner.id)'s")
            expect(
                graph.engine.turnState.running > 0 || !inner.marks.contains(.isDue),
                "n\(inner.id): still due"
            )
        }
    }

    private func checkService(_ node: NodeCore, _ list: ServiceList, listeners: Bool, _ me: String) {
        var previous: EdgeRef?
        var isPastServed = false
        for ref in list {
            let edge = ref.object
            expect(!isPastServed || edge.isParked, "\(me): \(edge.name) is behind a parked edge")
            if edge.isParked, !isPastServed {
                isPastServed = true
                expect(ref.isSame(as: list.firstParked), "\(me): the first parked edge is another")
            }
            expect(edge.previous?.identity == previous?.identity, "\(me): broken service list")
            expect(
                edge.source?.identity == Ref.to(node).identity,
                "\(me): foreign edge in list"
            )
            expect(edge.traits.contains(.listener) == listeners, "\(me): edge in the wrong list")
            let isOwn = edge.traits.contains(.own)
            let isComplete = edge.target != nil || edge.bag != nil || isOwn
            expect(
                isOwn || edge.traits.contains(.complete) == isComplete,
                "\(me): completeness of \(edge.name)"
            )
            expect((edge.stamp != .max) == isComplete, "\(me): stamp of \(edge.name)")
            if isComplete, !isOwn { count(edge) }
            if let target = edge.target {
                checkRank(edge, node, target, me)
                see(target.object)
            }
            previous = ref
        }
        expect(list.last?.identity == previous?.identity, "\(me): wrong end of service list")
    }

    private func count(_ edge: Edge) {
        if edge.traits.contains(.follower) {
            found.followings += 1
        } else if edge.traits.contains(.listener) {
            found.listeners += 1
        } else {
            found.edges += 1
        }
    }

    private func checkRank(_ edge: Edge, _ node: NodeCore, _ target: NodeRef, _ me: String) {
        guard !edge.traits.contains(.ring) else { return }
        expect(
            target.rank > node.rank,
            "\(me): rank \(node.rank) is not below \(target.rank) of n\(target.id)"
        )
    }

    private func checkHeld(_ node: NodeCore, _ me: String) {
        var previous: EdgeRef?
        for ref in node.held {
            let edge = ref.object
            expect(edge.previousHeld?.identity == previous?.identity, "\(me): broken list of held edges")
            expect(
                edge.target?.identity == Ref.to(node).identity,
                "\(me): holds a foreign edge"
            )
            if let source = edge.source { see(source.object) }
            edge.side?.inners?.forEachInner { see($0.object) }
            previous = ref
        }
        expect(node.held.last?.identity == previous?.identity, "\(me): wrong end of held edges")
    }
}
