/// What is made of the values of all members of a ``GatheringNode``: kept up to date as they come,
/// change and go.
///
/// A change should cost a fixed amount of work, however many members there are; what has to look at
/// all of them belongs in ``result(of:)``, which is called once per turn. The functions must leave
/// the graph alone.
public protocol Reduction<Value, Result> {
    /// The values of the members.
    associatedtype Value
    /// What is made of them.
    associatedtype Result

    /// A member has a value, and had none before.
    ///
    /// - Parameters:
    ///   - value: what it holds.
    ///   - place: its number, from 0; those of members that have gone are given again.
    mutating func insert(_ value: Value, at place: Int)

    /// A member has another value: by default the old one goes, and the new one comes.
    mutating func replace(_ old: Value, with new: Value, at place: Int)

    /// A member has become empty, or left.
    mutating func remove(_ old: Value, at place: Int)

    /// What is made of all values; empty where there is nothing to be made of them.
    mutating func result(of members: GatheredMembers<Value>) -> Emission<Result>
}

extension Reduction {
    @inlinable
    public mutating func replace(_ old: Value, with new: Value, at place: Int) {
        remove(old, at: place)
        insert(new, at: place)
    }
}

/// The members of a ``GatheringNode`` by their places.
public struct GatheredMembers<Value> {
    @usableFromInline
    struct Entry {
        /// `nil`: the place is free.
        @usableFromInline var edge: Ref<Edge>?
        @usableFromInline var key: String
        /// What the member held when it was last looked at.
        @usableFromInline var latest: Emission<Value>

        @inlinable
        init(_ edge: Edge, _ key: String) {
            self.edge = .to(edge)
            self.key = key
            latest = .empty
        }
    }

    @usableFromInline var entries = Chunks<Entry>()

    /// No members.
    @inlinable package init() {}

    /// The name of the member at a place.
    @inlinable public func key(at place: Int) -> String { entries[place].key }

    /// What the member at a place holds; nil if there is none.
    @inlinable public func value(at place: Int) -> Value? {
        place < entries.count ? entries[place].latest.value : nil
    }
}

/// A join over a changing set of nodes, its members: what a ``Reduction`` makes of those that hold
/// a value.
///
/// ```swift
/// let warmest = graph.gather(GatherExtreme<Double>.max)
/// let hall = graph.mutable(19.5)
/// let attic = graph.mutable(24.0)
/// warmest.listen(in: bag) { print($0) }
/// warmest.insert(hall)  // prints 19.5
/// warmest.insert(attic)  // prints 24.0
/// ```
///
/// In `settled` mode it emits once per turn, when all members have settled, however many have
/// changed; in `immediate` mode for each change. A member that is empty counts for nothing. Coming,
/// changing and leaving cost the same however many members there are, besides what the reduction
/// does.
///
/// It holds its members, as every node holds what it is made from.
public final class GatheringNode<Figure: Reduction>: Node<Figure.Result> {
    @inlinable
    init(_ graph: Graph, _ figure: Figure) {
        super.init(GatherCore(graph, figure))
    }

    /// Calls `body` with what the graph knows of this node, as the type it is.
    @inlinable
    @inline(__always)
    final func withMembers<Result>(_ body: (GatherCore<Figure>) -> Result) -> Result {
        withCore { unsafe body(unsafeDowncast($0, to: GatherCore<Figure>.self)) }
    }

    /// How many members there are, empty ones included.
    public var memberCount: Int { withMembers { $0.places.count } }

    /// Whether a node is a member.
    @inlinable public func contains(_ node: Node<Figure.Value>) -> Bool {
        withMembers { $0.places[node.id] != nil }
    }

    /// Makes a node a member; one that is a member stays as it is.
    ///
    /// If it holds a value, this node emits: at the end of the turn that is running, in `settled`
    /// mode, or at once.
    ///
    /// - Parameters:
    ///   - node: a node of the same graph.
    ///   - key: what ``GatherList`` and ``GatherDictionary`` know it by.
    @inlinable
    public func insert(_ node: Node<Figure.Value>, as key: String = "") {
        guard node !== self else { return }
        withMembers { $0.insert(node, as: key, in: self) }
    }

    /// Releases a member.
    ///
    /// If it holds a value, this node emits, as with ``insert(_:as:)``.
    @inlinable
    public func remove(_ node: Node<Figure.Value>) { withMembers { $0.remove(node) } }

    /// From its next emission on a member counts for nothing, whatever it holds; ``remove(_:)`` it
    /// afterwards.
    ///
    /// So a member that loses its value in the turn in which it leaves makes this node emit once.
    @inlinable
    public func dismiss(_ node: Node<Figure.Value>) { withMembers { $0.dismiss(node) } }

