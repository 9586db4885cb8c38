package import Graphs
package import Support
public import Values

extension DefinitionProblem {
    /// Appends `{"code":…,"line":…,"column":…,"pointer":…,"message":…,"hint":…}`.
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.member("code", code.rawValue)
        buffer.member("line", position.line)
        buffer.member("column", position.column)
        buffer.member("pointer", pointer)
        buffer.member("message", message)
        buffer.member("hint", hint)
        buffer.append("}")
    }
}

extension HostError {
    /// The problems as a JSON list; nil if there are none.
    public var problemsJSON: [UInt8]? {
        guard !problems.isEmpty else { return nil }
        var buffer = ByteBuffer()
        buffer.append(list: problems) { $0.append(to: &$1) }
        return Array(buffer.bytes)
    }
}

extension ByteBuffer {
    /// Appends `,"values":{…}` if the commit had expressions.
    package mutating func append(valuesOf applied: Applied) {
        guard !applied.values.isEmpty else { return }
        append(",\"values\":")
        append(applied.values)
    }

    /// Appends `,"failed":[{"node","rev","v"|"empty"}…]` for a `conflict` about nodes.
    package mutating func append(failedOf error: HostError) {
        guard error.code == .conflict, let node = error.node else { return }
        let one = error.rev.map { HostError.Failed(node: node, rev: $0) }
        let failed = error.failed.isEmpty ? one.map { [$0] } ?? [] : error.failed
        member("failed", objects: failed) { failed, members in
            members.member("node", failed.node)
            members.member("rev", failed.rev)
            guard !failed.held.isEmpty else { return }
            members.append(",")
            members.append(failed.held)
        }
    }
}

/// The terminal answers of the protocol: `ok` and `err` (docs/protocol.md).
enum Answer {
    static func ok(id: UInt64?, to buffer: inout ByteBuffer) {
        begin("ok", id: id, to: &buffer)
        buffer.append("}")
    }

    static func commit(_ result: Result<Applied, HostError>, id: UInt64?, to buffer: inout ByteBuffer) {
        switch result {
        case .failure(let error): self.error(error, id: id, to: &buffer)
        case .success(let applied):
            begin("ok", id: id, to: &buffer)
            if applied.isChange { appendCursor(epoch: applied.epoch, applied.rev, to: &buffer) }
            if !applied.skipped.isEmpty {
                buffer.member("skipped", list: applied.skipped) { $1.append(json: $0) }
            }
            if applied.isReplay { buffer.append(",\"replayed\":true") }
            buffer.append(valuesOf: applied)
            buffer.append("}")
        }
    }

    static func error(_ error: HostError, id: UInt64?, to buffer: inout ByteBuffer) {
        begin("err", id: id, to: &buffer)
        buffer.member("code", error.code.rawValue)
        buffer.member("msg", error.message)
        buffer.member("node", error.node)
        buffer.member("rev", error.rev)
        buffer.append(failedOf: error)
        buffer.member("retry", error.retry)
        buffer.member("after", error.after)
        buffer.member("hint", error.hint)
        if !error.problems.isEmpty {
            buffer.member("problems", list: error.problems) { $0.append(to: &$1) }
        }
        buffer.append("}")
    }

    static func end(id: UInt64, _ code: EndCode, released: UInt64, to buffer: inout ByteBuffer) {
        begin("end", id: id, to: &buffer)
        buffer.member("code", code.rawValue)
        buffer.member("released", released)
        buffer.append("}")
    }

    static func idInUse(_ id: UInt64) -> [UInt8] {
        var buffer = ByteBuffer()
        error(HostError(.idInUse, "id \(id) is in use"), id: id, to: &buffer)
        return Array(buffer.bytes)
    }

    /// Appends `{"op":…,"id":…`, without the closing brace.
    static func begin(_ operation: StaticString, id: UInt64?, to buffer: inout ByteBuffer) {
        buffer.append("{\"op\":\"")
        buffer.append(operation)
        buffer.append("\"")
        if let id {
            buffer.append(",\"id\":")
            buffer.append(decimal: id)
        }
    }

    /// Appends `,"epoch":…,"rev":…`.
    static func appendCursor(of graph: LiveGraph, to buffer: inout ByteBuffer) {
        appendCursor(epoch: graph.epoch, graph.rev, to: &buffer)
    }

    private static func appendCursor(epoch: String, _ rev: UInt64, to buffer: inout ByteBuffer) {
        // An epoch has no character that JSON escapes.
        buffer.append(",\"epoch\":\"")
        buffer.append(utf8: epoch)
        buffer.append("\",\"rev\":")
        buffer.append(decimal: rev)
    }

    /// Appends `"epoch":…,"rev":…,"t":…`, after a comma unless the object begins here.
    static func appendMoment(of graph: LiveGraph, to buffer: inout ByteBuffer) {
        buffer.member("epoch", graph.epoch)
        buffer.member("rev", graph.rev)
        buffer.member("t", graph.time)
    }

    /// Appends `,"t":…`.
    static func appendTime(of graph: LiveGraph, to buffer: inout ByteBuffer) {
        buffer.append(",\"t\":")
        buffer.append(decimal: graph.time)
    }
}
