/// The rules of the graph (docs/rules), written down as naively as they read: recursive calls,
/// copied lists, whole paths, and a search of everything whenever something may have to die.
///
/// It is the other opinion to the engine, and shares no code with it. Where the rules leave a
/// choice (which of two unrelated joins settles first, G-50), it asks what the engine did and
/// checks that it was allowed.
final class ReferenceGraph {
    let isSettled: Bool
    let propagatesEmpty: Bool
    /// Paths are asked for from the first moment on, so every resumed emission knows all of its
    /// path.
    let keepsPaths: Bool

    var nodes: [Int: ReferenceNode] = [:]
    var made = 0
    var connections = 0
    /// Edges with both ends, followings and listens apart.
    var liveEdges = 0
    var liveListeners = 0
    var liveFollowings = 0
    var knownDownstream: [Int: Set<Int>] = [:]
    var knownSynchronous: [Int: Set<Int>] = [:]
    /// Owners whose deaths have to be noticed, and with which a sync ends.
    var tied: [ReferenceOwner] = []
    var timers = ReferenceTimers()
    let loop = ReferenceLoop()
    /// The event listens that have not ended.
    var listens: [ReferenceListen] = []
    /// Holds the edges of event listens, and never dies.
    let crowd = ReferenceOwner(isForeign: true)
    /// To which nodes each originating set has come over syncs (G-137).
    private var reached: [Int: Set<Int>] = [:]
    private var lastOrigin = 0
    /// Functions of users that are alive.
    var liveFunctions = 0
    /// Functions that die when the outermost turn is over (G-66a).
    var retired = 0
    var turns = 0

    /// The joins marked by the running turn.
    var marked: [ReferenceJoin] = []
    /// The node of the join that the engine settled next.
    var nextSettled: () -> Int? = { nil }
    /// It is none that the rules allow.
    var settledWrongly: () -> Void = {}
    /// Something happened whose outcome the rules leave open.
    private(set) var open: Openness?
    var onOpen: () -> Void = {}

    /// What someone outside holds.
    var isHeldOutside: (ReferenceNode) -> Bool = { _ in false }
    var isEdgeHeldOutside: (ReferenceEdge) -> Bool = { _ in false }
    var onDeath: (ReferenceNode) -> Void = { _ in }

    init(isSettled: Bool, propagatesEmpty: Bool, keepsPaths: Bool) {
        self.isSettled = isSettled
        self.propagatesEmpty = propagatesEmpty
        self.keepsPaths = keepsPaths
    }

    /// What happens from here on is not compared.
    func leaveOpen(_ what: Openness) {
        if open == nil { open = what }
        onOpen()
    }

    func makeNode(_ stored: Int?) -> ReferenceNode {
        made += 1
        let node = ReferenceNode(made, stored)
        nodes[made] = node
        return node
    }

    // MARK: - One node delivering (G-34)

    func deliver(_ journey: Journey, to node: ReferenceNode) {
        guard !node.isDead else { return }
        if node.isInPass {
            node.queue.append(captured(journey))
            return
        }
        node.isInPass = true
        var next: Journey? = journey
        while let current = next {
            node.stored = current.emission
            node.pair = current.pair
            node.step = current.step
            if let step = current.step { begin(step) }
            var onward = current
            let origin = current.origin ?? newOrigin()
            onward.origin = origin
            reached[origin, default: []].insert(node.number)
            onward.path.append(node.number)
            onward.certain?.insert(node.number)
            let served = (node.listens + node.outs).map { ($0, $0.connection) }
            for (edge, connection) in served where edge.connection == connection && connection != 0 {
                serve(edge, onward)
            }
            if let step = node.step {
                node.step = nil
                finish(step, onward)
            }
            next = node.isDead || node.queue.isEmpty ? nil : node.queue.removeFirst()
        }
        node.isInPass = false
    }

    /// One edge's turn: skipped if its target is on the path, or if a running batch sets the
    /// target.
    func serve(_ edge: ReferenceEdge, _ journey: Journey) {
        if let target = edge.to, isSkipped(target, journey) { return }
        if let owner = edge.owner ?? edge.life, owner.isDead {
            disconnect(edge)
            sweep()
            return
        }
        if edge.isSync, isSettled, let target = edge.to, let origin = journey.origin,
            reached[origin]?.contains(target.number) == true
        {
            return
        }
        edge.receive(journey)
    }

    func isSkipped(_ target: ReferenceNode, _ journey: Journey) -> Bool {
        if journey.path.contains(target.number) {
            if let certain = journey.certain, !certain.contains(target.number) { leaveOpen(.lateRing) }
            return true
        }
        return target.claims > 0
    }

    private func newOrigin() -> Int {
        lastOrigin += 1
        return lastOrigin
    }

