extension Problem {
    /// Appends `{"code":…,"line":…,"column":…,"pointer":…,"message":…,"hint":…}`.
    func append(to buffer: FrameBuffer) {
        buffer.append("{\"code\":")
        buffer.append(string: code.rawValue)
        buffer.append(",\"line\":")
        buffer.append(UInt64(clamping: position.line))
        buffer.append(",\"column\":")
        buffer.append(UInt64(clamping: position.column))
        if let pointer {
            buffer.append(",\"pointer\":")
            buffer.append(string: pointer)
        }
        buffer.append(",\"message\":")
        buffer.append(string: message)
        if let hint {
            buffer.append(",\"hint\":")
            buffer.append(string: hint)
        }
        buffer.append(byte: UInt8(ascii: "}"))
    }
}

extension HostError {
    /// The problems as a JSON list; nil where there are none.
    public var problemsJSON: [UInt8]? {
        guard !problems.isEmpty else { return nil }
        let buffer = FrameBuffer(capacity: 256)
        buffer.append(list: problems) { $0.append(to: buffer) }
        return Array(buffer.bytes)
    }
}

/// The terminal answers of the protocol: `ok` and `err` (wire-protocol.md §1, §1.6).
enum Answer {
    static func ok(id: UInt64?, to buffer: FrameBuffer) {
        begin("ok", id: id, to: buffer)
        buffer.append(byte: UInt8(ascii: "}"))
    }

    static func commit(_ result: Result<Applied, HostError>, id: UInt64?, to buffer: FrameBuffer) {
        switch result {
        case .failure(let error): self.error(error, id: id, to: buffer)
        case .success(let applied):
            begin("ok", id: id, to: buffer)
            buffer.append(",\"epoch\":")
            buffer.append(string: applied.epoch)
            buffer.append(",\"rev\":")
            buffer.append(applied.rev)
            if applied.isReplay { buffer.append(",\"replayed\":true") }
            buffer.append(byte: UInt8(ascii: "}"))
        }
    }

    static func error(_ error: HostError, id: UInt64?, to buffer: FrameBuffer) {
        begin("err", id: id, to: buffer)
        buffer.append(",\"code\":")
        buffer.append(string: error.code.rawValue)
        buffer.append(",\"msg\":")
        buffer.append(string: error.message)
        if let node = error.node {
            buffer.append(",\"node\":")
            buffer.append(string: node)
        }
        if let rev = error.rev {
            buffer.append(",\"rev\":")
            buffer.append(rev)
        }
        buffer.append(",\"retry\":")
        buffer.append(error.retry ? "true" : "false")
        if let after = error.after {
            buffer.append(",\"after\":")
            buffer.append(UInt64(clamping: after))
        }
        if !error.problems.isEmpty {
            buffer.append(",\"problems\":")
            buffer.append(list: error.problems) { $0.append(to: buffer) }
        }
        buffer.append(byte: UInt8(ascii: "}"))
    }

    static func end(id: UInt64, _ code: EndCode, released: UInt64, to buffer: FrameBuffer) {
        begin("end", id: id, to: buffer)
        buffer.append(",\"code\":")
        buffer.append(string: code.rawValue)
        buffer.append(",\"released\":")
        buffer.append(released)
        buffer.append(byte: UInt8(ascii: "}"))
    }

    static func idInUse(_ id: UInt64) -> [UInt8] {
        let buffer = FrameBuffer(capacity: 128)
        error(HostError(.idInUse, "id \(id) is in use"), id: id, to: buffer)
        return Array(buffer.bytes)
    }

    /// `{"op":…,"id":…`, left open.
    static func begin(_ operation: StaticString, id: UInt64?, to buffer: FrameBuffer) {
        buffer.append("{\"op\":\"")
        buffer.append(operation)
        buffer.append(byte: UInt8(ascii: "\""))
        if let id {
            buffer.append(",\"id\":")
            buffer.append(id)
        }
    }

    /// Appends `,"epoch":…,"rev":…`.
    static func appendCursor(of graph: LiveGraph, to buffer: FrameBuffer) {
        buffer.append(",\"epoch\":")
        buffer.append(string: graph.epoch)
        buffer.append(",\"rev\":")
        buffer.append(graph.rev)
    }

    /// Appends `,"t":…`.
    static func appendTime(of graph: LiveGraph, to buffer: FrameBuffer) {
        buffer.append(",\"t\":")
        buffer.append(graph.time)
    }
}
