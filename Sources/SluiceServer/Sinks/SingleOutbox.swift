internal import Commits
internal import Definitions
internal import DequeModule
internal import Graphs
internal import Sessions
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
    private var newest: (rev: Int, count: Int) = (-1, 0)

    init(_ sink: Sink) {
        self.sink = sink
        definition = sink.definition
        graph = sink.graph
    }

    var waiting: Int { queue.count }

    func listen(_ session: Session) {
        let options = definition.mode == .all ? #","mode":"all","initial":false,"queue":10000"# : ""
        var message =
            #"{"op":"sub","id":1,"graph":"\#(graph.name)","node":"\#(definition.from)"\#(options)}"#
        message.withUTF8 { session.receive(message: UnsafeRawBufferPointer($0)) }
    }

    func receive(_ message: JSONReader) {
        let rev = message["rev"]?.int ?? 0
        switch message["op"]?.string {
        case "snap": take(message, rev: message["c"]?.int ?? rev)
        case "upd": message["d"]?.elements.forEach { take($0, rev: rev) }
        default: break
        }
    }

    private func take(_ entry: JSONReader, rev: Int) {
        // Only values are sent: empties and failures are not.
        guard let value = entry["v"] else { return changes.end() }
        newest = (rev, rev == newest.rev ? newest.count + 1 : 0)
        let mark = newest.count == 0 ? "\(rev)" : "\(rev).\(newest.count)"
        let item = SinkValue(
            body: Array(value.bytes),
            rev: rev,
            key: "\(graph.name)/\(definition.name)/\(graph.epochs.epoch(of: UInt64(rev)))/\(mark)"
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
