/// What an edge's body did.
@usableFromInline
package enum Outcome {
    /// Nothing to do downstream.
    case nothing
    /// The target took a new emission: serve its edges.
    case enter
    /// As `enter`, and the emission went through the inner node whose number is in `Route.inner`
    /// (flatten).
    case enterThroughInner
    /// As `enter`, and the emission has come over an identity sync: its origin stands in the target
    /// (G-137).
    case enterSynced
    /// As `enter`, and the pass has a last step, so that it runs also when the target has no edges
    /// (switch).
    case enterToTheEnd
    /// As `enter`, and the edge has done its work: it ends.
    case enterAndEnd
    /// The target is a join to be settled.
    case mark
    /// The edge ends: its owner is gone, or it has done its work.
    case dead
}

/// What an edge is, beside its ends.
@usableFromInline
struct EdgeTraits: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16
    @usableFromInline init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Served among the listeners of its source.
    @usableFromInline static let listener = EdgeTraits(rawValue: 1)
    /// The inner following of a flatten: a listener that has a target node.
    @usableFromInline static let follower = EdgeTraits(rawValue: 2)
    /// Closes a ring: does not count for ranks.
    @usableFromInline static let ring = EdgeTraits(rawValue: 4)
    /// Delivers values later: does not count for ranks where it lies on a ring.
    @usableFromInline static let asynchronous = EdgeTraits(rawValue: 8)
    /// An input of a join: its end ends the join.
    @usableFromInline static let joinInput = EdgeTraits(rawValue: 16)
    /// Emptiness of the source makes the target empty (G-145).
    @usableFromInline static let propagatesEmpty = EdgeTraits(rawValue: 32)
    /// Is fed empties, at connection too.
    @usableFromInline static let receivesEmpty = EdgeTraits(rawValue: 64)
    /// Something below this edge asks for paths.
    @usableFromInline static let wantsPath = EdgeTraits(rawValue: 128)
    /// Counted in the graph's figures: both ends are there.
    @usableFromInline static let complete = EdgeTraits(rawValue: 256)
    /// The edge's owner is known by a weak reference only.
    @usableFromInline static let foreign = EdgeTraits(rawValue: 512)
    /// The edge is notified when it loses an end.
    @usableFromInline static let watchesEnds = EdgeTraits(rawValue: 2048)
    /// Belongs to its own source: retains nothing, counts for nothing.
    @usableFromInline static let own = EdgeTraits(rawValue: 1024)
    /// Leads from a member to the node that gathers it.
    @usableFromInline static let gathers = EdgeTraits(rawValue: 4096)
}

/// One connection: a transform, a listen, an input of a join, or the inner following of a flatten.
///
/// A ``ListenEdge`` and a ``ChangeListen`` are edges; of the others ``AnyEdge`` is the public face.
open class Edge {
    // Invariants:
    // - It stands in two intrusive lists: its source's (order of service, not owning) and its
    //   holder's (owning). The holder is the target node, or the bag of a listener.
    // - The public node of `source` is retained, `target` and `bag` are not: whatever ends unlinks
    //   itself.
    // - `stamp` is the graph's clock when the edge got both ends, and `UInt64.max` while it lacks
    //   one.
    // - A dead edge has neither source, target nor bag.
    //
    // It is never retained by the engine while it runs; an edge that ends during a turn waits in
    // `Teardown.retired`.

    /// Reads its ends from the edge, so it survives re-aiming.
    ///
    /// A `let`: a `var` closure is retained at each call.
    @usableFromInline final let body: (Edge) -> Outcome
    @safe @exclusivity(unchecked) @usableFromInline final var next: EdgeRef?
    @safe @exclusivity(unchecked) @usableFromInline final var target: NodeRef?
    @safe @exclusivity(unchecked) @usableFromInline final var stamp = UInt64.max
    @safe @exclusivity(unchecked) @usableFromInline final var source: NodeRef?
    @safe @exclusivity(unchecked) @usableFromInline final var traits: EdgeTraits
    @safe @exclusivity(unchecked) final var ringIndex: Int32 = -1
    @safe @exclusivity(unchecked) final var previous: EdgeRef?
    @safe @exclusivity(unchecked) @usableFromInline final var nextHeld: EdgeRef?
    @safe @exclusivity(unchecked) final var previousHeld: EdgeRef?
    @safe @exclusivity(unchecked) final var bag: Ref<BagContents>?
    /// What ends this edge, and refers to it.
    @safe @exclusivity(unchecked) final var token: CancelToken?
    @safe @exclusivity(unchecked) @usableFromInline final var side: EdgeSide?
    /// The name, by default that of the kind of edge (G-15).
    ///
    /// Stored verbatim.
    @safe @exclusivity(unchecked) public final var name: String

    @usableFromInline
    init(_ name: String, _ traits: EdgeTraits = [], body: @escaping (Edge) -> Outcome) {
        self.name = name
        self.traits = traits
        self.body = body
    }

    deinit {
        token?.edgeEnded()
    }

    /// Whether both ends are there.
    public final var isConnected: Bool { traits.contains(.complete) }

    /// Whether emptiness of the source makes the target empty (G-145).
    final var propagatesEmpty: Bool {
        get { traits.contains(.propagatesEmpty) }
        set { if newValue { traits.insert(.propagatesEmpty) } else { traits.remove(.propagatesEmpty) } }
    }

    // MARK: - For listens that are classes of their own

