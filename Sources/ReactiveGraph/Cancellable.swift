/// Something that can be ended.
public protocol Cancellable: AnyObject {
    /// Ends it. Idempotent.
    func cancel()
}

/// Ends a link or a listen, or runs a closure once.
///
/// It holds neither node, listener nor closure of the connection it ends, and dropping it does **not** cancel
/// (G-30, G-60). To end things with the life of an object, use a ``CancellableBag``.
public final class CancelToken: Cancellable {
    private var edge: EdgeRef?
    private var action: (() -> Void)?
    private var parts: [CancelToken] = []

    /// A token that runs `action` at most once, and then drops it (G-65).
    public init(_ action: @escaping () -> Void) {
        self.action = action
    }

    init(parts: [CancelToken]) {
        self.parts = parts
    }

    init(edge: Edge) {
        self.edge = .passUnretained(edge)
        edge.handle?._withUnsafeGuaranteedRef { $0.edgeEnded() }
        edge.handle = .passUnretained(self)
    }

    deinit {
        edge?._withUnsafeGuaranteedRef { $0.handle = nil }
    }

    /// Whether there is still something to end.
    public var isActive: Bool {
        edge != nil || action != nil || parts.contains(where: \.isActive)
    }

    /// The edges that it ends: one of a link, two of a sync; none of a listen or a closure, or once they have ended.
    ///
    /// An edge that somebody keeps holds its source. The token itself holds none.
    public var edges: [AnyEdge] {
        guard let edge else { return parts.flatMap(\.edges) }
        return edge._withUnsafeGuaranteedRef { $0.publicEdge().map { [$0] } ?? [] }
    }

    /// Ends the connection: both ends are unset at once, values stay.
    ///
    /// Idempotent.
    public func cancel() {
        if let edge {
            edge._withUnsafeGuaranteedRef { edge in
                guard let graph = edge.graph else { return }
                graph.cut(edge)
            }
        } else if let action {
            self.action = nil
            action()
        } else {
            for part in parts { part.cancel() }
        }
    }

    func edgeEnded() {
        edge = nil
    }
}

/// Holds cancellables and listens, and ends them when it dies (G-64).
///
/// An owner that keeps a bag, and nothing else does, ends its listens at the very moment it dies.
public final class CancellableBag: Cancellable {
    private var items: [any Cancellable] = []
    /// What a running `cancel()` has not come to yet.
    private var leaving: [any Cancellable] = []
    /// The listens this bag holds.
    @exclusivity(unchecked) var held: EdgeRef?
    @exclusivity(unchecked) var lastHeld: EdgeRef?
    /// What ``AnyNode/ownerPaths(limit:)`` calls the listens of this bag, for instance the name of a view.
    public var name: String?
    /// The type of the object whose bag this is, known from `listen(owner:)`.
    @exclusivity(unchecked) var ownerType: Any.Type?
    /// The listens of which the owner of this bag is one of the owners.
    var ties: [ObjectIdentifier: ListenTie] = [:]

    /// An empty bag.
    public init(name: String? = nil) {
        self.name = name
    }

    deinit {
        cancel()
    }

    /// Whether nothing is in it.
    public var isEmpty: Bool { items.isEmpty && held == nil && ties.isEmpty }

    /// The number of cancellables and listens in it.
    public var count: Int {
        var count = items.count + ties.count
        var next = held
        while let edge = next {
            count += 1
            next = edge.nextHeld
        }
        return count
    }

    /// Puts a cancellable in.
    ///
    /// A bag that was cancelled before just stores it.
    public func add(_ item: any Cancellable) {
        items.append(item)
    }

    /// Takes a cancellable out without cancelling it.
    ///
    /// No effect if it is not in.
    public func remove(_ item: any Cancellable) {
        items.removeAll { $0 === item }
        leaving.removeAll { $0 === item }
    }

    /// Ends every listen and cancels each cancellable once, in order of insertion; the bag is empty and can be
    /// used again.
    ///
    /// Adding and removing from inside a cancellation is safe.
    public func cancel() {
        cancelListens()
        cutTies()
        leaving.insert(contentsOf: items.reversed(), at: 0)
        items = []
        while let item = leaving.popLast() {
            item.cancel()
        }
    }

    private func cancelListens() {
        while let edge = held {
            edge._withUnsafeGuaranteedRef { edge in
                guard let graph = edge.graph else { return }
                graph.cut(edge)
            }
        }
    }
}

extension Cancellable {
    /// Puts this into `bag`, and returns it.
    @discardableResult
    public func store(in bag: CancellableBag) -> Self {
        bag.add(self)
        return self
    }
}

extension Edge {
    /// The graph of an edge that has an end.
    var graph: Graph? {
        if let source { return source._withUnsafeGuaranteedRef { $0.graph } }
        return target?._withUnsafeGuaranteedRef { $0.graph }
    }
}