    /// Hands an emission on to the target the edge has now.
    func send(_ emission: Int?, _ edge: ReferenceEdge, _ journey: Journey) {
        guard let target = edge.to else { return }
        var onward = journey
        onward.emission = emission
        onward.pair = nil
        onward.step = nil
        if !edge.isSync { onward.origin = nil }
        deliver(onward, to: target)
    }

    // MARK: - Turns

    /// A set by a user: a turn, nested if another one runs (G-38, G-50).
    func turn(_ body: () -> Void) {
        let outer = marked
        marked = []
        turns += 1
        body()
        settle()
        turns -= 1
        marked = outer
        if turns == 0 {
            liveFunctions -= retired
            retired = 0
            reached = [:]
        }
    }

    func set(_ node: ReferenceNode, _ emission: Int?, path: [Int] = [], context: Int?) {
        turn { deliver(Journey(emission: emission, path: path, context: context), to: node) }
    }

    /// Sets, then clears, as one turn (G-34a, G-51a).
    func batch(_ entries: [(node: ReferenceNode, emission: Int?)], context: Int?) {
        let ordered = entries.filter { $0.emission != nil } + entries.filter { $0.emission == nil }
        guard isSettled else {
            for entry in ordered { set(entry.node, entry.emission, context: context) }
            return
        }
        for entry in ordered { entry.node.claims += 1 }
        turn {
            for entry in ordered {
                deliver(Journey(emission: entry.emission, context: context), to: entry.node)
            }
        }
        for entry in ordered { entry.node.claims -= 1 }
    }

    /// Feeds an edge that has just become complete, as a turn of its own (G-21, G-50).
    func replay(_ edge: ReferenceEdge) {
        guard edge.connection != 0, let source = edge.from else { return }
        guard source.stored != nil || edge.receivesEmpty else { return }
        let origin = newOrigin()
        let present = Journey(
            emission: source.stored,
            path: [source.number],
            origin: origin,
            pair: source.pair
        )
        turn { serve(edge, present) }
    }

    /// Hands on what an edge kept back, as a turn of its own that continues the path.
    func resume(_ edge: ReferenceEdge, _ journey: Journey) {
        turn {
            guard let target = edge.to, !isSkipped(target, journey) else { return }
            send(journey.emission, edge, journey)
        }
    }

    /// Time goes by: what gets due is done at its own time, by deadline, ties by creation (G-112).
    func advance(by duration: Int) {
        let end = timers.now + duration
        while let action = timers.next(until: end) { action() }
        timers.now = end
    }

    // MARK: - What resumes later

    /// A journey that has to wait: the path is all known, but only the part on rings that exist now
    /// is sure to stop it (G-138a).
    func captured(_ journey: Journey) -> Journey {
        var waiting = journey
        waiting.origin = nil
        guard !keepsPaths, !journey.path.isEmpty else { return waiting }
        waiting.certain = Set(journey.path.filter { journey.certain?.contains($0) != false && isOnRing($0) })
        return waiting
    }

    private func isOnRing(_ number: Int) -> Bool {
        guard let node = nodes[number] else { return false }
        return downstream(of: node).contains(number)
    }

    func consumers(of node: ReferenceNode, synchronous: Bool) -> [ReferenceNode] {
        let over = (node.outs + node.listens).compactMap { edge in
            edge.connection == 0 || synchronous && edge.isAsynchronous ? nil : edge.to
        }
        // From a switched node it goes on to the inner nodes.
        return over + node.ins.flatMap { $0.connection == 0 ? [] : $0.table?.inners ?? [] }
    }

    /// The numbers of all nodes downstream; a node on a ring is among its own.
    ///
    /// Kept until an edge gets or loses an end.
    private func downstream(of node: ReferenceNode) -> Set<Int> {
        if let known = knownDownstream[node.number] { return known }
        let found = search(from: node, synchronous: false)
        knownDownstream[node.number] = found
        return found
    }

    /// The same over synchronous edges only.
    func synchronousDownstream(of node: ReferenceNode) -> Set<Int> {
        if let known = knownSynchronous[node.number] { return known }
        let found = search(from: node, synchronous: true)
        knownSynchronous[node.number] = found
        return found
    }

    private func search(from node: ReferenceNode, synchronous: Bool) -> Set<Int> {
        var found: Set<Int> = []
        var stack = [node]
        while let next = stack.popLast() {
            for consumer in consumers(of: next, synchronous: synchronous)
            where found.insert(consumer.number).inserted {
                stack.append(consumer)
            }
        }
        return found
    }
}

/// What the rules do not decide.
enum Openness {
    /// Whether an emission that waited is stopped by a ring that was closed meanwhile (G-138a).
    case lateRing
}
