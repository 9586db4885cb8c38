/// What the graph knows of a node, without its value's type.
///
/// The public ``AnyNode`` is a handle that may be freed on any thread. Edges, frames, joins and
/// names refer to this instead, and the graph's thread alone ends it (G-165).
@usableFromInline
class NodeCore: OwnedPart {
    // Invariants, checked by `Graph.validate`:
    // - `pass ≥ 0` means that frame `pass` of the graph is this node's. A node has at most one
    //   frame.
    // - Ranks rise along every counted edge.
    // - A node with an outgoing edge or a listener cannot die: they retain it.

    /// The graph this node belongs to.
    @usableFromInline final let graph: Graph
    /// The creation number, unique within the graph, rising.
    @usableFromInline final let id: UInt64

    // What the hot path reads stands first, together; what few nodes need is in `side`.

    @safe @exclusivity(unchecked) @usableFromInline final var pass: Int32 = -1
    @safe @exclusivity(unchecked) private final var storedRank: Int32 = 0
    /// How often an emission was stored; wraps around.
    @safe @exclusivity(unchecked) @usableFromInline final var stores: UInt32 = 0
    /// Something waits for the end of the pass: queued emissions, or the last step of a switched
    /// node.
    @safe @exclusivity(unchecked) @usableFromInline final var hasPending = false
    @safe @exclusivity(unchecked) @usableFromInline final var marks: NodeMarks = []
    /// The two lists of edges that leave: listeners are served first, then transforms.
    @safe @exclusivity(unchecked) @usableFromInline final var listens = ServiceList()
    @safe @exclusivity(unchecked) @usableFromInline final var outs = ServiceList()
    /// The incoming edges, which this node owns.
    @safe @exclusivity(unchecked) final var held = HeldList()
    /// The side object, owned; of a node with `isOnlyNamed` the entry of its one name, which is
    /// not.
    ///
    /// Not counted, because reading a strong reference would count it.
    @safe @exclusivity(unchecked) private final var attachment: Ref<AnyObject>?
    /// The public node: of use where something is known to hold that.
    @safe @exclusivity(unchecked) @usableFromInline final var handle: Ref<AnyNode>?
    /// The same where it may be freed at any time, on another thread.
    @safe @exclusivity(unchecked) private final var watched: Watched?

    private final class Watched {
        weak let node: AnyNode?

        init(_ node: AnyNode) {
            self.node = node
        }
    }

    @usableFromInline
    init(graph: Graph) {
        self.graph = graph
        id = graph.nextNodeID()
        super.init()
    }

    deinit {
        side?.release()
    }

    /// `node` is the public node from now on; it owns this.
    @usableFromInline
    final func begin(_ node: AnyNode) {
        handle = .to(node)
        if graph.ownHandle != nil { watched = Watched(node) }
    }

    /// The public node; `nil` once it is freed, which may be before this has ended.
    final var node: AnyNode? {
        if let watched { return watched.node }
        return handle?.object
    }

    /// The same with a reference of the caller's.
    @inline(never)
    final func retainedNode() -> Ref<AnyNode>? {
        if let watched { return watched.node.map(Ref.retaining) }
        return handle?.retain()
    }

    /// The public node, where something holds it: an edge that comes from here, or the caller.
    @usableFromInline final var heldNode: AnyNode {
        unsafe handle.unsafelyUnwrapped.object
    }

    /// The name given for debugging, stored verbatim.
    final var name: String? {
        get { side?.with { $0.name } ?? registration?.key }
        set { if newValue != nil || side != nil { needSide().name = newValue } }
    }

    /// Whether nothing is stored.
    @usableFromInline var isEmpty: Bool { true }

    /// The type of the values this node holds.
    @usableFromInline var valueType: Any.Type { Never.self }

    /// Rises along every counted edge: joins settle in this order.
    final var rank: Int {
        get { Int(storedRank) }
        set { storedRank = Int32(newValue) }
    }

    /// The graph's engine.
    @inlinable final var engine: EngineRef { .to(graph.engine) }

    @inlinable final var hasEdges: Bool { !listens.isEmpty || !outs.isEmpty }

    // MARK: - What the engine asks the typed node

