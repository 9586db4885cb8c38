extension Naive {
    /// How the model decides what the rules leave open: two models with opposite choices play the
    /// same history, and where they differ nothing is compared any more.
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
        /// Edges into it, and edges that serve others: first those that listen (G-35, G-79), then
        /// those that transform.
        var ins: [Wire] = []
        var followers: [Wire] = []
        var outs: [Wire] = []
        var subscribers: [Subscriber] = []
        /// The emissions that have set it, for syncs that hand on the very same one (G-137).
        var origins: Set<Int> = []
        /// How often it has emitted.
        var emissions = 0
        var join: Join?
        var timer: Timer?
        var isBusy = false
        /// False once nothing leads to it.
        var isAlive = true
        var queue: [(held: Held, path: Path, origin: Int)] = []

        init(_ number: Int, _ name: String?) {
            self.number = number
            self.name = name
        }
    }

    /// The nodes that an emission has passed, oldest first (G-40).
    struct Path {
        private(set) var numbers: [Int] = []
        /// The names of those that have one.
        private(set) var names: [String] = []

        func passing(_ node: Node) -> Path {
            var path = self
            path.numbers.append(node.number)
            if let name = node.name { path.names.append(name) }
            return path
        }
    }

    /// An edge: what it does with an emission and the path it came on.
    final class Wire {
        let from: Node
        let to: Node
        let deliver: (Held, Path, Int) -> Void
        /// Over an identity sync: the very same emission is not brought twice (G-137).
        let isIdentity: Bool
        var isConnected = false

        init(
            _ from: Node,
            _ to: Node,
            isIdentity: Bool = false,
            _ deliver: @escaping (Held, Path, Int) -> Void
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
        var path: Path = Path()
        /// Whether emptiness of an input has arrived since the last emission (G-156).
        var isEmptied = false
        private let compute: ([Held]) -> Held

        /// What it holds before any input is delivered.
        var first: Held { latest.contains(.empty) ? .empty : compute(latest) }

        /// What it emits now: nothing while an input is empty, unless emptiness arrived (G-156).
        func emission() -> Held? {
            defer { isEmptied = false }
            guard latest.contains(.empty) else { return compute(latest) }
            return isEmptied ? .empty : nil
        }

        init(_ count: Int, _ compute: @escaping ([Held]) -> Held) {
            self.compute = compute
            latest = Array(repeating: .empty, count: count)
        }
    }

    /// A moment; of equal ones that which was asked for first comes first (G-112).
    struct Deadline: Comparable {
        let time: UInt64
        fileprivate let number: Int

        static func < (a: Deadline, b: Deadline) -> Bool {
            (a.time, a.number) < (b.time, b.number)
        }
    }

    /// A wake-up of a node.
    final class Timer {
        /// Whether it belongs to a client's pipeline, whose emissions are no commits.
        let isPrivate: Bool
        let ring: () -> Kept?
        var due: Deadline?

        init(isPrivate: Bool, _ ring: @escaping () -> Kept?) {
            self.isPrivate = isPrivate
            self.ring = ring
        }
    }

    /// What a stage keeps back, and the path on which it came (G-45).
    struct Kept {
        let held: Held
        var path: Path = Path()
    }

    /// The emissions that one subscription receives.
    final class Subscriber {
        let id: Int
        let isAll: Bool
        /// The names whose removal ends it.
        let sources: [String]
        fileprivate(set) var node: Node?
        private(set) var isEmpty = true
        private var waiting: [String] = []
        /// Whether its client asks for paths.
        let asksForPaths: Bool
        /// A `prefix` has had its last value.
        var isComplete = false

        init(_ id: Int, isAll: Bool, asksForPaths: Bool, of sources: [String]) {
            self.id = id
            self.asksForPaths = asksForPaths
            self.isAll = isAll
            self.sources = sources
        }

        /// Emptiness that a client knows of is not told again.
        fileprivate func hear(_ held: Held, _ path: Path) {
            if held == .empty, isEmpty { return }
            isEmpty = held == .empty
            waiting.append(held.text + (asksForPaths ? " \(path.names)" : ""))
        }

        fileprivate func begin(_ node: Node) {
            self.node = node
            isEmpty = node.held == .empty
            node.subscribers.append(self)
        }

        /// What the client is sent at the end of a turn: all, or the last and how many it stands
        /// for.
        func flush() -> [String] {
            defer { waiting = [] }
            guard let last = waiting.last else { return [] }
            if isAll { return waiting }
            return [waiting.count == 1 ? last : "\(last) ×\(waiting.count)"]
        }
    }

    /// The model of one graph: propagation, joins, time and life; what nodes are made of stands
    /// beside.
    final class Graph {
        let choice: Choice
        var shape = Shape()
        var now: UInt64
        /// The time of the last commit.
        var committed: UInt64
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
        private var lastDeadline = 0
        /// The deadline whose emission is being made, in the definition and in clients' pipelines.
        private var firing: [Bool: Deadline] = [:]
        /// A living node that is being built anew, and what it is to hold: until that is known it
        /// counts as empty.
        var fresh: (node: Node, held: Held)?
        /// Per turn that is running: the joins that it has marked (G-50).
        private var marks: [[Node]] = []
        private var staged: Set<Int> = []
        /// While something is being built, nothing is released.
        private var building = 0
        /// How many emissions there were: circles and sums may become too large to compare.
        private(set) var passes = 0

        init(_ choice: Choice, now: UInt64) {
            self.choice = choice
            self.now = now
            committed = now
        }

        // MARK: - Propagation

        func node(_ name: String? = nil) -> Node {
            lastNumber += 1
            let node = Node(lastNumber, name)
            all.append(node)
            return node
        }

        /// The normative algorithm (G-34).
        func pass(_ node: Node, _ held: Held, _ path: Path = Path(), origin: Int? = nil) {
            if fresh?.node === node {
                fresh?.held = held
                return
            }
            lastOrigin += 1
            let origin = origin ?? lastOrigin
            guard !node.isBusy else { return node.queue.append((held, path, origin)) }
            passes += 1
            guard passes < 20_000 else { return }
            node.isBusy = true
            node.held = held
            node.emissions += 1
            node.origins.insert(origin)
            let path = path.passing(node)
            for subscriber in node.subscribers { subscriber.hear(held, path) }
            for wire in node.followers + node.outs
            where wire.isConnected && !path.numbers.contains(wire.to.number) {
                serve(wire, held, path, origin)
            }
            node.isBusy = false
            if !node.queue.isEmpty {
                let next = node.queue.removeFirst()
                pass(node, next.held, next.path, origin: next.origin)
            }
        }

        private func serve(_ wire: Wire, _ held: Held, _ path: Path, _ origin: Int) {
            // What a batch sets itself wins (G-34a), and the very same emission comes once (G-137).
            guard !staged.contains(wire.to.number) else { return }
            if wire.isIdentity, shape.isSettled, wire.to.origins.contains(origin) { return }
            wire.deliver(held, path, origin)
        }

        /// Connects an edge, and feeds it the value of its source (G-21); an edge that receives
        /// emptiness is fed that, too.
        func connect(_ wire: Wire, replay: Bool = true, receivesEmpty: Bool = false, listens: Bool = false) {
            wire.isConnected = true
            wire.to.ins.append(wire)
            if listens { wire.from.followers.append(wire) } else { wire.from.outs.append(wire) }
            guard replay, receivesEmpty || wire.from.held != .empty else { return }
            turn { wire.deliver(wire.from.held, Path().passing(wire.from), -1) }
        }

        func disconnect(_ wire: Wire) {
            wire.isConnected = false
            wire.to.ins.removeAll { $0 === wire }
            wire.from.outs.removeAll { $0 === wire }
            wire.from.followers.removeAll { $0 === wire }
        }

        /// A node behind another one, or `target`; nothing comes of an emission for which the
        /// function gives nil.
        func derive(_ from: Node, as target: Node? = nil, _ change: @escaping (Held) -> Held?) -> Node {
            let node = target ?? node()
            connect(
                Wire(from, node) { [unowned self, unowned node] held, path, _ in
                    if let made = change(held) { pass(node, made, path) }
                },
                receivesEmpty: true
            )
            return node
        }

        /// Everything that follows from `body`, joins last and once each (G-50).
        func turn(_ body: () -> Void) {
            marks.append([])
            body()
            while let node = nextJoin(), let join = node.join {
                marks[marks.count - 1].removeAll { $0 === node }
                if let held = join.emission() { pass(node, held, join.path) }
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
        func connectTie(_ wire: Wire, replay: Bool = true, receivesEmpty: Bool = false) {
            closing.remove(ObjectIdentifier(wire))
            if isUpstream(wire.to, of: wire.from) { closing.insert(ObjectIdentifier(wire)) }
            connect(wire, replay: replay, receivesEmpty: receivesEmpty)
        }

        /// An input of a join has been delivered.
        func mark(_ node: Node, _ input: Int, _ held: Held, _ path: Path) {
            guard let join = node.join else { return }
            join.latest[input] = held
            join.path = path
            if held == .empty { join.isEmptied = true }
            guard shape.isSettled else {
                if let held = join.emission() { pass(node, held, path) }
                return
            }
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

        /// The time of stages in the definition is that of the last commit.
        func time(isPrivate: Bool) -> UInt64 { isPrivate ? now : committed }

        /// The moment so many milliseconds from now.
        func deadline(after span: Int, isPrivate: Bool) -> Deadline {
            lastDeadline += 1
            return Deadline(time: time(isPrivate: isPrivate) + UInt64(span), number: lastDeadline)
        }

        /// Whether a moment is over: of this very millisecond, what comes before the emission that
        /// is being made.
        func hasPassed(_ deadline: Deadline, isPrivate: Bool) -> Bool {
            let now = time(isPrivate: isPrivate)
            return deadline.time < now
                || (deadline.time == now && firing[isPrivate].map { deadline <= $0 } ?? true)
        }

        var nextDeadline: UInt64? { all.compactMap { $0.timer?.due?.time }.min() }

        /// What is due: first in clients' pipelines, each for itself, then in the definition, all
        /// in one turn.
        func advance() {
            while fire(isPrivate: true) {}
            if shape.isSettled {
                turn { while fire(isPrivate: false) {} }
            } else {
                while fire(isPrivate: false) {}
            }
            collect()
        }

        /// Makes the emission that is due first (G-112), if there is one.
        private func fire(isPrivate: Bool) -> Bool {
            let due = all.compactMap { node -> (node: Node, timer: Timer, deadline: Deadline)? in
                guard let timer = node.timer, timer.isPrivate == isPrivate, let deadline = timer.due,
                    deadline.time <= now
                else { return nil }
                return (node, timer, deadline)
            }
            guard let (node, timer, deadline) = due.min(by: { $0.deadline < $1.deadline }) else {
                return false
            }
            timer.due = nil
            // A tick is a commit.
            if !isPrivate { committed = now }
            firing[isPrivate] = deadline
            defer { firing[isPrivate] = nil }
            let kept = timer.ring()
            guard let kept, !kept.path.numbers.contains(node.number) else { return true }
            if isPrivate || !shape.isSettled {
                turn { pass(node, kept.held, kept.path) }
            } else {
                pass(node, kept.held, kept.path)
            }
            return true
        }

        // MARK: - Life

        /// Nothing is released while `body` builds.
        func building<Result>(_ body: () -> Result) -> Result {
            building += 1
            defer { building -= 1 }
            return body()
        }

        /// Releases everything that is unreachable.
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
