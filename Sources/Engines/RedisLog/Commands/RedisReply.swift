internal import Commits

/// What Redis answers to one command.
enum RedisReply: Hashable {
    case null
    case number(Int64)
    case bytes([UInt8])
    case list([RedisReply])
    /// An error, in Redis' words: they begin with a code in capitals.
    case error(String)

    /// A text, or a number as text; nil: it is neither.
    var text: String? {
        switch self {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .number(let number): String(number)
        case .null, .list, .error: nil
        }
    }

    /// A whole number that is not negative, also as text.
    var unsigned: UInt64? { text.flatMap { UInt64($0) } }

    /// A rev, or 0 for none; nil: no commit can have it.
    var rev: UInt64? { unsigned.flatMap { $0 <= LogStamp.revs.upperBound ? $0 : nil } }

    /// The bytes of a text; empty for everything else.
    var data: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }

    var members: [RedisReply] { if case .list(let members) = self { members } else { [] } }

    /// A list of names and values in turn, as a dictionary.
    var fields: [String: RedisReply] {
        let members = members
        var fields: [String: RedisReply] = [:]
        for place in stride(from: 0, to: members.count - 1, by: 2) {
            if let name = members[place].text { fields[name] = members[place + 1] }
        }
        return fields
    }
}

/// Why Redis did not do something.
enum RedisError: Error, Hashable {
    /// The connection was not made, or is lost: it is unknown whether the command was done.
    case unreachable(String)
    /// Redis said no: nothing was done. The words begin with a code in capitals.
    case refused(String)

    /// For the server's log.
    var description: String {
        switch self {
        case .unreachable(let words), .refused(let words): words
        }
    }

    /// Whether it has no memory left for more.
    var isFull: Bool { if case .refused(let words) = self { words.hasPrefix("OOM") } else { false } }
}
