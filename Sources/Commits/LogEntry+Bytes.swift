internal import Support

// The binary form of entries, used by every log: varints (LEB128); texts as length and UTF-8.
//
//     flags (which parts follow), kind, then per flag: definition or time, set, clear, claimed and
//     claimer, by, context, key, reports, path, birth
//
// The graph's name, rev and time are not included: logs store them beside the entry.

extension LogEntry {
    private enum Flag {
        static let set: UInt64 = 1
        static let clear: UInt64 = 2
        static let claimed: UInt64 = 4
        static let by: UInt64 = 8
        static let context: UInt64 = 16
        static let key: UInt64 = 32
        static let reports: UInt64 = 64
        static let path: UInt64 = 128
        static let link: UInt64 = 256
        static let birth: UInt64 = 512
        static let all: UInt64 = 1023
    }

    private enum Mark {
        static let values: UInt8 = 0
        static let define: UInt8 = 1
        static let redefine: UInt8 = 2
        static let remove: UInt8 = 3
        static let tick: UInt8 = 4
        static let drop: UInt8 = 5
        static let expire: UInt8 = 6
    }

    /// Appends the entry without the name of its graph.
    public func append(to bytes: inout [UInt8]) {
        var flags: UInt64 = 0
        if !set.isEmpty { flags |= Flag.set }
        if !clear.isEmpty { flags |= Flag.clear }
        if !claimed.isEmpty { flags |= Flag.claimed }
        if by != nil { flags |= Flag.by }
        if context != nil { flags |= Flag.context }
        if key != nil { flags |= Flag.key }
        if !reports.isEmpty { flags |= Flag.reports }
        if !path.isEmpty { flags |= Flag.path }
        if isOfLink { flags |= Flag.link }
        if birth != 0 { flags |= Flag.birth }
        // The first seven flags take one byte, as they did when there were no others.
        bytes.append(varint: flags)
        append(kind, to: &bytes)
        if !set.isEmpty {
            bytes.append(varint: UInt64(set.count))
            for assignment in set {
                bytes.append(counted: assignment.node.utf8)
                bytes.append(counted: assignment.value)
            }
        }
        for names in [clear, claimed] where !names.isEmpty {
            Self.append(names, to: &bytes)
        }
        if !claimed.isEmpty { bytes.append(counted: claimer.utf8) }
        if let by { bytes.append(counted: by.utf8) }
        if let context { bytes.append(counted: context) }
        if let key {
            bytes.append(counted: key.text.utf8)
            bytes.append(littleEndian: key.digest)
        }
        if !reports.isEmpty {
            bytes.append(varint: UInt64(reports.count))
            for report in reports {
                bytes.append(counted: report.node.utf8)
                report.change.append(to: &bytes)
            }
        }
        if !path.isEmpty { Self.append(path, to: &bytes) }
        if birth != 0 { bytes.append(varint: birth) }
    }

    private static func append(_ names: [String], to bytes: inout [UInt8]) {
        bytes.append(varint: UInt64(names.count))
        for name in names { bytes.append(counted: name.utf8) }
    }

    private func append(_ kind: Kind, to bytes: inout [UInt8]) {
        switch kind {
        case .values: bytes.append(Mark.values)
        case .define(let text, let origin):
            bytes += [Mark.define, origin.rawValue]
            bytes.append(counted: text.utf8)
        case .redefine(let text, let origin):
            bytes += [Mark.redefine, origin.rawValue]
            bytes.append(counted: text.utf8)
        case .remove: bytes.append(Mark.remove)
        case .tick(let now):
            bytes.append(Mark.tick)
            bytes.append(varint: now)
        case .drop: bytes.append(Mark.drop)
        case .expire: bytes.append(Mark.expire)
        }
    }

    /// Reads the form that ``append(to:)`` writes.
    ///
    /// - Throws: ``LogBytesError`` if the bytes end too early or are not an entry.
    public init(graph: String, from reader: inout LogBytesReader) throws(LogBytesError) {
        let flags = try reader.varint()
        guard flags <= Flag.all else { throw LogBytesError() }
        self.init(graph: graph, kind: try Self.kind(from: &reader))
        if flags & Flag.set != 0 {
            // No room in advance: the number may be a lie.
            for _ in 0..<(try reader.count()) {
                set.append(Assignment(try reader.text(), try reader.counted()))
            }
        }
        if flags & Flag.clear != 0 { clear = try Self.names(from: &reader) }
        if flags & Flag.claimed != 0 {
            claimed = try Self.names(from: &reader)
            claimer = try reader.text()
        }
        if flags & Flag.by != 0 { by = try reader.text() }
        if flags & Flag.context != 0 { context = try reader.counted() }
        if flags & Flag.key != 0 {
            let text = try reader.text()
            var digest: UInt128 = 0
            for place in 0..<16 { digest |= UInt128(try reader.byte()) << (8 * place) }
            key = Key(text, digest: digest)
        }
        if flags & Flag.reports != 0 {
            for _ in 0..<(try reader.count()) {
                reports.append(Report(try reader.text(), try FacetChange(from: &reader)))
            }
        }
        if flags & Flag.path != 0 { path = try Self.names(from: &reader) }
        isOfLink = flags & Flag.link != 0
        if flags & Flag.birth != 0 { birth = try reader.varint() }
    }

    private static func kind(from reader: inout LogBytesReader) throws(LogBytesError) -> Kind {
        switch try reader.byte() {
        case Mark.values: return .values
        case Mark.define:
            let origin = try origin(from: &reader)
            return .define(text: try reader.text(), origin)
        case Mark.redefine:
            let origin = try origin(from: &reader)
            return .redefine(text: try reader.text(), origin)
        case Mark.remove: return .remove
        case Mark.tick: return .tick(now: try reader.time())
        case Mark.drop: return .drop
        case Mark.expire: return .expire
        default: throw LogBytesError()
        }
    }

    private static func origin(
        from reader: inout LogBytesReader
    ) throws(LogBytesError) -> DefinitionOrigin {
        guard let origin = DefinitionOrigin(rawValue: try reader.byte()) else { throw LogBytesError() }
        return origin
    }

    private static func names(from reader: inout LogBytesReader) throws(LogBytesError) -> [String] {
        var names: [String] = []
        for _ in 0..<(try reader.count()) { names.append(try reader.text()) }
        return names
    }
}

extension [UInt8] {
    /// Appends a number in one to ten bytes.
    public mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    public mutating func append(counted bytes: some Collection<UInt8>) {
        append(varint: UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}
