// Releasing nodes and edges without recursion (G-68): a node that dies only appends its sources to
// a list, and the outermost call works the list off.

/// What an operator has released, until it may be destroyed.
final class Remains<Content> {
    private let content: Content

    init(_ content: Content) {
        self.content = content
    }
}

/// What is no longer needed, until it is released.
struct Teardown {
    /// The sources that edges have left, each with a reference to its public node to be given up.
    var dying: ContiguousArray<NodeRef> = []
    /// Public edge objects that their targets held.
    var dropped: ContiguousArray<AnyEdge> = []
    /// Inner nodes of switches that lost their last edge.
    var idleInners: ContiguousArray<AnyNode> = []
    /// Edges, joins and closures that have ended: freed when no turn runs (G-66a).
    var retired: ContiguousArray<AnyObject> = []
    /// Inner nodes of switches that have ended.
    var remains: ContiguousArray<AnyObject> = []
    /// Nothing is released while it is true.
    var isReleasing = false

    /// Whether something may be released when no turn runs.
    @inline(__always) var isDue: Bool { !retired.isEmpty || !dying.isEmpty || !dropped.isEmpty }
}

extension Engine {
    /// Releases what is no longer needed: nodes and public edge objects at once, closures when no
    /// turn runs (G-66a).
    @inline(__always)
    package func releaseDue() {
        if !teardown.isReleasing { releaseAll() }
    }

    @inline(never)
    private func releaseAll() {
        teardown.isReleasing = true
        while true {
            if let node = teardown.dying.popLast() {
                node.with { $0.handle }?.release()
            } else if let inner = teardown.idleInners.popLast() {
                inner.core.innerEntry?.becameIdle()
            } else if let edge = teardown.dropped.popLast() {
                // If nothing else holds it, its source goes too.
                withExtendedLifetime(edge) {}
            } else if let object = teardown.remains.popLast() {
                withExtendedLifetime(object) {}
            } else if turnState.running == 0, let object = teardown.retired.popLast() {
                withExtendedLifetime(object) {}
            } else {
                break
            }
        }
        teardown.isReleasing = false
        withExtendedLifetime(self) {}
    }
}

extension Graph {
    /// A node is being freed: it leaves its frame, its join and its edges.
    func nodeDies(_ node: NodeCore, _ handle: AnyNode?) {
        checkThread("the end of a node")
        for demand in demands { demand.died(node.id, handle) }
        if node.pass >= 0 {
            // It stays on the path: the frame keeps its number where the limit was, which nothing
            // asks for any more.
            unsafe engine.stack.frames[Int(node.pass)].node = nil
            unsafe engine.stack.frames[Int(node.pass)].limit = node.id
        }
        node.forgetNames(handle)
        if node.marks.contains(.isExtra) { engine.route.extras.forget(node) }
        if let join = node.join {
            node.join = nil
            join.with { $0.node = nil }
            engine.teardown.retired.append(join.take())
        }
        while let edge = node.held.first { edge.with { $0.endWithTarget(in: self) } }
        if !reachable.isEmpty { reachable[node.id] = nil }
        if !mortals.isEmpty { mortals[node.id] = nil }
        counts.liveNodes -= 1
        counts.releasedNodes += 1
        onRelease?(node.id)
        if let handle { onFreed?(handle) }
        engine.releaseDue()
    }

    /// Ends the listens of owners that have died (G-67).
    ///
    /// A loop calls it once per turn; it costs one weak look-up per listen of such an owner. A
    /// graph with a clock calls it by itself (``Graph/collectsEvery``). Owners with a bag of their
    /// own do not need it.
    public func collect() {
        owners.collect(in: self)
        noticeDeaths()
    }
}
