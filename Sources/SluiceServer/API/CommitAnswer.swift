internal import Graphs
internal import Sessions
internal import HTTP
internal import Support

/// The form of the answer to an applied commit.
enum CommitAnswer {
    /// `{"epoch","rev"}`, with an entity tag if `isTagged`; only the tag if `isMinimal`.
    case set(isTagged: Bool, isMinimal: Bool)
    case cleared
    /// `{"epoch","rev","changed"}`; so with `skipped` in place of the others, too.
    case batch

    func send(_ applied: Applied, on connection: HTTPConnection) {
        guard applied.skipped.isEmpty else { return Self.sendBatch(applied, connection) }
        switch self {
        case .set(let isTagged, let isMinimal):
            Self.sendSet(applied, isTagged: isTagged, isMinimal: isMinimal, connection)
        case .cleared:
            connection.answerEmpty(.noContent) { out in
                out.append(tagField: applied.epoch, applied.rev)
                out.append(replay: applied)
            }
        case .batch: Self.sendBatch(applied, connection)
        }
    }

    @inline(__always)
    private static func sendSet(
        _ applied: Applied,
        isTagged: Bool,
        isMinimal: Bool,
        _ connection: HTTPConnection
    ) {
        let framing = connection.framing
        let isUsual = isTagged && !isMinimal && !applied.isReplay && framing.keepsAlive && !framing.isHTTP10
        let hub = connection.hub
        guard isUsual, !hub.codec.cors.isOn, applied.values.isEmpty else {
            return compose(applied, isTagged: isTagged, isMinimal: isMinimal, connection)
        }
        connection.answered(.ok)
        connection.write { hub.codec.setAnswer.append(applied, hub.codec.encoder, to: &$0) }
    }

    /// The same answer for unusual cases.
    private static func compose(
        _ applied: Applied,
        isTagged: Bool,
        isMinimal: Bool,
        _ connection: HTTPConnection
    ) {
        connection.write { out in
            connection.begin(isMinimal ? .noContent : .ok, in: &out)
            if isTagged { out.append(tagField: applied.epoch, applied.rev) }
            out.append(replay: applied)
            if isMinimal {
                out.append("Preference-Applied: return=minimal\r\n\r\n")
                return
            }
            var body = ByteBuffer()
            body.append("{")
            body.member("epoch", applied.epoch)
            body.member("rev", applied.rev)
            body.append(valuesOf: applied)
            body.append("}\n")
            out.append("Content-Type: application/json\r\n")
            connection.hub.codec.encoder.finish(body.bytes, connection.framing, in: &out)
        }
    }

    private static func sendBatch(_ applied: Applied, _ connection: HTTPConnection) {
        var body = ByteBuffer()
        body.append("{")
        if applied.isChange {
            body.member("epoch", applied.epoch)
            body.member("rev", applied.rev)
        }
        body.member("changed", applied.changed)
        if !applied.skipped.isEmpty {
            body.member("skipped", list: applied.skipped) { $1.append(json: $0) }
        }
        body.append(valuesOf: applied)
        body.append("}\n")
        connection.write { out in
            connection.begin(.ok, in: &out)
            out.append("Content-Type: application/json\r\n")
            out.append(replay: applied)
            connection.hub.codec.encoder.finish(body.bytes, connection.framing, in: &out)
        }
    }
}

extension ByteBuffer {
    /// Appends the header line `ETag: "epoch:rev"`.
    mutating func append(tagField epoch: String, _ rev: UInt64) {
        append("ETag: \"")
        append(utf8: epoch)
        append(UInt8(ascii: ":"))
        append(decimal: rev)
        append("\"\r\n")
    }

    /// Appends the header line `ETag: "tag"`.
    mutating func append(entityTag tag: String) {
        append("ETag: \"")
        append(utf8: tag)
        append("\"\r\n")
    }

    fileprivate mutating func append(replay applied: Applied) {
        if applied.isReplay { append("Idempotent-Replayed: true\r\n") }
    }
}
