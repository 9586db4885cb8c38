// The order in which one turn visits the graph (G-34). Frames are on a stack of the engine's own,
// so neither a long chain nor many queued sets use the native stack (G-49).
extension Engine {
    @inline(__always)
    func push(_ node: NodeRef, extras count: Int32 = 0) {
        let listens = node.firstListen
        push(node, listens, first: listens ?? node.firstOut, extras: count, at: depth)
    }

    /// Pushes a frame on the `depth` there are, which serves `first` first.
    @inline(__always)
    private func push(_ node: NodeRef, _ listens: EdgeRef?, first: EdgeRef?, extras: Int32, at depth: Int) {
        if depth == frameCapacity { growFrames() }
        (frames + depth).initialize(
            to: Frame(
                node: node,
                next: first,
                limit: connections,
                extras: extras,
                transforms: listens == nil
            )
        )
        node.pass = Int32(truncatingIfNeeded: depth)
        self.depth = depth &+ 1
    }

    /// Pushes a frame that stands for no node.
    func pushWithoutNode(extras: Int32) {
        if depth == frameCapacity { growFrames() }
        (frames + depth).initialize(
            to: Frame(node: nil, next: nil, limit: 0, extras: extras, transforms: true)
        )
        depth += 1
    }

    @inline(never)
    private func growFrames() {
        let grown = UnsafeMutablePointer<Frame>.allocate(capacity: frameCapacity * 2)
        grown.moveInitialize(from: frames, count: depth)
        frames.deallocate()
        frames = grown
        frameCapacity *= 2
    }

    /// Serves edges until only `floor` frames are left.
    ///
    /// What an edge's body calls may begin turns and grow the frames, but leaves `depth` as it was:
    /// it stays in a register, and is stored where it changes. A node just entered is served at
    /// once, without a look at its frame.
    func run(to floor: Int) {
        var depth = depth
        while depth > floor {
            var frame = frames + (depth &- 1)
            guard var edge = frame.pointee.next else {
                depth = listEnded(frame, depth)
                continue
            }
            while true {
                frame.pointee.next = edge.next
                guard edge.stamp <= frame.pointee.limit else {
                    if edge._withUnsafeGuaranteedRef({ $0.isParked }) { reachParked(frame) }
                    break
                }
                if let target = edge.target, target.pass >= 0 || careful != 0, mustSkip(target) { break }
                let outcome = edge.run()
                if outcome == .nothing {
                    frame = frames + (depth &- 1)
                    guard let next = frame.pointee.next else { break }
                    edge = next
                    continue
                }
                guard outcome == .enter else {
                    if outcome == .mark {
                        if let target = edge.target { mark(target) }
                    } else {
                        follow(outcome, of: edge)
                        depth = self.depth
                    }
                    break
                }
                // Read again: the function may have cut the edge.
                guard let target = edge.target else { break }
                let listens = target.firstListen
                guard let first = listens ?? target.firstOut, !stopping else { break }
                push(target, listens, first: first, extras: 0, at: depth)
                frame = frames + depth
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
        case .enter: if let target = edge.target, target.hasEdges, !stopping { push(target) }
        case .enterThroughInner: enterThroughInner(edge)
        case .enterSynced:
            if let target = edge.target, target.hasEdges, !stopping {
                push(target)
                frames[depth - 1].synced = true
            }
        case .mark: if let target = edge.target { mark(target) }
        case .enterToTheEnd:
            guard let target = edge.target else { break }
            if stopping { target._withUnsafeGuaranteedRef { $0.dropPending() } } else { push(target) }
        case .enterAndEnd:
            if let target = edge.target, target.hasEdges, !stopping { push(target) }
            edge._withUnsafeGuaranteedRef { $0.cut() }
        case .dead: edge._withUnsafeGuaranteedRef { $0.cut() }
        }
    }

    private func enterThroughInner(_ edge: EdgeRef) {
        let id = inner
        inner = 0
        guard let target = edge.target, target.hasEdges, !stopping else { return }
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
        if let node = frame.pointee.node {
            if !frame.pointee.transforms {
                frame.pointee.transforms = true
                frame.pointee.next = node.firstOut
                if frame.pointee.next != nil { return depth }
            }
            if node.hasPending {
                drain(frame, node)
                // A last step has pushed a frame.
                return self.depth
            }
            node.pass = -1
        }
        if !frame.pointee.isPlain { leave(frame) }
        self.depth = depth &- 1
        return depth &- 1
    }

    @inline(never)
    private func leave(_ frame: UnsafeMutablePointer<Frame>) {
        removeExtras(of: frame)
        if frame.pointee.drained, let drain = drains.popLast() {
            base = drain.base
            context = drain.context
            setPath(drain.restored)
            withExtendedLifetime(drain) {}
        }
    }

    /// Takes the next queued emission of a node and starts over with its listeners, in the same
    /// frame (G-154).
    @inline(never)
    private func drain(_ frame: UnsafeMutablePointer<Frame>, _ node: NodeRef) {
        let index = depth - 1
        if finish(node) { return }
        // The inner node belonged to the path of the emission before.
        removeExtras(of: frame)
        if !frame.pointee.drained {
            frame.pointee.drained = true
            drains.append(Drain(base: base, restored: restored, context: context, trail: nil, carried: nil))
            base = index
        }
        let owner = node.takeUnretainedValue()
        guard let pending = owner.pending else { return }
        let (trail, carried, signal) = pending.take(pending, owner)
        setPath(trail.map(Unmanaged.passUnretained))
        context = carried.map(Unmanaged.passUnretained)
        let old = (drains[drains.count - 1].trail, drains[drains.count - 1].carried)
        drains[drains.count - 1].trail = trail
        drains[drains.count - 1].carried = carried
        withExtendedLifetime(old) {}
        if let signal {
            // For listeners of events only: no edge is served.
            frames[index].next = nil
            frames[index].transforms = true
            return owner.perform(signal)
        }
        // Storing may have released a value whose death ran user code: look again where things are.
        let current = frames + index
        guard let node = current.pointee.node else { return }
        let listens = node.firstListen
        current.pointee.next = listens ?? node.firstOut
        current.pointee.transforms = listens == nil
        current.pointee.limit = connections
        current.pointee.synced = false
    }

    /// Takes the last step of the pass, if there is one to take: the node it leads to is served
    /// while this one is still on the path.
    private func finish(_ node: NodeRef) -> Bool {
        let owner = node.takeUnretainedValue()
        guard let pending = owner.pending, let step = pending.last else { return false }
        pending.last = nil
        owner.hasPending = pending.isQueued
        if let next = step.perform(step, self), !stopping { push(next) }
        return true
    }
}
