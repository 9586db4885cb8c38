internal import Definitions
internal import ReactiveGraph

/// When the value of a mutable node ends if it is not set again.
enum Expiry {
    case never
    /// The `ttl` of a declared node.
    case lifetime(Lifetime)
    /// After the `expire` of a family member: its lease.
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

    /// The value is gone.
    func stopExpiry() {
        switch expiry {
        case .never: break
        case .lifetime(let lifetime): lifetime.stop()
        case .lease(let lease): family?.leases.stop(lease)
        }
    }

    /// Starts using the definition's times, from the next set on.
    ///
    /// A member's running lease goes on.
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

    var isLeased: Bool {
        if case .lease(let lease) = expiry { family?.leases.isRunning(lease) == true } else { false }
    }

    /// From now on its value does not expire.
    func endExpiry() {
        if case .lease(let lease) = expiry { family?.leases.remove(lease) }
        expiry = .never
    }

    /// The lifetime of a declared node's value.
    var lifetime: Lifetime? { if case .lifetime(let lifetime) = expiry { lifetime } else { nil } }

    /// When the value expires, as saved; nil if it follows from the time of the last set.
    var deadline: Deadline? {
        get { lifetime?.deadline }
        set { lifetime?.deadline = newValue }
    }
}

/// Clears a node when its `ttl` has passed, in the tick of that time.
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
        node.noteChange(graph.stamp, .expiry)
        graph.present.note(.expiry, of: source.id)
        if node.hasFacets { graph.facets.valueExpired(of: node) }
        return Due(source, .empty)
    }
}
