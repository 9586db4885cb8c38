internal import Graphs
internal import Commits
internal import Support
internal import Values

/// The beginning and the end of `upd` messages (docs/protocol.md, upd).
///
/// Those of one graph's newest commit are encoded once for all messages of a turn.
final class UpdateEnvelope {
    /// The commit that `head` and `tail` are of; of the graph that has it.
    private var commit: CommitInfo?
    private var head = ByteBuffer()
    private var tail = ByteBuffer()

    /// Appends `{"op":"upd","graph":…,"rev":…,"t":…,"d":[` of a graph's newest commit.
    func appendHead(of graph: LiveGraph, to buffer: inout ByteBuffer) {
        refresh(for: graph)
        buffer.append(head.bytes)
    }

    /// Appends `],"ctx":…,"by":…}` of a graph's newest commit.
    func appendTail(of graph: LiveGraph, to buffer: inout ByteBuffer) {
        refresh(for: graph)
        buffer.append(tail.bytes)
    }

    /// The turn is over.
    func forget() { commit = nil }

    /// The beginning for an older commit.
    static func appendHead(of graph: LiveGraph, _ commit: CommitInfo, to buffer: inout ByteBuffer) {
        // Names of graphs need no escapes.
        buffer.append("{\"op\":\"upd\",\"graph\":\"")
        buffer.append(utf8: graph.name)
        buffer.append("\",\"rev\":")
        buffer.append(decimal: commit.stamp.rev)
        buffer.append(",\"t\":")
        buffer.append(decimal: commit.stamp.time)
        buffer.append(",\"d\":[")
    }

    /// The end for an older commit.
    static func appendTail(_ commit: CommitInfo, to buffer: inout ByteBuffer) {
        buffer.append("]")
        if let context = commit.context {
            buffer.append(",\"ctx\":")
            context.withBytes { buffer.append($0) }
        }
        if let by = commit.by {
            buffer.append(",\"by\":")
            buffer.append(json: by)
        }
        buffer.append("}")
    }

    private func refresh(for graph: LiveGraph) {
        let newest = graph.present.newest
        guard commit !== newest else { return }
        commit = newest
        head.removeAll()
        Self.appendHead(of: graph, newest, to: &head)
        tail.removeAll(keepingAtMost: 4096)
        Self.appendTail(newest, to: &tail)
    }
}