    /// Makes several changes, after which this node emits once, if at all: in the turn that is
    /// running, or at once.
    @inlinable
    public func update(_ changes: () -> Void) {
        beginUpdate()
        changes()
        endUpdate()
    }

    /// Makes changes to a node that nothing listens to yet: it holds what comes of them, and emits
    /// nothing.
    @inlinable
    package func fill(_ changes: () -> Void) { withMembers { $0.fill(changes) } }

    /// From now on this node emits nothing, until as many calls of ``endUpdate()`` have been made.
    @inlinable
    package func beginUpdate() { withMembers { $0.updates += 1 } }

    @inlinable
    package func endUpdate() { withMembers { $0.endUpdate() } }

    /// Calls `body` with the reduction and the members as they are now.
    @inlinable
    package func reduce<Result>(
        _ body: (inout Figure, GatheredMembers<Figure.Value>) -> Result
    ) -> Result {
        withMembers { body(&$0.figure, $0.members) }
    }
}

/// What the graph knows of a ``GatheringNode``.
@usableFromInline
final class GatherCore<Figure: Reduction>: Core<Figure.Result> {
    @usableFromInline var figure: Figure
    @usableFromInline var members = GatheredMembers<Figure.Value>()
    /// The members by the creation numbers of their nodes.
    @usableFromInline var places = GatherPlaces()
    @usableFromInline var free: ContiguousArray<Int> = []
    /// How many calls of ``update(_:)`` are running, and whether there is something to emit after
    /// them.
    @usableFromInline var updates = 0
    @usableFromInline var isDue = false
    /// Its members are no longer needed.
    @usableFromInline var isDying = false
    /// What an edge does: made where the reduction is known, so that it is specialised for it
    /// whatever adds the member.
    @usableFromInline let receive: (Edge) -> Outcome

    @inlinable
    init(_ graph: Graph, _ figure: Figure) {
        self.figure = figure
        receive = { edge in
            guard let target = edge.target else { return .nothing }
            let edge = unsafe unsafeDowncast(edge, to: GatherEdge<Figure>.self)
            return target.cast(to: GatherCore<Figure>.self)
                .with { $0.deliver(edge) }
        }
        super.init(graph: graph, .empty)
        _ = graph.makeJoin(self) { join in
            guard let node = join.node else { return .nothing }
            return node.cast(to: GatherCore<Figure>.self)
                .with { $0.accept(emission: $0.figure.result(of: $0.members)) }
        }
        destroy(exchange(&stored, with: self.figure.result(of: members)))
    }

    override func end(_ node: AnyNode?) {
        isDying = true
        super.end(node)
    }

    @inlinable
    func insert(_ node: Node<Figure.Value>, as key: String, in target: AnyNode) {
        guard places[node.id] == nil else { return }
        let place = free.popLast() ?? members.entries.count
        let edge = GatherEdge<Figure>(at: place, receive)
        let entry = GatheredMembers<Figure.Value>.Entry(edge, key)
        if place < members.entries.count {
            members.entries[place] = entry
        } else {
            members.entries.append(entry)
        }
        places[node.id] = place
        graph.tie(edge, from: node, to: target)
        if take(node.stored, at: place) { changed() }
    }

    @inlinable
    func remove(_ node: Node<Figure.Value>) {
        guard let place = places[node.id], let edge = members.entries[place].edge else { return }
        let wasThere = !members.entries[place].latest.isEmpty
        edge.with { cut($0) }
        if wasThere { changed() }
    }

    @inlinable
    func dismiss(_ node: Node<Figure.Value>) {
        guard let place = places[node.id], let edge = members.entries[place].edge else { return }
        edge.with { unsafe unsafeDowncast($0, to: GatherEdge<Figure>.self).isLeaving = true }
    }

    @inlinable
    func fill(_ changes: () -> Void) {
        updates += 1
        changes()
        updates -= 1
        isDue = false
        destroy(exchange(&stored, with: figure.result(of: members)))
    }

    @inlinable
    func endUpdate() {
        updates -= 1
        guard updates == 0, isDue else { return }
        isDue = false
        changed()
    }

    // MARK: - Members

    /// Notes what a member holds; says whether that makes a difference.
    @inlinable
    @inline(__always)
    func take(_ emission: Emission<Figure.Value>, at place: Int) -> Bool {
        let old = exchange(&members.entries[place].latest, with: emission)
        switch (old, emission) {
        case (.value(let old), .value(let new)): figure.replace(old, with: new, at: place)
        case (.empty, .value(let new)): figure.insert(new, at: place)
        case (.value(let old), .empty): figure.remove(old, at: place)
        case (.empty, .empty): return false
        }
        return true
    }

