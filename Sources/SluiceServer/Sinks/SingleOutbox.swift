internal import Commits
internal import Definitions
internal import DequeModule
internal import Graphs
internal import Sessions
internal import Support
internal import Values

/// The outbox of a sink that sends the values of one node, each by itself.
final class SingleOutbox: SinkOutbox {
    private let definition: SinkDefinition
    private let graph: LiveGraph
    private unowned let sink: Sink
    private var queue: Deque<SinkValue> = []
    private var tried: SinkValue?
    private var changes = SinkChanges()
    /// The rev of the newest value, and how many values of that rev came before it.
    private var newest: (rev: UInt64, count: Int)?

    init(_ sink: Sink) {
        self.sink = sink
        definition = sink.definition
        graph = sink.graph
    }

    var waiting: Int { queue.count }

    /// The bare stream of the node.
    var form: SessionForm {
        get throws(HostError) {
            let view = try GraphView(graph, for: .full)
            return .node(try view.node(graph.node(definition.from), named: definition.from, to: .read))
        }
    }

    func listen(_ session: Session) throws(HostError) {
        var options = StreamOptions(isAll: definition.mode == .all)
        if options.isAll { (options.initial, options.queue) = (false, Self.mostInTurn) }
        try session.stream(options)
    }

    /// How many values of one turn of the loop it takes, in mode `all`.
    private static let mostInTurn = 10_000

    func receive(_ message: Outgoing) {
        switch message.kind {
        case .value: take(message.withBytes { Array($0) }, rev: message.rev ?? 0)
        case .noValue: changes.end()
        default: break
        }
    }

    private func take(_ value: [UInt8], rev: UInt64) {
        let count = if let newest, newest.rev == rev { newest.count + 1 } else { 0 }
        newest = (rev, count)
        let mark = count == 0 ? "\(rev)" : "\(rev).\(count)"
        let item = SinkValue(
            body: value,
            rev: rev,
            key: "\(graph.name)/\(definition.name)/\(graph.epochs.epoch(of: rev))/\(mark)"
        )
        if definition.mode == .latest {
            changes.came()
            queue = [item]
        } else {
            makeRoom(for: 1)
            queue.append(item)
        }
        sink.next()
    }

    private func makeRoom(for count: Int) {
        guard queue.count + count > definition.queue else { return }
        queue.removeFirst()
        sink.noteOverflow()
    }

    func next() -> SinkValue? {
        guard let value = queue.popFirst() else { return nil }
        if definition.mode == .latest, !changes.begins(value, repeats: definition.repeats) { return nil }
        tried = value
        return value
    }

    func settle(_ outcome: FollowedOutcome) {
        guard let value = tried.take() else { return }
        switch outcome {
        case .arrived: changes.arrived(value)
        case .refused: if definition.mode == .latest, queue.isEmpty { changes.refused(value) }
        case .failed:
            changes.failed()
            if definition.mode == .all || queue.isEmpty { queue.prepend(value) }
            makeRoom(for: 0)
        }
    }

    /// Tries what the receiver refused, unless a newer value has come.
    func tryRefused() -> Bool {
        guard tried == nil, queue.isEmpty, let value = changes.takeRefused() else { return false }
        queue = [value]
        return true
    }
}
