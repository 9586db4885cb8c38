internal import Support

/// A graph of nodes: creates them, carries emissions through them, releases them.
///
/// ```swift
/// let graph = Graph()
/// let celsius = graph.mutable(21.5)
/// let fahrenheit = celsius.map { $0 * 9 / 5 + 32 }
/// let bag = CancellableBag()
/// fahrenheit.listen(in: bag) { print($0) }  // prints 70.7
/// celsius.set(22)  // prints 71.6
/// ```
///
/// A graph belongs to one event loop, one actor, one task or one thread (G-108). It takes no lock,
/// and the classes are not `Sendable`, so the compiler keeps them there. Every node keeps its graph
/// alive; the graph keeps no node alive, except those listened to by owners it can only watch
/// (``collect()``).
public final class Graph {
    /// How an emission goes through joins (G-50).
    public enum Propagation: Sendable {
        /// A join emits once per turn, when all its inputs have settled.
        case settled
        /// A join emits for each delivery of an input.
        case immediate
    }

    /// How emissions go through joins.
    public var propagation: Propagation { engine.propagation }
    /// Where timed operators take their time from; `nil` refuses them.
    public let clock: (any LoopClock)?
    /// The loop this graph belongs to, for what is to happen later; `nil` refuses it.
    public let executor: (any LoopExecutor)?
    /// Whether emptiness of a source makes derived nodes empty: inherited by every edge made
    /// (G-145).
    public let propagatesEmpty: Bool
    /// How often the deaths of owners without a bag are looked for, by the clock; `nil` leaves it
    /// to ``collect()``.
    public let collectsEvery: Duration?
    /// How many sets of one node may be queued in one turn before the turn is stopped (G-39).
    public var feedbackLimit: Int { engine.feedbackLimit }
    /// Receives errors that have no caller: feedback that does not settle, functions that threw
    /// (G-39, G-99).
    ///
    /// While it is `nil`, debug builds print the first error of each node.
    public var onError: ((GraphError) -> Void)? {
        get { engine.onError }
        set { engine.onError = newValue }
    }
    /// Receives the creation number of each node that is freed.
    public var onRelease: ((UInt64) -> Void)?
    /// The same with the node, which nothing may hold for longer than the call.
    package final var onFreed: ((AnyNode) -> Void)?
    /// In debug builds, called for each set of a node without listeners and nodes below it (G-17).
    ///
    /// Off by default.
    public var onIdleSet: ((AnyNode) -> Void)?
    /// In debug builds, called for each value that a sync and its reverse do not map to itself: the
    /// source and the target (G-88).
    ///
    /// Off by default.
    public var onSyncMismatch: ((AnyNode, AnyNode) -> Void)?

    /// Living nodes, edges and listeners, and totals.
    public internal(set) var counts = GraphCounts()

    /// What carries emissions from node to node.
    @usableFromInline package let engine: Engine
    /// Which nodes are wanted, for each who asks.
    package final var demands: [Demand] = []
    let owners = OwnerWatch()
    /// Where the properties are noted that are read while a bound path is evaluated.
    package final var reading: AnyObject?
    /// Nodes whose values may die; not held.
    var mortals: [UInt64: NodeRef] = [:]
    private var lastNodeID: UInt64 = 0
    /// The timers of the clock, made when the first timed operator is.
    @usableFromInline private(set) lazy var timers = clock.map { TimerQueue($0) }
    var batchPool: [Batch.Storage] = []

    // Threads.

    /// ``handle``, of a graph with an executor; other threads read it.
    private(set) var ownHandle: GraphHandle?
    var ownPosts = Queue<() -> Void>()
    /// Nodes known elsewhere by their number; not held.
    var reachable: [UInt64: NodeRef] = [:]
    /// What bridges to other graphs hold here, while there is demand.
    var bridges: [ObjectIdentifier: CancellableBag] = [:]
    #if DEBUG
        let checksThread: Bool
        /// Where this graph may be used if it has no executor.
        let home: Locked<Home>
    #endif

    /// A graph without nodes.
    ///
    /// - Parameters:
    ///   - propagation: how emissions go through joins.
    ///   - clock: the time of delays, debounces and samples.
    ///   - executor: the loop the graph belongs to: deferred sets, submissions of other threads,
    ///     `deliver(on:)`.
    ///   - propagatesEmpty: whether emptiness travels along edges that do not say otherwise.
    ///   - collectsEvery: how often a graph with a clock looks for owners without a bag that have
    ///     died, while it has listeners of such owners. Otherwise they would keep the graph alive
    ///     until ``collect()`` is called. `nil` if a loop calls that itself.
    ///   - feedbackLimit: queued sets of one node in one turn before the turn is stopped; at least
    ///     1.
    ///   - checksThread: whether debug builds stop a call from outside the graph's home. Pass false
    ///     if something that neither the compiler nor Swift's runtime knows keeps callers apart,
    ///     such as a lock.
    ///   - isolation: the actor whose isolation the graph belongs to, not kept alive; the caller's
    ///     by default. Without one, the graph belongs to the task or thread that makes it, until an
    ///     actor first uses it. An executor comes first: then it alone says who may call.
    public init(
        propagation: Propagation = .settled,
        clock: (any LoopClock)? = nil,
        executor: (any LoopExecutor)? = nil,
        propagatesEmpty: Bool = false,
        collectsEvery: Duration? = .seconds(1),
        feedbackLimit: Int = 10_000,
        checksThread: Bool = true,
        isolation: (any Actor)? = #isolation
    ) {
        precondition(feedbackLimit > 0, "Graph: feedbackLimit must be positive")
        precondition(collectsEvery.map { $0 > .zero } ?? true, "Graph: collectsEvery must be positive")
        self.clock = clock
        self.executor = executor
        #if DEBUG
            self.checksThread = checksThread
            home = Locked(Home(isolation))
        #endif
        self.propagatesEmpty = propagatesEmpty
        self.collectsEvery = collectsEvery
        engine = Engine(propagation, feedbackLimit: feedbackLimit)
        if let executor {
            ownHandle = GraphHandle(executor, of: self)
        }
    }