    /// The owner of the listen, if it is known besides its bag.
    var owner: AnyObject? { side?.owner }

    /// The owners, where there may be several.
    package var owners: ListenOwners? { side?.owners }

    /// The body of an edge that has none but its class.
    func perform() -> Outcome { .nothing }

    /// Notifies the listener of what is not an emission.
    func notify(_ signal: NodeSignal, of node: NodeCore, to listener: AnyObject) {}

    /// Notifies the listener that the listen has ended.
    func notifyStopped(_ node: AnyNode, to listener: AnyObject) {}

    /// The edge was ended for good.
    func ended() {}

    /// Writes what it remembers between two turns (G-164).
    func saveState(to writer: inout StateWriter) {
        side?.state?.save(to: &writer, of: self)
    }

    /// Reads what ``saveState(to:)`` has written, and emits nothing.
    func restoreState(from reader: inout StateReader) throws {
        try side?.state?.restore(from: &reader, of: self)
    }

    /// The edge, which has both ends, is about to lose one; where it watches for that.
    @usableFromInline func losesEnd() {}

    /// The source as the typed node it is; the maker of the edge knows it.
    @inlinable
    final func source<In>(as type: In.Type) -> Ref<Core<In>> {
        unsafe source.unsafelyUnwrapped.cast(to: Core<In>.self)
    }

    /// The target as the typed node it is, `nil` when it is gone.
    @inlinable
    final func target<Out>(as type: Out.Type) -> Ref<Core<Out>>? {
        guard let target else { return nil }
        return target.cast(to: Core<Out>.self)
    }

    /// What the source holds.
    @inlinable
    final func input<In>(_ type: In.Type) -> Emission<In> {
        source(as: In.self).with { $0.stored }
    }

    /// Hands a value to the target, if it is still there.
    @inlinable
    @inline(__always)
    final func store<Out>(_ value: Out) -> Outcome {
        guard let target = target(as: Out.self) else { return .nothing }
        return target.with { $0.accept(value) }
    }

    /// Hands an emission to the target, if it is still there.
    @inlinable
    final func store<Out>(emission: Emission<Out>) -> Outcome {
        guard let target = target(as: Out.self) else { return .nothing }
        return target.with { $0.accept(emission: emission) }
    }

    /// What a standard body does when its source became empty: nothing, or hand the emptiness on
    /// (G-11, G-145).
    @inlinable
    @inline(never)
    final func forwardEmpty<Out>(to type: Out.Type) -> Outcome {
        guard traits.contains(.propagatesEmpty), let target = target(as: Out.self) else { return .nothing }
        return target.with { $0.acceptEmpty() }
    }

    /// The side object, made on first use.
    @usableFromInline
    final func needSide() -> EdgeSide {
        if let side { return side }
        let made = EdgeSide()
        side = made
        return made
    }
}

/// What only few edges need.
@usableFromInline
final class EdgeSide {
    /// The public object of this edge: strongly held while a target or a listener holds the edge.
    @safe @exclusivity(unchecked) var user: AnyEdge?
    /// The same, not held: another thread may free it.
    @safe @exclusivity(unchecked) weak var userRef: AnyEdge?
    /// The inner following of a flatten edge.
    @safe @exclusivity(unchecked) @usableFromInline var follower: EdgeRef?
    /// The inner nodes of a switch edge.
    @safe @exclusivity(unchecked) @usableFromInline var inners: InnerTable?
    /// The join whose input this edge is.
    @safe @exclusivity(unchecked) @usableFromInline var join: Join?
    /// What the operator keeps from one emission to the next.
    @safe @exclusivity(unchecked) @usableFromInline var state: EdgeState?
    /// The creation number of the last source, to recognise a different one.
    @safe @exclusivity(unchecked) var lastSource: UInt64 = 0
    /// The node of a ``ListenEdge`` that has no listener.
    @safe @exclusivity(unchecked) var waiting: AnyNode?
    /// The owner of a listen by closure.
    @safe @exclusivity(unchecked) @usableFromInline weak var owner: AnyObject?
    /// The owners of a ``ChangeListen`` that has others than its bag.
    @safe @exclusivity(unchecked) var owners: ListenOwners?

    @usableFromInline init() {}
}

/// An edge without a reference count.
///
/// One-line accessors, because a key path would bring the run-time checks back.
@usableFromInline typealias EdgeRef = Ref<Edge>

extension Ref where Object == Edge {
    @inlinable var next: EdgeRef? {
        get { with { $0.next } }
        nonmutating set { with { $0.next = newValue } }
    }
    var previous: EdgeRef? {
        get { with { $0.previous } }
        nonmutating set { with { $0.previous = newValue } }
    }
    @inlinable var nextHeld: EdgeRef? {
        get { with { $0.nextHeld } }
        nonmutating set { with { $0.nextHeld = newValue } }
    }
    var previousHeld: EdgeRef? {
        get { with { $0.previousHeld } }
        nonmutating set { with { $0.previousHeld = newValue } }
    }
    @inlinable var stamp: UInt64 { with { $0.stamp } }
    @inlinable var target: NodeRef? { with { $0.target } }
    @inlinable var source: NodeRef? { with { $0.source } }
    @inlinable var traits: EdgeTraits { with { $0.traits } }
    @inlinable var side: EdgeSide? { with { $0.side } }
    @inlinable func run() -> Outcome { with { $0.body($0) } }

}
