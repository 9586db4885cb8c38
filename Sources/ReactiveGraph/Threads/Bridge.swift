internal import Support

/// A node as other graphs may follow it, on other loops (G-111).
///
/// Made on the thread of the node's graph, and given away;
/// ``Graph/bridge(from:propagatesEmpty:buffer:control:)`` makes a node of it there. It holds
/// neither the node nor its graph.
public struct NodeOutlet<Value: Sendable>: Sendable {
    let graph: GraphHandle
    let id: UInt64
}

extension Node where Value: Sendable {
    /// What other graphs may follow this node by (G-111).
    ///
    /// The graph needs an executor.
    public var outlet: NodeOutlet<Value> {
        graph.makeReachable(self)
        return NodeOutlet(graph: graph.handle, id: id)
    }
}

extension Graph {
    /// A node of this graph that follows a node of another one, on another loop (G-111).
    ///
    /// Each value comes over as a turn of its own, in order, with its context; its path goes on as
    /// an opaque one, so that rings over several graphs stop where they began.
    ///
    /// While the new node has a listener or a node downstream, it holds its source over there, and
    /// follows it, the value present at that moment first. Without such demand it holds nothing and
    /// keeps the last value. A source that is gone by then sends nothing. Values on their way keep
    /// nothing alive.
    ///
    /// ```swift
    /// let outlet = outside.outlet  // on the thread of that graph
    /// let copy = house.bridge(from: outlet)  // on the thread of this one
    /// ```
    /// - Parameters:
    ///   - outlet: the node to follow. Both graphs need an executor.
    ///   - propagatesEmpty: whether emptiness of the source comes over; this graph's default if
    ///     `nil` (G-145).
    ///   - buffer: how many values may be on their way (G-142); of those refused under `.fail` the
    ///     source's graph is
    ///     notified.
    ///   - control: what waits and what was dropped, as known when the latest value arrived.
    /// - Returns: the new node, empty at first.
    public func bridge<Value: Sendable>(
        from outlet: NodeOutlet<Value>,
        propagatesEmpty: Bool? = nil,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<Value> {
        checkThread("bridge")
        buffer.require(for: "bridge")
        let core = BridgedCore<Value>(graph: self, .empty)
        let node = Node(core).named("Bridge")
        makeReachable(node)
        core.watchesDemand = true
        core.control = control
        let inlet = NodeOutlet<Value>(graph: handle, id: node.id)
        core.bridge = Bridge(outlet, inlet, emptyTravels: propagatesEmpty ?? self.propagatesEmpty, buffer)
        return node
    }
}

/// What the graph knows of a node whose source is in another graph.
private final class BridgedCore<Value: Sendable>: Core<Value> {
    var bridge: Bridge<Value>?
    var control: BufferControl?
    private var isDemanded = false

    override func demandChanged() {
        let isWanted = isFollowed
        guard isDemanded != isWanted, let bridge else { return }
        isDemanded = isWanted
        bridge.source.graph.submit { graph in
            if isWanted { bridge.open(in: graph) } else { graph.bridges[ObjectIdentifier(bridge)] = nil }
        }
    }

    /// Whether anything but this node itself listens to it.
    private var isFollowed: Bool {
        !outs.isEmpty || listens.contains { !$0.traits.contains(.own) }
    }
}

/// What both ends of a bridge know, and what is on its way.
private final class Bridge<Value: Sendable>: Sendable {
    let source: NodeOutlet<Value>
    private let target: NodeOutlet<Value>
    private let emptyTravels: Bool
    private let buffer: BufferPolicy
    private let waiting = Locked(Waiting())

    private struct Entry: Sendable {
        let emission: Emission<Value>
        let path: Path
        let context: Context?
    }

    private struct Waiting {
        var entries = Queue<Entry>()
        var peak = 0
        /// Those not reported to the target's side yet.
        var dropped = 0
    }

    private enum Admission {
        case added, replaced, refused
    }

    init(
        _ source: NodeOutlet<Value>,
        _ target: NodeOutlet<Value>,
        emptyTravels: Bool,
        _ buffer: BufferPolicy
    ) {
        self.source = source
        self.target = target
        self.emptyTravels = emptyTravels
        self.buffer = buffer
    }

    /// On the source's thread: holds the source and follows it.
    func open(in graph: Graph) {
        guard let node = graph.reachableNode(source.id) as? Node<Value> else { return }
        let bag = CancellableBag(name: "a bridge")
        graph.bridges[ObjectIdentifier(self)] = bag
        let edge = Edge("Bridge", [.listener, .wantsPath]) { edge in
            guard let graph = edge.graph else { return .nothing }
            let emission = edge.input(Value.self)
            if !emission.isEmpty || self.emptyTravels {
                let path = graph.engine.currentPath().crossing(from: self.source.graph, to: self.target.graph)
                self.send(Entry(emission: emission, path: path, context: graph.engine.currentContext), graph)
            }
            return .nothing
        }
        _ = graph.listen(to: node, in: bag, replay: true, at: nil, edge)
    }

    private func send(_ entry: Entry, _ graph: Graph) {
        let admission = waiting.withLock { [buffer] waiting -> Admission in
            if let limit = buffer.limit, waiting.entries.count >= limit {
                waiting.dropped += 1
                guard case .dropOldest = buffer else { return .refused }
                _ = waiting.entries.popFirst()
                waiting.entries.append(entry)
                return .replaced
            }
            waiting.entries.append(entry)
            waiting.peak = max(waiting.peak, waiting.entries.count)
            return .added
        }
        switch admission {
        case .added: target.graph.submit { [self] in arrive(in: $0) }
        case .replaced: break
        case .refused:
            guard case .fail(let limit) = buffer else { return }
            graph.engine.report(.overflow(node: source.id, name: "Bridge", limit: limit))
        }
    }

    /// On the target's thread: hands on what has waited longest.
    private func arrive(in graph: Graph) {
        let (entry, count, peak, dropped) = waiting.withLock { waiting in
            let entry = waiting.entries.popFirst()
            let dropped = waiting.dropped
            waiting.dropped = 0
            return (entry, waiting.entries.count, waiting.peak, dropped)
        }
        guard let entry, let node = graph.reachableNode(target.id) as? Node<Value> else { return }
        (node.core as? BridgedCore<Value>)?.control?.observed(waiting: count, peak: peak, dropped: dropped)
        // The bridge's own node is an edge's target as any other: not set again by what has been
        // through it.
        guard !entry.path.contains(node) else { return }
        node.inject(entry.emission, trail: Trail(entry.path), context: entry.context)
    }
}