    deinit {
        guard let ownHandle else { return }
        if ownHandle.isHere { ownHandle.close() } else { ownHandle.close(Schedules(of: self, ownHandle)) }
    }

    /// What a graph has with its clock, ended at home also where the graph is freed elsewhere.
    private final class Schedules: OwnedPart {
        private let owners: OwnerWatch
        private let timers: TimerQueue?
        /// Held until this has ended: its bell leads here.
        private let handle: GraphHandle

        init(of graph: Graph, _ handle: GraphHandle) {
            owners = graph.owners
            timers = graph.timers
            self.handle = handle
        }

        override func end() {
            owners.stop()
            timers?.stop()
        }
    }

    // MARK: - Making nodes

    /// A node that can be set, holding `value`.
    ///
    /// `nil` for an optional type is a value (G-2).
    public func mutable<Value>(_ value: Value) -> MutableNode<Value> {
        MutableNode(graph: self, .value(value))
    }

    /// An empty node that can be set.
    public func mutable<Value>(of type: Value.Type) -> MutableNode<Value> {
        MutableNode(graph: self, .empty)
    }

    /// A node holding `value` that only edges change.
    public func node<Value>(_ value: Value) -> Node<Value> {
        Node(graph: self, .value(value))
    }

    /// An empty node that only edges change.
    public func node<Value>(of type: Value.Type) -> Node<Value> {
        Node(graph: self, .empty)
    }

    func nextNodeID() -> UInt64 {
        checkThread("a new node")
        counts.bornNodes += 1
        counts.liveNodes += 1
        return nextToken()
    }

    /// A number for paths that belongs to no node.
    func nextToken() -> UInt64 {
        lastNodeID += 1
        return lastNodeID
    }

    @usableFromInline
    func warnIfIdle(_ core: NodeCore) {
        #if DEBUG
            if let onIdleSet, let node = core.node { onIdleSet(node) }
        #endif
    }
}

/// How much of a graph is alive.
public struct GraphCounts: Equatable, Sendable {
    /// Nodes that are alive.
    public internal(set) var liveNodes = 0
    /// Transform edges with both ends.
    public internal(set) var liveEdges = 0
    /// Listens that have not ended.
    public internal(set) var liveListeners = 0
    /// Inner nodes being followed by a flatten or a case.
    public internal(set) var liveFollowings = 0
    /// Nodes made since the graph began.
    public internal(set) var bornNodes = 0
    /// Nodes freed since the graph began.
    public internal(set) var releasedNodes = 0
}

/// What went wrong inside a turn, where there is no caller to throw to.
public enum GraphError: Error {
    /// More than `limit` sets of one node were queued in one turn: the turn was stopped (G-39).
    case feedback(node: UInt64, name: String?, limit: Int)
    /// An edge that already has an end was given to `link`: nothing changed (G-28).
    case edgeInUse(name: String, node: UInt64)
    /// A registry was asked for an invalid name; the node it returned has a lasting error (G-127).
    case invalidName(String)
    /// The function of an operator threw; nothing was emitted (G-99).
    case function(node: UInt64, name: String?, operation: String, error: any Error)
    /// A value found the buffer of an operator full, or a new key no room: it was dropped (G-142,
    /// G-143).
    case overflow(node: UInt64, name: String?, limit: Int)
}

extension GraphError: CustomStringConvertible {
    /// One sentence that names the node.
    public var description: String {
        switch self {
        case .feedback(let node, let name, let limit):
            "the turn was stopped: more than \(limit) sets of node \(name ?? "n\(node)") were queued"
        case .edgeInUse(let name, let node):
            "node n\(node) cannot be linked by edge \(name): the edge already has an end"
        case .invalidName(let name):
            "a registry was asked for the invalid name \"\(name)\""
        case .function(let node, let name, let operation, let error):
            "\(operation) of node \(name ?? "n\(node)") failed: \(error)"
        case .overflow(let node, let name, let limit):
            "a value for node \(name ?? "n\(node)") was dropped: the limit of \(limit) is reached"
        }
    }
}
