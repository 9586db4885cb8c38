internal import Commits
internal import Definitions
internal import EventLoop
internal import Graphs
internal import Sessions
internal import Support
internal import TLS

/// The outbox of a sink that sends lists of the values of all nodes that match a glob.
///
/// It begins in steps, and looks through what has changed in steps, so that others do not wait.
final class ListOutbox: SinkOutbox {
    private unowned let sink: Sink
    private unowned let sinks: Sinks
    private var following: Following?
    private var steps: LoopTimer?
    private var saysLeftOut = true

    init(_ sink: Sink, in sinks: Sinks) {
        self.sink = sink
        self.sinks = sinks
    }

    var waiting: Int { following?.waiting ?? 0 }

    /// How many nodes the graph has no room for.
    var leftOut: Int { following?.leftOut ?? 0 }

    var form: SessionForm { .messages }

    func listen(_ session: Session) {
        let (definition, limits) = (sink.definition, sinks.configuration.fixed.sinks)
        let following = Following(
            FollowRules(
                glob: definition.from,
                isAll: definition.mode == .all,
                repeats: definition.repeats,
                queue: definition.queue,
                queueBytes: limits.queueBytes,
                most: limits.entries,
                mostBytes: limits.bytes
            ),
            in: sink.graph,
            for: session
        )
        following.onChange = { [weak self] in self?.stepSoon() }
        following.onDrop = { [weak self] in self?.sink.noteOverflow() }
        self.following = following
        stepSoon()
    }

    func receive(_ message: Outgoing) {}

    /// Changes of one millisecond go together.
    private func stepSoon() {
        if steps == nil {
            steps = try? LoopTimer(on: sinks.turns.loop) { [weak self] in self?.step() }
        }
        if steps?.isActive == false { steps?.start(after: .milliseconds(1)) }
    }

    private func step() {
        sinks.turns.begin()
        if let following, following.isBeginning {
            following.listenOn()
            if following.isBeginning { stepSoon() }
        }
        if leftOut > 0, saysLeftOut {
            saysLeftOut = false
            sink.noteLeftOut()
        }
        sink.goOn()
    }

    func next() -> SinkValue? {
        guard let list = following?.next() else {
            if waiting > 0 { stepSoon() }
            return nil
        }
        let epoch = sink.graph.epochs.epoch(of: list.rev)
        let digest = list.body.withBorrowedBytes { SHA256.digest($0) }.prefix(16).hexadecimal
        return SinkValue(
            body: list.body,
            rev: list.rev,
            key: "\(sink.graph.name)/\(sink.definition.name)/\(epoch)/\(list.rev)/\(digest)",
            count: list.count
        )
    }

    func settle(_ outcome: FollowedOutcome) { following?.settle(outcome) }

    func tryRefused() -> Bool { following?.tryRefused() ?? false }
}
