/// Carries emissions along the edges of one graph: turns, the passes in them, paths and joins.
///
/// Every stored `var` is free of run-time exclusivity checks, which were four fifths of the time
/// otherwise.
@usableFromInline
package final class Engine {
    /// Called with the creation number of each join when it settles: tests compare the order.
    @exclusivity(unchecked) package var onSettle: ((UInt64) -> Void)?
    /// See ``Graph/onError``.
    @exclusivity(unchecked) var onError: ((GraphError) -> Void)?
    /// See ``Graph/propagation``.
    @exclusivity(unchecked) @usableFromInline var propagation: Graph.Propagation
    /// See ``Graph/feedbackLimit``.
    let feedbackLimit: Int

    // MARK: - Passes

    /// Frames of the passes that are running.
    @exclusivity(unchecked) var frames: UnsafeMutablePointer<Frame>
    @exclusivity(unchecked) var frameCapacity: Int
    @exclusivity(unchecked) var depth = 0
    /// First frame of the current path.
    @exclusivity(unchecked) var base = 0
    /// What to go back to when a frame that drained its queue is popped.
    @exclusivity(unchecked) var drains: ContiguousArray<Drain> = []
    /// Turns that are running, nested ones included.
    @exclusivity(unchecked) var turns = 0
    @exclusivity(unchecked) var turnNumber: UInt64 = 1
    /// Counts connections; an edge is not served for an emission older than its stamp.
    @exclusivity(unchecked) var connections: UInt64 = 0
    /// How often an edge has left its source.
    @exclusivity(unchecked) var departures: UInt64 = 0
    /// The error that stops the running turn.
    @exclusivity(unchecked) var stop: GraphError?
    @exclusivity(unchecked) var stopping = false
    /// Batches that are running, in settled mode.
    @exclusivity(unchecked) var runningBatches = 0

    // MARK: - The path of the current emission

    /// The path that came with it; not owned here.
    @exclusivity(unchecked) var restored: Unmanaged<Trail>?
    /// Its context; not owned here.
    @exclusivity(unchecked) var context: Unmanaged<Context>?
    /// Not 0 when "is this target on the path" needs more than a look at the target's frame.
    @exclusivity(unchecked) var careful = 0
    @exclusivity(unchecked) var extras = Extras()
    /// The inner node it is going through, 0 if none.
    @exclusivity(unchecked) @usableFromInline var inner: UInt64 = 0
    /// How many listeners ask for paths.
    @exclusivity(unchecked) var pathWishes = 0
    /// How many ids of paths have been kept: for tests of what rings cost.
    @exclusivity(unchecked) package internal(set) var keptPathIDs = 0
    @exclusivity(unchecked) var origins = SyncOrigins()

    // MARK: - Joins and release

    /// Marked joins.
    @exclusivity(unchecked) var marked = MarkedJoins()
    @exclusivity(unchecked) package internal(set) var ranks = Ranks()
    @exclusivity(unchecked) var teardown = Teardown()

    init(_ propagation: Graph.Propagation, feedbackLimit: Int) {
        self.propagation = propagation
        self.feedbackLimit = feedbackLimit
        frameCapacity = 64
        frames = .allocate(capacity: 64)
    }

    deinit {
        frames.deallocate()
        marked.deallocate()
    }

    /// The context of the emission that is being delivered.
    @usableFromInline
    var currentContext: Context? {
        guard let context else { return nil }
        return context.takeUnretainedValue()
    }
}

/// An engine without a reference count: its graph holds it, and a node holds the graph.
@usableFromInline typealias EngineRef = Unmanaged<Engine>

extension Unmanaged where Instance == Engine {
    @inlinable var currentContext: Context? { _withUnsafeGuaranteedRef { $0.currentContext } }
    @inlinable func currentPath() -> Path { _withUnsafeGuaranteedRef { $0.currentPath() } }
    @inlinable func turn(_ node: NodeCore, trail: Trail?, context: Context?) {
        _withUnsafeGuaranteedRef { $0.turn(node, trail: trail, context: context) }
    }
}

// MARK: - Turns

extension Engine {
    /// Serves the edges of `node`, which has just stored an emission, then settles what was marked.
    @usableFromInline
    func turn(_ node: NodeCore, trail: Trail?, context newContext: Context?) {
        guard !stopping else { return }
        let saved = beginTurn(trail: trail, context: newContext)
        push(.passUnretained(node))
        run(to: base)
        endTurn(saved)
        withExtendedLifetime((trail, newContext)) {}
    }

