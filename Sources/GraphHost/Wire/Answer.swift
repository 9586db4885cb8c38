internal import Support

extension DefinitionProblem {
    /// Appends `{"code":…,"line":…,"column":…,"pointer":…,"message":…,"hint":…}`.
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{\"code\":")
        buffer.append(json: code.rawValue)
        buffer.append(",\"line\":")
        buffer.append(decimal: position.line)
        buffer.append(",\"column\":")
        buffer.append(decimal: position.column)
        if let pointer {
            buffer.append(",\"pointer\":")
            buffer.append(json: pointer)
        }
        buffer.append(",\"message\":")
        buffer.append(json: message)
        if let hint {
            buffer.append(",\"hint\":")
            buffer.append(json: hint)
        }
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
            appendCursor(epoch: applied.epoch, applied.rev, to: &buffer)
            if applied.isReplay { buffer.append(",\"replayed\":true") }
            buffer.append("}")
        }
    }

    static func error(_ error: HostError, id: UInt64?, to buffer: inout ByteBuffer) {
        begin("err", id: id, to: &buffer)
        buffer.append(",\"code\":")
        buffer.append(json: error.code.rawValue)
        buffer.append(",\"msg\":")
        buffer.append(json: error.message)
        if let node = error.node {
            buffer.append(",\"node\":")
            buffer.append(json: node)
        }
        if let rev = error.rev {
            buffer.append(",\"rev\":")
            buffer.append(decimal: rev)
        }
        buffer.append(",\"retry\":")
        buffer.append(error.retry ? "true" : "false")
        if let after = error.after {
            buffer.append(",\"after\":")
            buffer.append(decimal: after)
        }
        if let hint = error.hint {
            buffer.append(",\"hint\":")
            buffer.append(json: hint)
        }
        if !error.problems.isEmpty {
            buffer.append(",\"problems\":")
            buffer.append(list: error.problems) { $0.append(to: &$1) }
        }
        buffer.append("}")
    }

    static func end(id: UInt64, _ code: EndCode, released: UInt64, to buffer: inout ByteBuffer) {
        begin("end", id: id, to: &buffer)
        buffer.append(",\"code\":")
        buffer.append(json: code.rawValue)
        buffer.append(",\"released\":")
        buffer.append(decimal: released)
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

    /// Appends `,"t":…`.
    static func appendTime(of graph: LiveGraph, to buffer: inout ByteBuffer) {
        buffer.append(",\"t\":")
        buffer.append(decimal: graph.time)
    }
}
