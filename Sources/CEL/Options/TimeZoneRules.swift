/// Where `getHours('Europe/Berlin')` and its relatives find the rules of a named time zone.
public protocol TimeZones: AnyObject {
    /// The rules of the zone, nil when there is none of this name.
    func rules(of zone: String) -> TimeZoneRules?
}

/// The offsets of one time zone through time, read from a compiled file of the tz database (RFC
/// 8536, "TZif").
public struct TimeZoneRules: Sendable {
    /// From these seconds since the epoch on, each until the next; ascending.
    private let transitions: [Int64]
    /// Seconds east of UTC from each transition on.
    private let offsets: [Int]
    /// Before the first transition.
    private let firstOffset: Int
    /// After the last transition, where there is a rule.
    private let rule: PosixZone?

    /// Reads the 64-bit part of a file; nil if the bytes are not such a file.
    public init?(tzif bytes: [UInt8]) {
        var reader = BigEndianReader(bytes)
        guard let old = reader.tzifHeader(), old.version >= UInt8(ascii: "2"),
            reader.skip(old.bodyBytes(timeBytes: 4)),
            let header = reader.tzifHeader(), header.timeCount <= 100_000, header.typeCount > 0,
            let times = reader.list(header.timeCount, { $0.integer(bytes: 8) }),
            let kinds = reader.list(header.timeCount, { $0.integer(bytes: 1) }),
            let types = reader.list(
                header.typeCount,
                { reader in
                    let offset = reader.integer(bytes: 4)
                    return reader.skip(2) ? offset : nil
                }
            )
        else { return nil }
        let known = kinds.map { Int($0) }
        guard known.allSatisfy(types.indices.contains), zip(times, times.dropFirst()).allSatisfy(<) else {
            return nil
        }
        guard reader.skip(header.tailBytes(timeBytes: 8)) else { return nil }
        transitions = times
        // A file's offsets are 32 bits with a sign.
        let signed = types.map { Int(Int32(truncatingIfNeeded: $0)) }
        offsets = known.map { signed[$0] }
        firstOffset = signed[0]
        rule = PosixZone(reader.footer())
    }

    /// Seconds east of UTC at a moment.
    public func offset(at seconds: Int64) -> Int {
        guard let last = transitions.last else { return rule?.offset(at: seconds) ?? firstOffset }
        if seconds >= last {
            return rule?.offset(at: seconds) ?? offsets[offsets.count - 1]
        }
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? firstOffset : offsets[low - 1]
    }
}

/// Takes numbers off the front of some bytes.
private struct BigEndianReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    struct Header {
        let version: UInt8
        let utcCount, standardCount, leapCount, timeCount, typeCount, charCount: Int

        func bodyBytes(timeBytes: Int) -> Int {
            timeCount * (timeBytes + 1) + typeCount * 6 + tailBytes(timeBytes: timeBytes)
        }

        /// What follows the types.
        func tailBytes(timeBytes: Int) -> Int {
            charCount + leapCount * (timeBytes + 4) + standardCount + utcCount
        }
    }

    mutating func tzifHeader() -> Header? {
        guard bytes.count >= position + 44, bytes[position...].starts(with: "TZif".utf8) else { return nil }
        let version = bytes[position + 4]
        position += 20
        guard let counts = list(6, { $0.integer(bytes: 4) })?.map({ Int($0) }) else { return nil }
        return Header(
            version: version,
            utcCount: counts[0],
            standardCount: counts[1],
            leapCount: counts[2],
            timeCount: counts[3],
            typeCount: counts[4],
            charCount: counts[5]
        )
    }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count - position else { return false }
        position += count
        return true
    }

    mutating func integer(bytes count: Int) -> Int64? {
        guard count <= bytes.count - position else { return nil }
        defer { position += count }
        return Int64(bitPattern: bytes[position..<position + count].reduce(0) { $0 << 8 | UInt64($1) })
    }

    mutating func list(_ count: Int, _ read: (inout BigEndianReader) -> Int64?) -> [Int64]? {
        var items: [Int64] = []
        for _ in 0..<count {
            guard let item = read(&self) else { return nil }
            items.append(item)
        }
        return items
    }

    /// The line after the data.
    mutating func footer() -> String {
        let rest = bytes[position...].drop { $0 == 0x0a }
        return String(decoding: rest.prefix { $0 != 0x0a }, as: UTF8.self)
    }
}
