internal import Graphs
internal import Support

// The entries in the messages of an observer.

/// Something that was added: it still exists, or is known only from its end.
enum Shown {
    case bytes([UInt8])
    case entry(Picture.Entry, Session)
    case listener(Picture.Listener, Session)

    func append(to buffer: inout ByteBuffer) {
        switch self {
        case .bytes(let bytes): buffer.append(bytes)
        case .entry(let entry, let session):
            entry.append(to: &buffer, isLive: true, for: session.access)
        case .listener(let listener, let session): listener.append(to: &buffer, for: session)
        }
    }
}

/// A node that is no longer shown: a living one, or a name that may have had no living node.
enum Ended {
    case node(GraphWatch.Death)
    case away(UInt64)
    case name(String, ReleaseReason)

    func append(to buffer: inout ByteBuffer) {
        switch self {
        case .node(let death): death.append(to: &buffer)
        case .away(let number):
            buffer.append("{")
            buffer.member("n", number)
            buffer.append(",\"reason\":\"away\"}")
        case .name(let name, let reason):
            buffer.append("{")
            buffer.member("name", name)
            buffer.member("reason", reason.rawValue)
            buffer.append("}")
        }
    }
}

/// A listener that is no longer shown: it has ended, or no longer listens to anything near.
enum Parted {
    case departure(GraphWatch.Departure)
    case away(Picture.Holder)

    func append(to buffer: inout ByteBuffer) {
        switch self {
        case .departure(let departure): departure.append(to: &buffer)
        case .away(let holder):
            buffer.append("{")
            buffer.member("l", holder.text)
            buffer.append(",\"reason\":\"away\"}")
        }
    }
}

extension GraphWatch.Death {
    /// Appends `{"n":14,"reason":"last_owner","lived":5321,"last":{"v":71}}`; without `last` if
    /// there was no room for it.
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.member("n", number)
        buffer.member("reason", reason.rawValue)
        buffer.member("lived", lived)
        if !isBrief { buffer.member("last") { Subscription.append(last, to: &$0) } }
        buffer.append("}")
    }
}

extension GraphWatch.Departure {
    /// Appends `{"l":"c:7","reason":"closed"}`.
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.member("l", holder.text)
        buffer.member("reason", reason)
        buffer.append("}")
    }
}
