/// Holds cancellables and listens, and ends them when it dies (G-64).
///
/// An owner that keeps a bag, and nothing else does, ends its listens at the very moment it dies.
/// That holds where the graph is at home. Elsewhere the contents of a bag end a little later, in a
/// post to the graph's executor (G-165). They go to the graph of the first listen or link, so all
/// graphs of one bag must have the same home.
public final class CancellableBag: Cancellable {
    @usableFromInline let contents = BagContents()

    /// An empty bag.
    public init(name: String? = nil) {
        if let name { self.name = name }
    }

    deinit {
        if let home = contents.home { home.end(.retaining(contents)) } else { contents.cancel() }
    }

    /// What ``AnyNode/ownerPaths(limit:)`` calls the listens of this bag, for instance the name of
    /// a view.
    public var name: String? {
        get { contents.name }
        set { contents.name = newValue }
    }

    /// Whether nothing is in it.
    public var isEmpty: Bool { contents.isEmpty }

    /// The number of cancellables and listens in it.
    public var count: Int { contents.count }

    /// Puts a cancellable in.
    ///
    /// A bag that was cancelled before just stores it.
    public func add(_ item: any Cancellable) { contents.add(item) }

    /// Takes a cancellable out without cancelling it.
    ///
    /// No effect if it is not in.
    public func remove(_ item: any Cancellable) { contents.remove(item) }

    /// Ends every listen and cancels each cancellable once, in order of insertion; the bag is empty
    /// and can be used again.
    ///
    /// Adding and removing from inside a cancellation is safe.
    public func cancel() { contents.cancel() }
}

/// What a bag holds.
///
/// Listens and ties refer to this and not to the bag, which may be freed on any thread.
@usableFromInline
final class BagContents: OwnedPart {
    /// The listens, oldest first.
    @usableFromInline fileprivate(set) var held = HeldList()
    /// The type of the object whose bag this is, known from `listen(owner:)`.
    var ownerType: Any.Type?
    /// The first graph with an executor of which something was put in.
    ///
    /// Never changed after that, because other threads read it when they free the bag.
    private(set) var home: GraphHandle?
    private var extras: Extras?

    /// What few bags have: thousands of owners hold a listen each, and nothing else.
    private final class Extras {
        var items: [any Cancellable] = []
        /// What a running `cancel()` has not come to yet.
        var leaving: [any Cancellable] = []
        var name: String?
        var ties: [ObjectIdentifier: ListenTie] = [:]
    }

    var name: String? {
        get { extras?.name }
        set { needExtras().name = newValue }
    }

    /// The listens of which the owner of this bag is one of the owners.
    var ties: [ObjectIdentifier: ListenTie] {
        get { extras?.ties ?? [:] }
        _modify { yield &needExtras().ties }
    }

    private func needExtras() -> Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }

    var isEmpty: Bool {
        held.first == nil && extras.map { $0.items.isEmpty && $0.ties.isEmpty } ?? true
    }

    var count: Int {
        held.reduce(extras.map { $0.items.count + $0.ties.count } ?? 0) { count, _ in count + 1 }
    }

    /// Something of the graph with this handle was put in.
    func join(_ graph: GraphHandle?) {
        if home == nil { home = graph }
    }

    func add(_ item: any Cancellable) {
        switch item {
        case let token as CancelToken: join(token.home)
        case let bag as CancellableBag: join(bag.contents.home)
        default: break
        }
        needExtras().items.append(item)
    }

    func remove(_ item: any Cancellable) {
        extras?.items.removeAll { $0 === item }
        extras?.leaving.removeAll { $0 === item }
    }

    func cancel() {
        while let edge = held.first { edge.with { $0.cut() } }
        guard let extras else { return }
        cutTies()
        extras.leaving.insert(contentsOf: extras.items.reversed(), at: 0)
        extras.items = []
        while let item = extras.leaving.popLast() {
            item.cancel()
        }
    }

    override func end() { cancel() }

    /// Puts a listen in, which is held from now on.
    fileprivate func insert(_ edge: Edge) {
        edge.bag = .to(self)
        held.append(.retaining(edge))
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

// MARK: - The listens of a bag

extension CancellableBag {
    /// Ends the contents at the home of `graph`, also those that know no graph.
    package func belong(to graph: Graph) { contents.join(graph.ownHandle) }

    /// Puts a listen in, which this bag holds from now on.
    package func insert(_ edge: Edge) { contents.insert(edge) }

    /// Takes over a listen that another bag holds.
    package func adopt(_ edge: Edge) {
        edge.leaveHolder()
        insert(edge)
        // What the other bag's list owned.
        Ref.to(edge).release()
    }

    /// The listens this bag holds, all of that type, oldest first: none of them may end in the
    /// meantime.
    @inlinable
    package func listens<Listen: Edge>(as type: Listen.Type) -> HeldListens<Listen> {
        HeldListens(upcoming: contents.held.first)
    }

    /// The listen put in last.
    @inlinable package var lastListen: Edge? { contents.held.last?.object }
}

/// The listens that a bag holds.
@usableFromInline
package struct HeldListens<Listen: Edge>: Sequence, IteratorProtocol {
    @usableFromInline var upcoming: EdgeRef?

    @inlinable
    init(upcoming: EdgeRef?) {
        self.upcoming = upcoming
    }

    /// The next one, in order of insertion.
    @inlinable
    package mutating func next() -> Listen? {
        guard let edge = upcoming else { return nil }
        upcoming = edge.nextHeld
        return unsafe unsafeDowncast(edge.object, to: Listen.self)
    }
}

extension Edge {
    /// Takes the edge out of its holder's list; what the list owned is the caller's.
    final func leaveHolder() {
        let ref = EdgeRef.to(self)
        target?.with { $0.held.remove(ref) }
        bag?.with { $0.held.remove(ref) }
        target = nil
        bag = nil
    }
}
