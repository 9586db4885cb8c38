/// Carries emissions along the edges of one graph: turns, the passes in them, paths and joins.
///
/// Every stored `var` is free of run-time exclusivity checks, which were four fifths of the time
/// otherwise. What makes them safe without: they are read and written, never lent to code of
/// others, so no two accesses overlap.
@usableFromInline
@safe package final class Engine {
    /// Called with the creation number of each join when it settles: tests compare the order.
    @safe @exclusivity(unchecked) package var onSettle: ((UInt64) -> Void)?
    /// See ``Graph/onError``.
    @safe @exclusivity(unchecked) var onError: ((GraphError) -> Void)?
    #if DEBUG
        private var unhandled = UnhandledErrors()
    #endif
    /// See ``Graph/propagation``.
    @safe @exclusivity(unchecked) @usableFromInline var propagation: Graph.Propagation
    /// See ``Graph/feedbackLimit``.
    let feedbackLimit: Int

    /// The passes that are running.
    @safe @exclusivity(unchecked) var stack = PassStack()
    @safe @exclusivity(unchecked) var turnState = TurnState()
    /// Counts connections; an edge is not served for an emission older than its stamp.
    @safe @exclusivity(unchecked) var connections: UInt64 = 0
    /// How often an edge has left its source.
    @safe @exclusivity(unchecked) var departures: UInt64 = 0
    /// The path and the context of the current emission.
    @safe @exclusivity(unchecked) @usableFromInline package internal(set) var route = Route()
    /// Marked joins.
    @safe @exclusivity(unchecked) var marked = MarkedJoins()
    @safe @exclusivity(unchecked) package internal(set) var ranks = Ranks()
    @safe @exclusivity(unchecked) var teardown = Teardown()

    init(_ propagation: Graph.Propagation, feedbackLimit: Int) {
        self.propagation = propagation
        self.feedbackLimit = feedbackLimit
    }

    deinit {
        stack.deallocate()
        marked.deallocate()
    }

    /// The context of the emission that is being delivered.
    @usableFromInline
    var currentContext: Context? {
        route.context?.object
    }
}

/// How far the turns of a graph are.
struct TurnState {
    /// Turns that are running, nested ones included.
    var running = 0
    var number: UInt64 = 1
    /// Batches that are running, in settled mode.
    var batches = 0
    /// The error that stops the running turn.
    var stop: GraphError?
    var isStopping = false
}

/// What comes along with the emission that is being delivered.
@usableFromInline
package struct Route {
    /// The path that came with it; not owned here.
    var restored: Ref<Trail>?
    /// Its context; not owned here.
    var context: Ref<Context>?
    /// Not 0 when "is this target on the path" needs more than a look at the target's frame.
    var careful = 0
    var extras = Extras()
    /// The inner node it is going through, 0 if none.
    @usableFromInline var inner: UInt64 = 0
    var origins = SyncOrigins()
    /// How many listeners ask for paths.
    var wishes = 0
    /// How many of them ask for the names on these.
    var namers = 0
    /// How many ids of paths have been kept: for tests of what rings cost.
    package internal(set) var keptIDs = 0
}

/// An engine without a reference count: its graph holds it, and a node holds the graph.
@usableFromInline typealias EngineRef = Ref<Engine>

extension Ref where Object == Engine {
    @inlinable var currentContext: Context? { with { $0.currentContext } }
    @inlinable func currentPath() -> Path { with { $0.currentPath() } }
    @inlinable func turn(_ node: NodeCore, trail: Trail?, context: Context?) {
        with { $0.turn(node, trail: trail, context: context) }
    }
}

// MARK: - Turns

extension Engine {
    /// Serves the edges of `node`, which has just stored an emission, then settles what was marked.
    @usableFromInline
    func turn(_ node: NodeCore, trail: Trail?, context newContext: Context?) {
        guard !turnState.isStopping else { return }
        let saved = beginTurn(trail: trail, context: newContext)
        push(.to(node))
        run(to: stack.base)
        endTurn(saved)
        withExtendedLifetime((trail, newContext)) {}
    }

    struct SavedTurn {
        let base: Int
        let restored: Ref<Trail>?
        let context: Ref<Context>?
        let careful: Int
        let marked: MarkedJoins.Part
        let inner: UInt64
    }

    @inline(__always)
    func beginTurn(trail: Trail?, context newContext: Context?) -> SavedTurn {
        let saved = SavedTurn(
            base: stack.base,
            restored: route.restored,
            context: route.context,
            careful: route.careful,
            marked: marked.begin(),
            inner: route.inner
        )
        stack.base = stack.depth
        route.inner = 0
        // What is careful about extras and batches stays: a turn leaves them as it found them.
        route.careful = route.careful &- (route.restored == nil ? 0 : 1) &+ (trail == nil ? 0 : 1)
        route.restored = trail.map(Ref.to)
        route.context = newContext.map(Ref.to)
        turnState.running += 1
        return saved
    }

    @inline(__always)
    func endTurn(_ saved: SavedTurn) {
        if !marked.isEmpty { settle() }
        stack.base = saved.base
        marked.end(saved.marked)
        route.inner = saved.inner
        route.restored = saved.restored
        route.careful = saved.careful
        route.context = saved.context
        turnState.running -= 1
        if turnState.running == 0 { endOutermost() }
    }

