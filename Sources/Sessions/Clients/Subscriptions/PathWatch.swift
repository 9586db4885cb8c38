internal import Graphs
internal import ReactiveGraph
internal import Support

/// A subscription with `path`: while it lives, its graph keeps the names on the paths of emissions
///
final class PathWatch {
    private let graph: LiveGraph
    /// Where the newest emission that was not delivered yet has come from.
    var newest: Provenance?

    init(in graph: LiveGraph) {
        self.graph = graph
        graph.core.askForNames(1)
    }

    deinit { graph.core.askForNames(-1) }
}

extension Provenance {
    /// Appends `,"path":[…],"by":…,"origin":…`, as a caller may see it.
    func append(for access: Access?, to buffer: inout ByteBuffer) {
        buffer.member("path", list: entries(for: access ?? .nobody)) { $1.append(json: $0) }
        cause.append(to: &buffer)
    }
}

extension Cause {
    /// Appends `,"by":…,"origin":…`.
    func append(to buffer: inout ByteBuffer) {
        buffer.member("by", by)
        buffer.member("origin", "\(origin)")
    }
}