    /// A member has delivered.
    @inlinable
    @inline(__always)
    func deliver(_ edge: GatherEdge<Figure>) -> Outcome {
        // An edge that was aimed elsewhere by hand belongs to no member.
        guard edge.member >= 0 else { return .nothing }
        let emission = edge.isLeaving ? .empty : edge.input(Figure.Value.self)
        guard take(emission, at: edge.member) else { return .nothing }
        guard updates == 0 else {
            isDue = true
            return .nothing
        }
        return delivered(edge)
    }

    @usableFromInline
    func cut(_ edge: Edge) {
        edge.cut()
    }

    @usableFromInline
    func delivered(_ edge: Edge) -> Outcome {
        join?.with { $0.delivered(by: edge) } ?? .nothing
    }

    /// The members are others than those that were last emitted.
    @usableFromInline
    func changed() {
        guard updates == 0 else {
            isDue = true
            return
        }
        guard let join else { return }
        join.with { graph.engine.changed($0) }
    }

    /// The edge of a member loses an end, whatever takes it away.
    @inlinable
    func left(_ edge: GatherEdge<Figure>) {
        let place = edge.member
        guard !isDying, let source = edge.source else { return }
        places[source.id] = nil
        let old = exchange(&members.entries[place].latest, with: .empty)
        members.entries[place].edge = nil
        members.entries[place].key = ""
        free.append(place)
        if case .value(let old) = old { figure.remove(old, at: place) }
        if places.isEmpty {
            members.entries = Chunks()
            free = []
        }
    }
}

/// Places by the creation numbers of nodes: in many small tables where there are many, so that none
/// takes long to grow.
@usableFromInline
struct GatherPlaces {
    private static var bits: UInt64 { 10 }
    private static var few: Int { 4_096 }
    /// One, or `1 << bits`.
    private var tables: ContiguousArray<[UInt64: Int]> = [[:]]
    @usableFromInline private(set) var count = 0

    @usableFromInline init() {}

    @usableFromInline var isEmpty: Bool { count == 0 }

    @usableFromInline subscript(number: UInt64) -> Int? {
        get { tables[table(of: number)][number] }
        set {
            let table = table(of: number)
            let before = tables[table].count
            tables[table][number] = newValue
            count += tables[table].count - before
            if tables.count == 1, count > Self.few { divide() }
            if count == 0 { tables = [[:]] }
        }
    }

    private func table(of number: UInt64) -> Int {
        tables.count == 1 ? 0 : Int(truncatingIfNeeded: number & (1 << Self.bits - 1))
    }

    private mutating func divide() {
        let all = tables[0]
        tables = ContiguousArray(repeating: [:], count: 1 << Self.bits)
        for (number, place) in all { tables[table(of: number)][number] = place }
    }
}

/// The edge from a member.
@usableFromInline
final class GatherEdge<Figure: Reduction>: Edge {
    /// The member's place; negative: it is not a member any more.
    @usableFromInline var member: Int
    /// The member counts for nothing any more.
    @usableFromInline var isLeaving = false

    @inlinable
    init(at place: Int, _ receive: @escaping (Edge) -> Outcome) {
        member = place
        super.init("Gather", [.joinInput, .watchesEnds, .gathers], body: receive)
    }

    @usableFromInline
    override func losesEnd() {
        guard member >= 0, let target else { return }
        target.cast(to: GatherCore<Figure>.self)
            .with { $0.left(self) }
        member = -1
    }

    override func saveState(to writer: inout StateWriter) {
        guard member >= 0, let target else { return }
        target.cast(to: GatherCore<Figure>.self)
            .with { writer.write($0.members.entries[member].latest) }
    }

    override func restoreState(from reader: inout StateReader) throws {
        guard member >= 0, let target else { return }
        try target.cast(to: GatherCore<Figure>.self)
            .with { node in
                let present = node.members.entries[member].latest
                _ = node.take(try reader.emission(keeping: present), at: member)
            }
    }
}

extension Graph {
    /// A node without members yet, which holds what `reduction` makes of none.
    ///
    /// See <doc:Gather>.
    @inlinable
    public func gather<Figure: Reduction>(_ reduction: Figure) -> GatheringNode<Figure> {
        GatheringNode(self, reduction)
    }
}

extension Engine {
    /// A join has something to emit, which no edge has delivered.
    fileprivate func changed(_ join: Join) {
        if turnState.running > 0, join.isSettled, let node = join.node { mark(node) } else { start(join) }
    }
}