    struct SavedTurn {
        let base: Int
        let restored: Unmanaged<Trail>?
        let context: Unmanaged<Context>?
        let careful: Int
        let marked: MarkedJoins.Part
        let inner: UInt64
    }

    @inline(__always)
    func beginTurn(trail: Trail?, context newContext: Context?) -> SavedTurn {
        let saved = SavedTurn(
            base: base,
            restored: restored,
            context: context,
            careful: careful,
            marked: marked.begin(),
            inner: inner
        )
        base = depth
        inner = 0
        // What is careful about extras and batches stays: a turn leaves them as it found them.
        careful = careful &- (restored == nil ? 0 : 1) &+ (trail == nil ? 0 : 1)
        restored = trail.map(Unmanaged.passUnretained)
        context = newContext.map(Unmanaged.passUnretained)
        turns += 1
        return saved
    }

    @inline(__always)
    func endTurn(_ saved: SavedTurn) {
        if !marked.isEmpty { settle() }
        base = saved.base
        marked.end(saved.marked)
        inner = saved.inner
        restored = saved.restored
        careful = saved.careful
        context = saved.context
        turns -= 1
        if turns == 0 { endOutermost() }
    }

    @inline(__always)
    private func endOutermost() {
        turnNumber &+= 1
        // First, so that what the dead set is delivered again.
        if stopping { reportStop() }
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
        feed(edge, path, context) { source.typedCore.holding(emission) { edge.body(edge) } }
    }

    /// Runs `body` as that of a complete edge, in a turn of its own.
    private func feed(_ edge: Edge, _ path: Path, _ context: Context?, _ body: () -> Outcome) {
        guard edge.traits.contains(.complete), !stopping else { return }
        let trail = path == .empty ? nil : Trail(path)
        let saved = beginTurn(trail: trail, context: context)
        if edge.target.map({ !mustSkip($0) }) ?? true {
            pushWithoutNode(extras: 0)
            follow(body(), of: .passUnretained(edge))
            run(to: base)
        }
        endTurn(saved)
        withExtendedLifetime((self, edge, trail, context)) {}
    }

    /// Feeds a complete edge the current emission of its source, once, as a turn of its own (G-21).
    func replay(_ edge: Edge) {
        // A node whose object has died notices it here, and its listeners may cut this edge.
        guard edge.traits.contains(.complete), let first = edge.source else { return }
        let isEmpty = first._withUnsafeGuaranteedRef { $0.isEmpty }
        guard !isEmpty || edge.traits.contains(.receivesEmpty) else { return }
        guard edge.traits.contains(.complete), let source = edge.source else { return }
        let saved = beginTurn(trail: nil, context: nil)
        // A frame without node stands for the source: nested turns must not mistake the outer path
        // for theirs.
        addExtra(source.id, source)
        pushWithoutNode(extras: 1)
        if edge.target.map({ !mustSkip($0) }) ?? true {
            let ref = EdgeRef.passUnretained(edge)
            follow(ref.run(), of: ref)
        }
        run(to: base)
        endTurn(saved)
    }

    /// Emits what the inputs of a join hold, once, as a turn of its own.
    @usableFromInline
    func start(_ join: Join) {
        guard let node = join.node else { return }
        let saved = beginTurn(trail: nil, context: nil)
        if join.emit(join) == .enter, let node = join.node, node.hasEdges, !stopping {
            push(node)
            run(to: base)
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
        guard !stopping, timers.next.map({ $0 <= time }) == true else { return }
        let saved = beginTurn(trail: nil, context: nil)
        timers.fire(until: time) { due in
            guard !stopping else { return }
            setPath(due.trail.map(Unmanaged.passUnretained))
            context = due.context.map(Unmanaged.passUnretained)
            due.deliver(self)
            run(to: base)
            setPath(nil)
            context = nil
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
        if stopping { return false }
        guard queue.countInTurn(turnNumber) > feedbackLimit else { return true }
        stop = .feedback(node: node.id, name: node.name, limit: feedbackLimit)
        stopping = true
        for index in 0..<depth {
            frames[index].next = nil
            frames[index].transforms = true
            frames[index].node?._withUnsafeGuaranteedRef { $0.dropPending() }
        }
        return false
    }

    /// The stopped turn is over: the graph is usable again, and the error is reported.
    private func reportStop() {
        stopping = false
        guard let error = stop else { return }
        stop = nil
        onError?(error)
    }
}
