// The order in which one turn visits the graph (G-34). Frames are on a stack of the engine's own,
// so neither a long chain nor many queued sets use the native stack (G-49).
extension Engine {
    @inline(__always)
    func push(_ node: NodeRef, extras count: Int32 = 0) {
        let listens = node.firstListen
        push(node, listens, first: listens ?? node.firstOut, extras: count, at: stack.depth)
    }

    /// Pushes a frame on the `depth` there are, which serves `first` first.
    @inline(__always)
    private func push(_ node: NodeRef, _ listens: EdgeRef?, first: EdgeRef?, extras: Int32, at depth: Int) {
        if depth == stack.capacity { stack.grow() }
        unsafe (stack.frames + depth).initialize(
            to: Frame(
                node: node,
                next: first,
                limit: connections,
                extras: extras,
                transforms: listens == nil
            )
        )
        node.pass = Int32(truncatingIfNeeded: depth)
        self.stack.depth = depth &+ 1
    }

    /// Pushes a frame that stands for no node.
    func pushWithoutNode(extras: Int32) {
        if stack.depth == stack.capacity { stack.grow() }
        unsafe (stack.frames + stack.depth).initialize(
            to: Frame(node: nil, next: nil, limit: 0, extras: extras, transforms: true)
        )
        stack.depth += 1
    }

    /// Serves edges until only `floor` frames are left.
    ///
    /// What an edge's body calls may begin turns and grow the frames, but leaves `depth` as it was:
    /// it stays in a register, and is stored where it changes. A node just entered is served at
    /// once, without a look at its frame.
    func run(to floor: Int) {
        var depth = stack.depth
        while depth > floor {
            var frame = unsafe stack.frames + (depth &- 1)
            guard var edge = unsafe frame.pointee.next else {
                depth = unsafe listEnded(frame, depth)
                continue
            }
            while true {
                unsafe frame.pointee.next = edge.next
                guard unsafe edge.stamp <= frame.pointee.limit else {
                    if edge.with({ $0.isParked }) { unsafe reachParked(frame) }
                    break
                }
                if let target = edge.target, target.pass >= 0 || route.careful != 0, mustSkip(target) {
                    break
                }
                let outcome = edge.run()
                if outcome == .nothing {
                    unsafe frame = unsafe stack.frames + (depth &- 1)
                    guard let next = unsafe frame.pointee.next else { break }
                    edge = next
                    continue
                }
                guard outcome == .enter else {
                    if outcome == .mark {
                        if let target = edge.target { mark(target) }
                    } else {
                        follow(outcome, of: edge)
                        depth = self.stack.depth
                    }
                    break
                }
                // Read again: the function may have cut the edge.
                guard let target = edge.target else { break }
                let listens = target.firstListen
                guard let first = listens ?? target.firstOut, !turnState.isStopping else { break }
                push(target, listens, first: first, extras: 0, at: depth)
                unsafe frame = unsafe stack.frames + depth
                depth &+= 1
                edge = first
            }
        }
    }

    /// Does what an edge's body asked for.
    @inline(never)
    func follow(_ outcome: Outcome, of edge: EdgeRef) {
        switch outcome {
        case .nothing: break
        case .enter: if let target = edge.target, target.hasEdges, !turnState.isStopping { push(target) }
        case .enterThroughInner: enterThroughInner(edge)
        case .enterSynced:
            if let target = edge.target, target.hasEdges, !turnState.isStopping {
                push(target)
                unsafe stack.frames[stack.depth - 1].synced = true
            }
        case .mark: if let target = edge.target { mark(target) }
        case .enterToTheEnd:
            guard let target = edge.target else { break }
            if turnState.isStopping { target.with { $0.dropPending() } } else { push(target) }
        case .enterAndEnd:
            if let target = edge.target, target.hasEdges, !turnState.isStopping { push(target) }
            edge.with { $0.cut() }
        case .dead: edge.with { $0.cut() }
        }
    }

    private func enterThroughInner(_ edge: EdgeRef) {
        let id = route.inner
        route.inner = 0
        guard let target = edge.target, target.hasEdges, !turnState.isStopping else { return }
        // It is the node followed, unless storing has released it: then nothing leads back to it
        // over this edge.
        var node = edge.side?.follower?.source
        if node?.id != id { node = nil }
        addExtra(id, node)
        push(target, extras: 1)
    }

    /// The listeners are served, or the transforms are: go on, drain the queue, or end the pass.
    ///
    /// Gives the number of frames there are then.
    @inline(__always)
    private func listEnded(_ frame: UnsafeMutablePointer<Frame>, _ depth: Int) -> Int {
        if let node = unsafe frame.pointee.node {
            if unsafe !frame.pointee.transforms {
                unsafe frame.pointee.transforms = true
                unsafe frame.pointee.next = node.firstOut
                if unsafe frame.pointee.next != nil { return depth }
            }
            if node.hasPending {
                unsafe drain(frame, node)
                // A last step has pushed a frame.
                return self.stack.depth
            }
            node.pass = -1
        }
        if unsafe !frame.pointee.isPlain { unsafe leave(frame) }
        self.stack.depth = depth &- 1
        return depth &- 1
    }

    @inline(never)
    private func leave(_ frame: UnsafeMutablePointer<Frame>) {
        unsafe removeExtras(of: frame)
        if unsafe frame.pointee.drained, let drain = stack.drains.popLast() {
            stack.base = drain.base
            route.context = drain.context
            setPath(drain.restored)
            withExtendedLifetime(drain) {}
        }
    }

    /// Takes the next queued emission of a node and starts over with its listeners, in the same
    /// frame (G-154).
    @inline(never)
    private func drain(_ frame: UnsafeMutablePointer<Frame>, _ node: NodeRef) {
        let index = stack.depth - 1
        if finish(node) { return }
        // The inner node belonged to the path of the emission before.
        unsafe removeExtras(of: frame)
        if unsafe !frame.pointee.drained {
            unsafe frame.pointee.drained = true
            stack.drains.append(
                Drain(
                    base: stack.base,
                    restored: route.restored,
                    context: route.context,
                    trail: nil,
                    carried: nil
                )
            )
            stack.base = index
        }
        let owner = node.object
        guard let pending = owner.pending else { return }
        let (trail, carried, signal) = pending.take(pending, owner)
        setPath(trail.map(Ref.to))
        route.context = carried.map(Ref.to)
        let old = (stack.drains[stack.drains.count - 1].trail, stack.drains[stack.drains.count - 1].carried)
        stack.drains[stack.drains.count - 1].trail = trail
        stack.drains[stack.drains.count - 1].carried = carried
        withExtendedLifetime(old) {}
        if let signal {
            // For listeners of events only: no edge is served.
            unsafe stack.frames[index].next = nil
            unsafe stack.frames[index].transforms = true
            return owner.perform(signal)
        }
        // Storing may have released a value whose death ran user code: look again where things are.
        let current = unsafe stack.frames + index
        guard let node = unsafe current.pointee.node else { return }
        let listens = node.firstListen
        unsafe current.pointee.next = listens ?? node.firstOut
        unsafe current.pointee.transforms = listens == nil
        unsafe current.pointee.limit = connections
        unsafe current.pointee.synced = false
    }

    /// Takes the last step of the pass, if there is one to take: the node it leads to is served
    /// while this one is still on the path.
    private func finish(_ node: NodeRef) -> Bool {
        let owner = node.object
        guard let pending = owner.pending, let step = pending.last else { return false }
        pending.last = nil
        owner.hasPending = pending.isQueued
        if let next = step.perform(step, self), !turnState.isStopping { push(next) }
        return true
    }
}
