internal import ReactiveGraph

/// Whose time a stage lives in.
enum StageTime {
    /// A stage of the definition: commits carry the time, and what it emits later is part of a tick commit.
    case commits
    /// A private stage of a client's pipeline: the loop's steady clock, no rev.
    case steady
}

/// A stage that emits later than it hears.
///
/// Its node has two upstream edges: the stage itself, and a hidden node through which the stage emits when its
/// alarm rings, so that all that is due in one tick is one batch. When the node goes, so do both, and with the
/// stage its alarm.
///
/// Emptiness does not wait: when the upstream becomes empty so does the stage's node, at once, and whatever was
/// still to be emitted is forgotten. A derived node never shows a value whose source was cleared.
class TimedStage: AlarmTarget {
    private let time: StageTime
    private unowned let graph: LiveGraph
    private let alarms: Alarms
    private let outlet: MutableNode<Datum>
    /// Whom its runs are charged to, in a client's pipeline.
    let meter: StageMeter?
    private var alarm: Alarm?

    init(_ time: StageTime, _ graph: LiveGraph) {
        self.time = time
        self.graph = graph
        switch time {
        case .commits: alarms = graph.alarms
        case .steady: alarms = graph.host.alarms
        }
        outlet = graph.core.mutable(of: Datum.self)
        meter = graph.meter
        // The hidden node lives no longer than the stage's own, whose closure holds the stage.
        graph.chains.hide(outlet) { [unowned self] in waiting }
    }

    deinit {
        stop()
    }

    /// The stage's node behind `input`.
    final func node(named name: String, behind input: Node<Datum>) -> Node<Datum> {
        let node: Node<Datum> = input.transform(named: name) { [self] emission, _ in
            meter?.spend(1)
            return receive(emission)
        }
        node.link(to: outlet)
        return node
    }

    /// What happens at once on an emission of the upstream.
    func receive(_ emission: Emission<Datum>) -> Emission<Datum>? {
        emission
    }

    func alarm(at now: UInt64) {}

    /// How many emissions it holds back.
    var waiting: Int { 0 }

    /// Milliseconds, on the clock of this stage.
    final var now: UInt64 {
        switch time {
        case .commits: graph.time
        case .steady: graph.host.clock.now
        }
    }

    /// Emits from within ``alarm(at:)``.
    final func emit(_ emission: Emission<Datum>) {
        switch time {
        case .commits: graph.tick.append(outlet, emission)
        case .steady: outlet.send(emission)
        }
    }

    /// Sets or moves the one alarm of this stage.
    final func wake(at due: UInt64) {
        let alarm = alarm ?? Alarm(target: self)
        self.alarm = alarm
        alarms.set(alarm, due: due)
    }

    /// Takes the alarm back.
    final func stop() {
        if let alarm { alarms.cancel(alarm) }
    }
}