    @inline(__always)
    private func endOutermost() {
        turnState.number &+= 1
        // First, so that what the dead set is delivered again.
        if turnState.isStopping { reportStop() }
        if teardown.isDue { releaseDue() }
    }

    /// Runs the body of a complete edge with `emission` in the place of what the source holds.
    func feed<In>(
        _ edge: Edge,
        from source: Node<In>,
        _ emission: Emission<In>,
        _ path: Path = .empty,
        _ context: Context? = nil
    ) {
        let trail = path == .empty ? nil : Trail(path)
        feed(edge, trail, context) { source.typedCore.holding(emission) { edge.body(edge) } }
    }

    /// The same for an emission that has waited.
    func feed<In>(_ edge: Edge, from source: Node<In>, _ emission: Emission<In>, after passage: Passage?) {
        feed(edge, passage?.trail, passage?.context) {
            source.typedCore.holding(emission) { edge.body(edge) }
        }
    }

    /// Runs `body` as that of a complete edge, in a turn of its own.
    private func feed(_ edge: Edge, _ trail: Trail?, _ context: Context?, _ body: () -> Outcome) {
        guard edge.traits.contains(.complete), !turnState.isStopping else { return }
        let saved = beginTurn(trail: trail, context: context)
        if edge.target.map({ !mustSkip($0) }) ?? true {
            pushWithoutNode(extras: 0)
            follow(body(), of: .to(edge))
            run(to: stack.base)
        }
        endTurn(saved)
        withExtendedLifetime((self, edge, trail, context)) {}
    }

    /// Feeds a complete edge the current emission of its source, once, as a turn of its own (G-21).
    func replay(_ edge: Edge) {
        // A node whose object has died notices it here, and its listeners may cut this edge.
        guard edge.traits.contains(.complete), let first = edge.source else { return }
        let isEmpty = first.with { $0.isEmpty }
        guard !isEmpty || edge.traits.contains(.receivesEmpty) else { return }
        guard edge.traits.contains(.complete), let source = edge.source else { return }
        let saved = beginTurn(trail: nil, context: nil)
        // A frame without node stands for the source: nested turns must not mistake the outer path
        // for theirs.
        addExtra(source.id, source)
        pushWithoutNode(extras: 1)
        if edge.target.map({ !mustSkip($0) }) ?? true {
            let ref = EdgeRef.to(edge)
            follow(ref.run(), of: ref)
        }
        run(to: stack.base)
        endTurn(saved)
    }

    /// Emits what the inputs of a join hold, once, as a turn of its own.
    @usableFromInline
    func start(_ join: Join) {
        guard let node = join.node else { return }
        let saved = beginTurn(trail: nil, context: nil)
        if join.emit(join) == .enter, let node = join.node, node.hasEdges, !turnState.isStopping {
            push(node)
            run(to: stack.base)
        }
        endTurn(saved)
        withExtendedLifetime(node) {}
    }

    /// Runs every timer of `timers` that is due at `time` as one turn: joins settle once, after the
    /// last.
    ///
    /// Each emits as its turn comes, so what an earlier one emits may take the emission of a later
    /// one back. In `immediate` mode each is a turn of its own, as in a batch (G-34a).
    package func fire(_ timers: TimerQueue, until time: Duration) {
        guard propagation == .settled else { return timers.fire(until: time) { $0.perform() } }
        guard !turnState.isStopping, timers.next.map({ $0 <= time }) == true else { return }
        let saved = beginTurn(trail: nil, context: nil)
        timers.fire(until: time) { due in
            guard !turnState.isStopping else { return }
            setPath(due.trail.map(Ref.to))
            route.context = due.context.map(Ref.to)
            due.deliver(self)
            run(to: stack.base)
            setPath(nil)
            route.context = nil
            withExtendedLifetime(due) {}
        }
        endTurn(saved)
        withExtendedLifetime(self) {}
    }

    // MARK: - Feedback

    /// Whether one more emission may be queued on `node`; stops the turn when the limit is passed
    /// (G-39).
    @usableFromInline
    func mayQueue(on node: NodeCore, _ queue: PendingBase) -> Bool {
        if turnState.isStopping { return false }
        guard queue.countInTurn(turnState.number) > feedbackLimit else { return true }
        turnState.stop = .feedback(node: node.id, name: node.name, limit: feedbackLimit)
        turnState.isStopping = true
        for index in 0..<stack.depth {
            unsafe stack.frames[index].next = nil
            unsafe stack.frames[index].transforms = true
            unsafe stack.frames[index].node?.with { $0.dropPending() }
        }
        return false
    }

    /// The stopped turn is over: the graph is usable again, and the error is reported.
    private func reportStop() {
        turnState.isStopping = false
        guard let error = turnState.stop else { return }
        turnState.stop = nil
        report(error)
    }

    /// Hands an error to ``Graph/onError``; without it, debug builds print the error.
    func report(_ error: @autoclosure () -> GraphError, at place: CallPlace? = nil) {
        if let onError { return onError(error()) }
        #if DEBUG
            unhandled.note(error(), at: place)
        #endif
    }
}
