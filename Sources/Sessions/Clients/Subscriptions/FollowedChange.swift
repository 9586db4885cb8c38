internal import Graphs
internal import Commits
internal import Support
internal import Values

/// What became of a node that a sink follows with others.
struct FollowedChange {
    enum Content {
        case value(Datum)
        case empty
        case gone

        /// Whether it is neither of the others nor a failure.
        var isValue: Bool { if case .value(let value) = self { !value.isFail } else { false } }
    }

    let name: String
    let stamp: LogStamp
    let content: Content

    /// About how many bytes it takes, in memory as on the wire.
    var bytes: Int {
        let own = if case .value(let value) = content { value.byteCount } else { 12 }
        return own + name.utf8.count + Self.bytesBesides
    }

    private static let bytesBesides = 48

    /// Appends `{"node","rev","t","v"|"empty"|"fail"|"gone"}`, with the `epoch` if it is not the
    /// present one.
    func append(of graph: LiveGraph, to buffer: inout ByteBuffer) {
        buffer.append("{\"node\":")
        buffer.append(json: name)
        buffer.append(",\"rev\":")
        buffer.append(decimal: stamp.rev)
        let epoch = graph.epochs.epoch(of: stamp.rev)
        if epoch != graph.epochs.present { buffer.member("epoch", epoch) }
        buffer.append(",\"t\":")
        buffer.append(decimal: stamp.time)
        buffer.append(",")
        switch content {
        case .value(let value): Subscription.append(value, to: &buffer)
        case .empty: Subscription.append(nil, to: &buffer)
        case .gone: buffer.append("\"gone\":true")
        }
        buffer.append("}")
    }
}