    /// Text of the value, for descriptions.
    var valueDescription: String { "empty" }
    /// Each reference to a node in the value, for the search for holders.
    func forEachNodeInValue(_ visit: (AnyNode) -> Void) {}
    /// The public edge object of `edge`, which leaves this node for `target`.
    func makeEdge(for edge: Edge, to target: NodeCore) -> AnyEdge? { nil }
    /// Second half of `makeEdge(for:to:)`: both types are known.
    func makeEdge<In>(for edge: Edge, from type: In.Type) -> AnyEdge? { nil }

    /// Writes what is held (G-164).
    func saveValue(to writer: inout StateWriter) {}
    /// Reads what `saveValue` has written, and stores it without emitting.
    func restoreValue(from reader: inout StateReader) throws {}

    /// Empties the node and clears its error (G-133).
    func wipe() {}

    /// Changes facets, and notifies listeners of events.
    func perform(_ signal: NodeSignal) {}

    /// Looks whether what is stored has died (G-148).
    func notice() {}

    /// An edge was attached or detached, while `watchesDemand`.
    func demandChanged() {}

    /// The place of this node in the table of a switch, if it has one.
    var innerEntry: InnerEntry? { nil }

    /// Forgets what is queued, and the last step of the pass.
    @usableFromInline
    final func dropPending() {
        pending?.drop()
        hasPending = false
    }

    /// Another thread has freed the public node.
    @usableFromInline
    override func end() {
        end(nil)
    }

    /// Unlinks, before the stored value is released; `node` is the public node, which is being
    /// freed here.
    func end(_ node: AnyNode?) {
        handle = nil
        marks.insert(.isDead)
        graph.nodeDies(self, node)
    }
}

/// What is true of few nodes, or for a short time.
@usableFromInline
struct NodeMarks: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16
    @usableFromInline init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An edge of a switch comes in: its inner nodes are downstream of this node (G-50).
    @usableFromInline static let hasInners = NodeMarks(rawValue: 1)
    /// An inner node of a switch: it has an upstream, although it holds no edge.
    @usableFromInline static let isInner = NodeMarks(rawValue: 2)
    /// The running pass of the switched node will set this inner node at its end (G-90).
    @usableFromInline static let isDue = NodeMarks(rawValue: 4)
    /// An entry of `Route.extras` is this node.
    static let isExtra = NodeMarks(rawValue: 8)
    /// Scratch of the searches: this node was seen.
    static let isSeen = NodeMarks(rawValue: 16)
    /// This node is notified when its first edge comes or its last one goes.
    static let watchesDemand = NodeMarks(rawValue: 32)
    /// It is being freed, and has no edges any more.
    static let isDead = NodeMarks(rawValue: 64)
    /// A running batch sets this node itself.
    static let isBatched = NodeMarks(rawValue: 128)
    /// It has one name in one registry, and nothing else that only few nodes have.
    static let isOnlyNamed = NodeMarks(rawValue: 256)
}

/// What only few nodes need.
@usableFromInline
final class NodeSide {
    @safe @exclusivity(unchecked) var name: String?
    /// What registries know of the node, in the order of its names.
    @safe @exclusivity(unchecked) var registration: Ref<AnyObject>?
    @safe @exclusivity(unchecked) var moreRegistrations: [Ref<AnyObject>] = []
    /// What makes the node a join; owned by the node.
    @safe @exclusivity(unchecked) var join: Ref<Join>?
    /// What waits to be stored, made on first use.
    @safe @exclusivity(unchecked) @usableFromInline var pending: PendingBase?
    /// The last emission that came or went over an identity sync, 0 if none (G-137).
    @safe @exclusivity(unchecked) var origin: UInt64 = 0
    /// On which ring the node lies, and its place in the search that found out (G-138a).
    @safe @exclusivity(unchecked) var ring = RingMark()
    @safe @exclusivity(unchecked) var place: UInt32 = 0
    /// Stands first among the listeners, and belongs to the node.
    @safe @exclusivity(unchecked) var observer: Edge?
    /// Called for each emission that parked edges do not receive.
    @safe @exclusivity(unchecked) var onMissed: (() -> Void)?
}

