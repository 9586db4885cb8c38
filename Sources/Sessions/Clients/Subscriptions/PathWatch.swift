internal import Graphs
internal import ReactiveGraph
internal import Support

/// What a subscription with `path` has besides.
final class PathWatch {
    /// Where the newest emission has come from that was not delivered yet.
    var newest: Provenance?
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
