internal import ReactiveGraph

/// What ends the value of a mutable node that is not set again for some time.
enum Expiry {
    /// Nothing does.
    case never
    /// The `ttl` of a declared node.
    case lifetime(Lifetime)
    /// The `expire` of a member of a family: its place among those of that.
    case lease(MemberLease)
}

extension NamedNode {
    /// A value was set at `time`, in milliseconds since 1970.
    @inline(__always)
    func startExpiry(at time: UInt64) {
        switch expiry {
        case .never: break
        case .lifetime(let lifetime): lifetime.start(at: time)
        case .lease(let lease): family?.leases.start(lease, at: time)
        }
    }

    /// There is no value any more.
    func stopExpiry() {
        switch expiry {
        case .never: break
        case .lifetime(let lifetime): lifetime.stop()
        case .lease(let lease): family?.leases.stop(lease)
        }
    }

    /// Values end by the rules of the definition from here on, as soon as one is set.
    ///
    /// That of a member that has begun goes on.
    func beginExpiry() {
        if case .lease = expiry, family?.expire != nil { return }
        endExpiry()
        guard case .mutable(let rules) = definition.kind else { return }
        if let family {
            if family.expire != nil { expiry = .lease(family.leases.add(self)) }
        } else if let ttl = rules.ttl {
            expiry = .lifetime(Lifetime(self, ttl))
        }
    }

    /// Whether it is a member whose value is about to end.
    var isLeased: Bool {
        if case .lease(let lease) = expiry { family?.leases.isRunning(lease) == true } else { false }
    }

    /// Nothing ends them any more.
    func endExpiry() {
        if case .lease(let lease) = expiry { family?.leases.remove(lease) }
        expiry = .never
    }

    /// What ends the value of a declared node.
    var lifetime: Lifetime? { if case .lifetime(let lifetime) = expiry { lifetime } else { nil } }

    /// When the value lasts no longer, as it is saved; `nil` where what is known of the last set says it.
    var deadline: Deadline? {
        get { lifetime?.deadline }
        set { lifetime?.deadline = newValue }
    }
}

/// The end of a value after its `ttl`: the node is empty then, in the tick of its time.
final class Lifetime {
    private unowned let node: NamedNode
    /// How long a value lasts.
    let duration: Duration
    private let timer = Timer()
    private let timers: TimerQueue

    init(_ node: NamedNode, _ ttl: Stage.Span) {
        self.node = node
        duration = ttl.duration
        timers = node.graph.timers
        timer.action = { [unowned self] in expire() }
    }

    deinit {
        stop()
    }

    func start(at time: UInt64) {
        timers.set(timer, at: timers.moment(.milliseconds(time) + duration))
    }

    func stop() {
        timers.cancel(timer)
    }

    var deadline: Deadline? {
        get { timer.isRunning ? timer.deadline : nil }
        set { if let newValue { timers.restore(timer, at: newValue) } else { stop() } }
    }

    private func expire() -> Due? {
        guard let source = node.source else { return nil }
        let graph = node.graph
        node.changed = LogStamp(rev: graph.rev, time: graph.time)
        if node.hasFacets { graph.valueExpired(of: node) }
        return Due(source, .empty)
    }
}
