internal import Support

/// Reads server-sent events from bytes (WHATWG HTML section 9.2.6).
struct EventStreamParser {
    /// What an event says.
    struct Event: Equatable {
        /// Its type; `message` where it has none.
        var name = "message"
        var data: [UInt8] = []
    }

    /// The stream has a line or an event that is longer than it may be.
    struct TooLong: Error {}

    /// The last id that was sent; empty: none.
    private(set) var lastID = ""
    /// How long the server wants its clients to wait before they come again, in milliseconds.
    private(set) var retry: Int?
    private let mostBytes: Int
    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var id: String?
    /// A carriage return has ended the line; a line feed that follows belongs to it.
    private var skipsLineFeed = false
    private var isAtStart = true

    /// - Parameter mostBytes: the longest line, and the longest data of an event.
    init(mostBytes: Int) {
        self.mostBytes = mostBytes
    }

    /// Takes bytes, and calls `take` for each event that is complete.
    mutating func parse(_ bytes: BorrowedBytes, _ take: (Event) -> Void) throws(TooLong) {
        for byte in bytes {
            if skipsLineFeed {
                skipsLineFeed = false
                if byte == UInt8(ascii: "\n") { continue }
            }
            switch byte {
            case UInt8(ascii: "\r"):
                skipsLineFeed = true
                try endLine(take)
            case UInt8(ascii: "\n"): try endLine(take)
            default:
                guard line.count < mostBytes else { throw TooLong() }
                line.append(byte)
            }
        }
    }

    private mutating func endLine(_ take: (Event) -> Void) throws(TooLong) {
        defer { line.removeAll(keepingCapacity: true) }
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard let first = line.first else { return dispatch(take) }
        guard first != UInt8(ascii: ":") else { return }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            guard data.count + value.count < mostBytes else { throw TooLong() }
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            if !value.isEmpty, value.count <= 9, value.allSatisfy(ASCII.isDigit) {
                retry = Int(String(decoding: value, as: UTF8.self))
            }
        default: break
        }
    }

    private mutating func dispatch(_ take: (Event) -> Void) {
        if let id { lastID = id }
        defer { (name, data, hasData, id) = ("", [], false, nil) }
        if hasData { take(Event(name: name.isEmpty ? "message" : name, data: data)) }
    }
}