extension NodeCore {
    /// What only few nodes need, of one that has needed it.
    final var side: Ref<NodeSide>? {
        @inline(__always) get {
            guard let attachment, !marks.contains(.isOnlyNamed) else { return nil }
            return attachment.cast()
        }
    }

    /// The side object, made on first use.
    @inline(__always)
    final func needSide() -> NodeSide {
        (side ?? makeSide()).object
    }

    @inline(never)
    private final func makeSide() -> Ref<NodeSide> {
        let made = Ref.retaining(NodeSide())
        if let attachment {
            made.with { $0.registration = attachment }
            marks.remove(.isOnlyNamed)
        }
        attachment = made.cast()
        return made
    }

    // MARK: - Names in registries

    /// What a registry knows of this node by its first name; registries alone know the type.
    final var firstEntry: AnyObject? {
        guard let attachment else { return nil }
        guard marks.contains(.isOnlyNamed) else {
            return side?.with { $0.registration?.object }
        }
        return attachment.object
    }

    /// The same of all its names.
    final var anyEntries: [AnyObject] {
        guard let first = firstEntry else { return [] }
        let more = side?.with { $0.moreRegistrations } ?? []
        return [first] + more.map { $0.object }
    }

    /// A registry knows the node by one more name.
    final func add(_ entry: AnyObject) {
        guard attachment != nil else {
            marks.insert(.isOnlyNamed)
            attachment = Ref.to(entry)
            return
        }
        let side = needSide()
        if side.registration == nil {
            side.registration = .to(entry)
        } else {
            side.moreRegistrations.append(.to(entry))
        }
    }

    /// A registry does not know the node by that name any more.
    final func remove(_ entry: AnyObject) {
        guard !marks.contains(.isOnlyNamed) else {
            if firstEntry === entry {
                attachment = nil
                marks.remove(.isOnlyNamed)
            }
            return
        }
        let left = anyEntries.filter { $0 !== entry }
        guard let side = side?.object else { return }
        side.registration = left.first.map { .to($0) }
        if !side.moreRegistrations.isEmpty {
            side.moreRegistrations = left.dropFirst().map { .to($0) }
        }
    }

    @usableFromInline
    final var pending: PendingBase? {
        get { side?.with { $0.pending } }
        set { needSide().pending = newValue }
    }

    final var join: Ref<Join>? {
        get { side?.with { $0.join } }
        set { needSide().join = newValue }
    }

    final var seen: Bool {
        get { marks.contains(.isSeen) }
        set { if newValue { marks.insert(.isSeen) } else { marks.remove(.isSeen) } }
    }

    final var watchesDemand: Bool {
        get { marks.contains(.watchesDemand) }
        set { if newValue { marks.insert(.watchesDemand) } else { marks.remove(.watchesDemand) } }
    }

    final var origin: UInt64 {
        get { side?.with { $0.origin } ?? 0 }
        set { needSide().origin = newValue }
    }
}

/// A node without a reference count.
@usableFromInline typealias NodeRef = Ref<NodeCore>

extension Ref where Object == NodeCore {
    @inlinable var pass: Int32 {
        get { with { $0.pass } }
        nonmutating set { with { $0.pass = newValue } }
    }
    @inlinable var firstListen: EdgeRef? { with { $0.listens.first } }
    @inlinable var firstOut: EdgeRef? { with { $0.outs.first } }
    @inlinable var id: UInt64 { with { $0.id } }
    @inlinable var hasPending: Bool { with { $0.hasPending } }
    var marks: NodeMarks {
        get { with { $0.marks } }
        nonmutating set { with { $0.marks = newValue } }
    }
    @inlinable var hasEdges: Bool { with { $0.hasEdges } }
    @inlinable var isEmpty: Bool { with { $0.isEmpty } }
    var join: Ref<Join>? { with { $0.join } }
    var rank: Int {
        get { with { $0.rank } }
        nonmutating set { with { $0.rank = newValue } }
    }
    var origin: UInt64 {
        get { with { $0.origin } }
        nonmutating set { with { $0.origin = newValue } }
    }
    var seen: Bool {
        get { with { $0.seen } }
        nonmutating set { with { $0.seen = newValue } }
    }

    var node: AnyNode? { with { $0.node } }
    var heldNode: AnyNode { with { $0.heldNode } }

}
