internal import ReactiveGraph

/// The end of a mutable node's value that was not set again for some time.
class Expiry {
    unowned let node: NamedNode

    init(_ node: NamedNode) {
        self.node = node
    }

    /// A value was set at `time`, in milliseconds since 1970.
    func start(at time: UInt64) {}

    /// There is no value any more.
    func stop() {}

    /// When the value lasts no longer, as it is saved; `nil` where what is known of the last set says it.
    var deadline: Deadline? {
        get { nil }
        set {}
    }
}

/// The end of a value after its `ttl`: the node is empty then, in the tick of its time.
final class Lifetime: Expiry {
    /// How long a value lasts.
    let duration: Duration
    private let timer = Timer()
    private let timers: TimerQueue

    init(_ node: NamedNode, _ ttl: Stage.Span) {
        duration = ttl.duration
        timers = node.graph.timers
        super.init(node)
        timer.action = { [unowned self] in expire() }
    }

    deinit {
        stop()
    }

    override func start(at time: UInt64) {
        timers.set(timer, at: timers.moment(.milliseconds(time) + duration))
    }

    override func stop() {
        timers.cancel(timer)
    }

    override var deadline: Deadline? {
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
