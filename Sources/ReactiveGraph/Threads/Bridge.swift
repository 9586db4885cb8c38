/// A node as other graphs may follow it, on other loops (G-111).
///
/// Made on the thread of the node's graph, and given away; ``Graph/bridge(from:propagatesEmpty:)`` makes a node
/// of it there. It holds neither the node nor its graph.
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
    /// Each value comes over as a turn of its own, in order, with its context; its path goes on as an opaque
    /// one, so that rings over several graphs stop where they began.
    ///
    /// While the new node has a listener or a node downstream, it holds its source over there, and follows it, the
    /// value present at that moment first. Without such demand it holds nothing and keeps the last value. A
    /// source that is gone by then sends nothing. Values on their way keep nothing alive.
    ///
    /// ```swift
    /// let outlet = outside.outlet  // on the thread of that graph
    /// let copy = house.bridge(from: outlet)  // on the thread of this one
    /// ```
    /// - Parameters:
    ///   - outlet: the node to follow. Both graphs need an executor.
    ///   - propagatesEmpty: whether emptiness of the source comes over; this graph's default if `nil` (G-145).
    /// - Returns: the new node, empty at first.
    public func bridge<Value: Sendable>(
        from outlet: NodeOutlet<Value>,
        propagatesEmpty: Bool? = nil
    ) -> Node<Value> {
        checkThread("bridge")
        let node = BridgedNode<Value>(graph: self, .empty)
        node.named("Bridge")
        makeReachable(node)
        node.watchesDemand = true
        node.bridge = Bridge(
            source: outlet.graph,
            sourceID: outlet.id,
            target: handle,
            targetID: node.id,
            emptyTravels: propagatesEmpty ?? self.propagatesEmpty
        )
        return node
    }
}

/// A node whose source is in another graph.
private final class BridgedNode<Value: Sendable>: Node<Value> {
    var bridge: Bridge<Value>?
    private var isDemanded = false

    override func demandChanged() {
        guard isDemanded != hasEdges, let bridge else { return }
        isDemanded = hasEdges
        let isWanted = isDemanded
        bridge.source.submit { graph in
            if isWanted { bridge.open(in: graph) } else { graph.bridges[ObjectIdentifier(bridge)] = nil }
        }
    }
}

/// What both ends of a bridge know: immutable, so both threads may use it.
private final class Bridge<Value: Sendable>: Sendable {
    let source: GraphHandle
    private let sourceID: UInt64
    private let target: GraphHandle
    private let targetID: UInt64
    private let emptyTravels: Bool

    init(source: GraphHandle, sourceID: UInt64, target: GraphHandle, targetID: UInt64, emptyTravels: Bool) {
        self.source = source
        self.sourceID = sourceID
        self.target = target
        self.targetID = targetID
        self.emptyTravels = emptyTravels
    }

    /// On the source's thread: holds the source and follows it.
    func open(in graph: Graph) {
        guard let node = graph.reachableNode(sourceID) as? Node<Value> else { return }
        let bag = CancellableBag(name: "a bridge")
        graph.bridges[ObjectIdentifier(self)] = bag
        let edge = Edge("Bridge", [.listener, .wantsPath]) { edge in
            guard let graph = edge.graph else { return .nothing }
            let emission = edge.input(Value.self)
            if !emission.isEmpty || self.emptyTravels {
                self.send(emission, graph.currentPath(), graph.currentContext)
            }
            return .nothing
        }
        _ = graph.listen(to: node, in: bag, replay: true, edge)
    }

    private func send(_ emission: Emission<Value>, _ path: Path, _ context: Context?) {
        let path = path.crossing(from: source, to: target)
        target.submit { [targetID] graph in
            guard let node = graph.reachableNode(targetID) as? Node<Value> else { return }
            // The bridge's own node is an edge's target as any other: not set again by what has been through it.
            guard !path.contains(node) else { return }
            node.inject(emission, trail: Trail(path), context: context)
        }
    }
}
