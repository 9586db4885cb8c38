extension Naive {
    /// How the model decides what the rules leave open: two models with opposite choices play the same history, and where
    /// they differ nothing is compared any more.
    enum Choice {
        case one, other
    }

    /// A node of the model.
    ///
    /// Consumers hold providers: it is alive while something leads to it (G-52).
    final class Node {
        let number: Int
        let name: String?
        var held = Held.empty
        /// Edges into it, and edges that serve others: first those that listen (G-35, G-79), then those that transform.
        var ins: [Wire] = []
        var followers: [Wire] = []
        var outs: [Wire] = []
        var subscribers: [Subscriber] = []
        /// The emission that it holds, for syncs that hand on the very same one (G-137).
        var origin = 0
        var join: Join?
        var timer: Timer?
        var isBusy = false
        /// False once nothing leads to it.
        var isAlive = true
        var queue: [(held: Held, path: Set<Int>, origin: Int)] = []

        init(_ number: Int, _ name: String?) {
            self.number = number
            self.name = name
        }
    }

    /// An edge: what it does with an emission and the path it came on.
    final class Wire {
        let from: Node
        let to: Node
        let deliver: (Held, Set<Int>, Int) -> Void
        /// Over an identity sync: the very same emission is not brought twice (G-137).
        let isIdentity: Bool
        var isConnected = false

        init(
            _ from: Node,
            _ to: Node,
            isIdentity: Bool = false,
            _ deliver: @escaping (Held, Set<Int>, Int) -> Void
        ) {
            self.from = from
            self.to = to
            self.isIdentity = isIdentity
            self.deliver = deliver
        }
    }

    /// A join: the latest of each input, remembered by the edges (G-81).
    final class Join {
        var latest: [Held]
        /// The path of the input that was delivered last.
        var path: Set<Int> = []
        private let compute: ([Held]) -> Held

        var held: Held { compute(latest) }

        init(_ count: Int, _ compute: @escaping ([Held]) -> Held) {
            self.compute = compute
            latest = Array(repeating: .empty, count: count)
        }
    }

    /// A wake-up of a node.
    final class Timer {
        /// Whether it belongs to a client's pipeline, whose emissions are no commits.
        let isPrivate: Bool
        let ring: () -> [Held]
        fileprivate(set) var due: UInt64?
        fileprivate var sequence = 0

        init(isPrivate: Bool, _ ring: @escaping () -> [Held]) {
            self.isPrivate = isPrivate
            self.ring = ring
        }
    }

    /// What one subscription hears.
    final class Subscriber {
        let id: Int
        let isAll: Bool
        /// The names whose removal ends it.
        let sources: [String]
        fileprivate(set) var node: Node?
        private(set) var isEmpty = true
        private var waiting: [Held] = []
        /// A `prefix` has had its last value.
        var isComplete = false

        init(_ id: Int, isAll: Bool, of sources: [String]) {
            self.id = id
            self.isAll = isAll
            self.sources = sources
        }

        /// Emptiness that a client knows of is not told again.
        fileprivate func hear(_ held: Held) {
            if held == .empty, isEmpty { return }
            isEmpty = held == .empty
            waiting.append(held)
        }

        fileprivate func begin(_ node: Node) {
            self.node = node
            isEmpty = node.held == .empty
            node.subscribers.append(self)
        }

        /// What the client is sent at the end of a turn: all, or the last and how many it stands for.
        func flush() -> [String] {
            defer { waiting = [] }
            guard let last = waiting.last else { return [] }
            if isAll { return waiting.map(\.text) }
            return [waiting.count == 1 ? last.text : "\(last.text) ×\(waiting.count)"]
        }
    }

    /// The model of one graph: propagation, joins, time and life; what nodes are made of stands beside.
    final class Graph {
        let choice: Choice
        var shape = Shape()
        var now: UInt64
        /// Living nodes by name.
        var named: [String: Node] = [:]
        /// Retained nodes that are held until memory is short.
        var kept: Set<String> = []
        /// Living chains that clients share, by what they do.
        var chains: [String: Node] = [:]
        var ties: [(key: String, wire: Wire)] = []
        var subscribers: [Subscriber] = []
        private var all: [Node] = []
        private var lastNumber = 0
        private var lastOrigin = 0
        private var lastSequence = 0
        /// Per turn that is running: the joins that it has marked (G-50).
        private var marks: [[Node]] = []
        private var staged: Set<Int> = []
        /// While something is being built, nothing is let go of.
        private var building = 0
        /// How many emissions there were: circles and sums may become too large to compare.
        private(set) var passes = 0

        init(_ choice: Choice, now: UInt64) {
            self.choice = choice
            self.now = now
        }

        // MARK: - Propagation

        func node(_ name: String? = nil) -> Node {
            lastNumber += 1
            let node = Node(lastNumber, name)
            all.append(node)
            return node
        }

        /// The normative algorithm (G-34).
        func pass(_ node: Node, _ held: Held, _ path: Set<Int> = [], origin: Int? = nil) {
            lastOrigin += 1
            let origin = origin ?? lastOrigin
            guard !node.isBusy else { return node.queue.append((held, path, origin)) }
            passes += 1
            guard passes < 20_000 else { return }
            node.isBusy = true
            node.held = held
            node.origin = origin
            let path = path.union([node.number])
            for subscriber in node.subscribers { subscriber.hear(held) }
            for wire in node.followers + node.outs where wire.isConnected && !path.contains(wire.to.number) {
                serve(wire, held, path, origin)
            }
            node.isBusy = false
            if !node.queue.isEmpty {
                let next = node.queue.removeFirst()
                pass(node, next.held, next.path, origin: next.origin)
            }
        }

        private func serve(_ wire: Wire, _ held: Held, _ path: Set<Int>, _ origin: Int) {
            // What a batch sets itself wins (G-34a), and the very same emission comes once (G-137).
            guard !staged.contains(wire.to.number) else { return }
            if wire.isIdentity, shape.isSettled, wire.to.origin == origin { return }
            wire.deliver(held, path, origin)
        }

        /// Connects an edge, and feeds it what its source holds (G-21); what hears of emptiness is fed that, too.
        func connect(_ wire: Wire, replay: Bool = true, hearsEmpty: Bool = false, listens: Bool = false) {
            wire.isConnected = true
            wire.to.ins.append(wire)
            if listens { wire.from.followers.append(wire) } else { wire.from.outs.append(wire) }
            guard replay, hearsEmpty || wire.from.held != .empty else { return }
            turn { wire.deliver(wire.from.held, [wire.from.number], -1) }
        }

        func disconnect(_ wire: Wire) {
            wire.isConnected = false
            wire.to.ins.removeAll { $0 === wire }
            wire.from.outs.removeAll { $0 === wire }
            wire.from.followers.removeAll { $0 === wire }
        }

        /// Serves an edge after all others of its source.
        func moveToTheEnd(_ wire: Wire) {
            wire.from.outs.removeAll { $0 === wire }
            wire.from.outs.append(wire)
        }

        /// A node behind another one; nothing comes of an emission for which the function gives nil.
        func derive(_ from: Node, name: String? = nil, _ change: @escaping (Held) -> Held?) -> Node {
            let node = node(name)
            connect(
                Wire(from, node) { [unowned self, unowned node] held, path, _ in
                    if let made = change(held) { pass(node, made, path) }
                },
                hearsEmpty: true
            )
            return node
        }

        /// Everything that follows from `body`, joins last and once each (G-50).
        func turn(_ body: () -> Void) {
            marks.append([])
            body()
            while let node = nextJoin(), let join = node.join {
                marks[marks.count - 1].removeAll { $0 === node }
                pass(node, join.held, join.path)
            }
            marks.removeLast()
        }

        /// A marked join upstream of which there is no other; which of several is left open.
        private func nextJoin() -> Node? {
            guard let marked = marks.last?.filter(\.isAlive), !marked.isEmpty else { return nil }
            let free = marked.filter { node in !marked.contains { $0 !== node && isUpstream($0, of: node) } }
            let open = (free.isEmpty ? marked : free).sorted { $0.number < $1.number }
            return choice == .one ? open.first : open.last
        }

        private func isUpstream(_ node: Node, of other: Node) -> Bool {
            var open = [other]
            var seen: Set<Int> = []
            while let next = open.popLast() {
                guard seen.insert(next.number).inserted else { continue }
                for wire in next.ins where !closing.contains(ObjectIdentifier(wire)) {
                    if wire.from === node { return true }
                    open.append(wire.from)
                }
            }
            return false
        }

        /// Ties that close a ring.
        private var closing: Set<ObjectIdentifier> = []

        /// Connects a tie, and finds out whether it closes a ring.
        func connectTie(_ wire: Wire) {
            if isUpstream(wire.to, of: wire.from) { closing.insert(ObjectIdentifier(wire)) }
            connect(wire)
        }

        /// An input of a join has been delivered.
        func mark(_ node: Node, _ input: Int, _ held: Held, _ path: Set<Int>) {
            guard let join = node.join else { return }
            join.latest[input] = held
            join.path = path
            guard shape.isSettled else { return pass(node, join.held, path) }
            guard !marks.joined().contains(where: { $0 === node }) else { return }
            marks[marks.count - 1].append(node)
        }

        /// One turn of several sources, sets first (G-34a).
        func batch(_ sets: [(node: Node, held: Held)], _ clears: [Node]) {
            let emissions = sets + clears.map { ($0, Held.empty) }
            guard shape.isSettled else {
                for (node, held) in emissions { turn { pass(node, held) } }
                return
            }
            staged = emissions.count > 1 ? Set(emissions.map(\.node.number)) : []
            turn { for (node, held) in emissions { pass(node, held) } }
            staged = []
        }

        // MARK: - Time

        /// Sets or moves a wake-up: restarted, it is a new one (G-112).
        func wake(_ timer: Timer, at due: UInt64) {
            lastSequence += 1
            timer.due = due
            timer.sequence = lastSequence
        }

        func stop(_ timer: Timer) {
            timer.due = nil
        }

        var nextDeadline: UInt64? { all.compactMap { $0.timer?.due }.min() }

        /// Nodes whose wake-up is due, in the order of their deadlines, then of their wake-ups (G-112).
        private func due(isPrivate: Bool) -> [(node: Node, timer: Timer)] {
            all.compactMap { node in node.timer.map { (node, $0) } }
                .filter { _, timer in timer.isPrivate == isPrivate && timer.due.map { $0 <= now } == true }
                .sorted { ($0.1.due ?? 0, $0.1.sequence) < ($1.1.due ?? 0, $1.1.sequence) }
        }

        /// What is due: first in clients' pipelines, each for itself, then in the definition, all in one turn.
        func advance() {
            while let (node, timer) = due(isPrivate: true).first {
                stop(timer)
                for held in timer.ring() { turn { pass(node, held) } }
            }
            let due = due(isPrivate: false)
            guard !due.isEmpty else { return }
            if choice == .one || !shape.isSettled {
                var sets: [(Node, Held)] = []
                var clears: [Node] = []
                for (node, timer) in due {
                    stop(timer)
                    for held in timer.ring() {
                        if held == .empty { clears.append(node) } else { sets.append((node, held)) }
                    }
                }
                tick(sets, clears, own: clears.filter(isSet))
            } else {
                turn {
                    // The ends of values come last.
                    for (node, timer) in due.reversed().filter({ !isSet($0.node) })
                        + due.filter({ isSet($0.node) })
                    {
                        guard let time = timer.due, time <= now else { continue }
                        stop(timer)
                        for held in timer.ring() { pass(node, held) }
                    }
                }
            }
            collect()
        }

        private func isSet(_ node: Node) -> Bool { node.name.flatMap { shape[$0] }?.isSet == true }

        /// What a tick emits comes out of the operators, whatever reaches them in the same turn; only what is set wins.
        private func tick(_ sets: [(node: Node, held: Held)], _ clears: [Node], own: [Node]) {
            let emissions = sets + clears.map { ($0, Held.empty) }
            guard shape.isSettled else {
                for (node, held) in emissions { turn { pass(node, held) } }
                return
            }
            staged = Set(own.map(\.number))
            turn { for (node, held) in emissions { pass(node, held) } }
            staged = []
        }

        // MARK: - Life

        /// Nothing is let go of while `body` builds.
        func building<Result>(_ body: () -> Result) -> Result {
            building += 1
            defer { building -= 1 }
            return body()
        }

        /// Lets go of everything that nothing leads to.
        func collect() {
            guard building == 0 else { return }
            var open = named.filter { name, _ in
                guard let node = shape[name] else { return false }
                return node.isSet || shape.retain(node) == .always || kept.contains(name)
            }.map(\.value)
            open += subscribers.compactMap(\.node)
            var reached: Set<Int> = []
            while let next = open.popLast() {
                guard reached.insert(next.number).inserted else { continue }
                open += next.ins.map(\.from)
            }
            for node in all where !reached.contains(node.number) {
                node.isAlive = false
                for wire in node.ins { disconnect(wire) }
            }
            all.removeAll { !reached.contains($0.number) }
            named = named.filter { reached.contains($0.value.number) }
            chains = chains.filter { reached.contains($0.value.number) }
        }

        func begin(_ subscriber: Subscriber, _ node: Node) {
            subscriber.begin(node)
            subscribers.append(subscriber)
        }

        func end(_ subscriber: Subscriber) {
            subscriber.node?.subscribers.removeAll { $0 === subscriber }
            subscriber.node = nil
            subscribers.removeAll { $0 === subscriber }
            collect()
        }
    }
}
