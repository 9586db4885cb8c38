/// The published strings extension.
///
/// Positions count code points.
enum Strings {
    static let functions: [Function] =
        positions + changes + [
            Function("format", [.method(.string, .list(.dyn), gives: .string)]) {
                arguments,
                meter throws(Failure) in
                var format = Format(arguments: try arguments.list(1))
                return .string(try format.text(arguments.string(0), &meter))
            },
            Function("strings.quote", [.global(.string, gives: .string)]) {
                arguments,
                meter throws(Failure) in
                let text = try arguments.string(0)
                try meter.spend(bytes: text.utf8.count * 2)
                return .string(text.asQuoted)
            },
        ]

    private static let positions: [Function] = [
        Function("charAt", [.method(.string, .int, gives: .string)]) { arguments, meter throws(Failure) in
            let text = try read(arguments, &meter)
            let position = try arguments.int(1, meter)
            let character = text.withBytes { bytes -> String? in
                guard let start = bytes.offset(ofCodePoint: position) else { return nil }
                return bytes.text(start..<min(start + bytes.codePointLength(at: start), bytes.count))
            }
            guard let character else { throw .outside }
            return .string(character)
        },
        Function(
            "indexOf",
            [.method(.string, .string, gives: .int), .method(.string, .string, .int, gives: .int)]
        ) { arguments, meter throws(Failure) in
            let (text, part) = try (arguments.string(0), arguments.string(1))
            var from = 0
            if arguments.count > 2 {
                let start = try arguments.int(2, meter)
                try meter.spend(bytes: text.utf8.count)
                guard let offset = text.withBytes({ $0.offset(ofCodePoint: start) }) else { throw .outside }
                from = offset
            }
            let found = try TextSearch.firstOffset(of: part, in: text, from: from, meter: &meter)
            return try position(found, in: text, &meter)
        },
        Function(
            "lastIndexOf",
            [.method(.string, .string, gives: .int), .method(.string, .string, .int, gives: .int)]
        ) { arguments, meter throws(Failure) in
            let text = try read(arguments, &meter)
            let part = try arguments.string(1)
            var end = text.utf8.count
            if arguments.count > 2 {
                let last = try arguments.int(2, meter)
                guard let offset = text.withBytes({ $0.offset(ofCodePoint: last) }) else { throw .outside }
                end = offset
            }
            let found = try TextSearch.lastOffset(of: part, in: text, from: end, meter: &meter)
            return try position(found, in: text, &meter)
        },
        Function(
            "substring",
            [.method(.string, .int, gives: .string), .method(.string, .int, .int, gives: .string)]
        ) { arguments, meter throws(Failure) in
            let text = try read(arguments, &meter)
            let start = try arguments.int(1, meter)
            let end = try arguments.count > 2 ? arguments.int(2, meter) : nil
            let part = text.withBytes { bytes -> String? in
                guard let from = bytes.offset(ofCodePoint: start),
                    let to = end.map({ bytes.offset(ofCodePoint: $0) }) ?? bytes.count, from <= to
                else { return nil }
                return bytes.text(from..<to)
            }
            guard let part else { throw .outside }
            return .string(part)
        },
    ]

    private static let changes: [Function] = [
        Function("lowerAscii", [.method(.string, gives: .string)]) { arguments, meter throws(Failure) in
            try mapped(arguments, &meter) { $0 &- 0x41 < 26 ? $0 + 32 : $0 }
        },
        Function("upperAscii", [.method(.string, gives: .string)]) { arguments, meter throws(Failure) in
            try mapped(arguments, &meter) { $0 &- 0x61 < 26 ? $0 - 32 : $0 }
        },
        Function("trim", [.method(.string, gives: .string)]) { arguments, meter throws(Failure) in
            let text = try read(arguments, &meter)
            return .string(text.withBytes { $0.text($0.trimmed) })
        },
        Function(
            "reverse",
            [.method(.string, gives: .string), .method(.list(.a), gives: .list(.a))]
        ) { arguments, meter throws(Failure) in
            if case .list(let list) = arguments[0] {
                try meter.spend(elements: list.count)
                return .list(ValueList(list.elements.reversed()))
            }
            let text = try read(arguments, &meter)
            try meter.spend(bytes: text.utf8.count)
            return .string(text.withBytes { bytes in .written(bytes.count) { bytes.reverse(into: &$0) } })
        },
        Function(
            "replace",
            [
                .method(.string, .string, .string, gives: .string),
                .method(.string, .string, .string, .int, gives: .string),
            ]
        ) { arguments, meter throws(Failure) in
            let (text, part, other) = try (arguments.string(0), arguments.string(1), arguments.string(2))
            let limit = try arguments.count > 3 ? arguments.int(3, meter) : -1
            let pieces = try pieces(of: text, at: part, limit: limit, insertsAtEnds: true, &meter)
            let length = pieces.reduce(other.utf8.count * (pieces.count - 1)) { $0 + $1.count }
            try meter.spend(bytes: length)
            return .string(
                text.withBytes { bytes in
                    .written(length) { writer in
                        for (position, piece) in pieces.enumerated() {
                            if position > 0 { writer.append(other) }
                            writer.append(bytes.extracting(piece))
                        }
                    }
                }
            )
        },
        Function(
            "split",
            [
                .method(.string, .string, gives: .list(.string)),
                .method(.string, .string, .int, gives: .list(.string)),
            ]
        ) { arguments, meter throws(Failure) in
            let limit = try arguments.count > 2 ? arguments.int(2, meter) : -1
            guard limit != 0 else { return .list(ValueList([])) }
            let text = try arguments.string(0)
            let pieces = try pieces(
                of: text,
                at: arguments.string(1),
                limit: limit < 0 ? -1 : limit - 1,
                insertsAtEnds: false,
                &meter
            )
            try meter.spend(elements: pieces.count)
            return .list(ValueList(text.withBytes { bytes in pieces.map { .string(bytes.text($0)) } }))
        },
        Function(
            "join",
            [.method(.list(.string), gives: .string), .method(.list(.string), .string, gives: .string)]
        ) { arguments, meter throws(Failure) in
            let separator = try arguments.count > 1 ? arguments.string(1) : ""
            let list = try arguments.list(0)
            try meter.spend(2 * list.count)
            var length = separator.utf8.count * max(0, list.count - 1)
            for element in list.elements {
                guard case .string(let piece) = element else {
                    throw .type("'join' needs strings, not \(element.typeName.rawValue)")
                }
                length += piece.utf8.count
            }
            try meter.spend(bytes: length)
            return .string(
                .written(length) { writer in
                    for (position, element) in list.elements.enumerated() {
                        if position > 0 { writer.append(separator) }
                        if case .string(let piece) = element { writer.append(piece) }
                    }
                }
            )
        },
    ]

    // MARK: Pieces

    /// Where the parts between at most `limit` (when it is not negative) occurrences of `separator`
    /// are; an empty separator stands between all code points, and at both ends too where that is
    /// wanted.
    private static func pieces(
        of text: String,
        at separator: String,
        limit: Int,
        insertsAtEnds: Bool,
        _ meter: inout Meter
    ) throws(Failure) -> [Range<Int>] {
        try meter.spend(2 * Price.object)
        try meter.spend(bytes: text.utf8.count)
        if separator.isEmpty {
            // At most one part for each byte.
            let most = limit < 0 ? text.utf8.count : min(limit, text.utf8.count)
            try meter.spend(most)
            return text.withBytes { $0.codePoints(limit: limit, insertsAtEnds: insertsAtEnds) }
        }
        var pieces: [Range<Int>] = []
        var start = 0
        while limit < 0 || pieces.count < limit,
            let found = try TextSearch.firstOffset(of: separator, in: text, from: start, meter: &meter)
        {
            pieces.append(start..<found)
            start = found + separator.utf8.count
        }
        return pieces + [start..<text.utf8.count]
    }

    // MARK: Whole texts

    /// The text, all of which will be read.
    private static func read(_ arguments: Arguments, _ meter: inout Meter) throws(Failure) -> String {
        let text = try arguments.string(0)
        try meter.spend(bytes: text.utf8.count)
        return text
    }

    /// The number of the code point at a byte; -1 for none.
    private static func position(
        _ offset: Int?,
        in text: String,
        _ meter: inout Meter
    ) throws(Failure) -> Value {
        guard let offset else { return .int(-1) }
        try meter.spend(bytes: offset)
        return .int(Int64(text.withBytes { $0.extracting(first: offset).codePointCount }))
    }

    private static func mapped(
        _ arguments: Arguments,
        _ meter: inout Meter,
        _ change: (UInt8) -> UInt8
    ) throws(Failure) -> Value {
        let text = try read(arguments, &meter)
        try meter.spend(bytes: text.utf8.count)
        return .string(
            text.withBytes { bytes in
                .written(bytes.count) { writer in
                    for position in bytes.indices {
                        writer.append(change(bytes[position]))
                    }
                }
            }
        )
    }
}

extension Failure {
    fileprivate static let outside = Failure(code: .index, message: "the position is outside the string")
}

extension Span<UInt8> {
    /// The bytes without the white space at both ends.
    fileprivate var trimmed: Range<Int> {
        var (start, end) = (0, count)
        while start < end, case let length = blankLength(at: start), length > 0 {
            start += length
        }
        while start < end {
            var last = end - 1
            while last > start, self[last] & 0xc0 == 0x80 {
                last -= 1
            }
            guard blankLength(at: last) > 0 else { break }
            end = last
        }
        return start..<end
    }

    /// Writes the code points in the opposite order.
    fileprivate func reverse(into writer: inout ByteWriter) {
        var end = count
        while end > 0 {
            var start = end - 1
            while start > 0, self[start] & 0xc0 == 0x80 {
                start -= 1
            }
            for position in start..<end {
                writer.append(self[position])
            }
            end = start
        }
    }

    /// What an empty separator leaves: code points, at most `limit` of them (when it is not
    /// negative), and the rest.
    fileprivate func codePoints(limit: Int, insertsAtEnds: Bool) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = 0
        if insertsAtEnds, limit != 0 {
            pieces.append(0..<0)
        }
        while start < count, limit < 0 || pieces.count < limit {
            let next = start + codePointLength(at: start)
            if !insertsAtEnds, next == count { break }
            pieces.append(start..<next)
            start = next
        }
        return pieces + [start..<count]
    }
}

extension String {
    /// `strings.quote`: in double quotes, with the escapes of the published extension only.
    fileprivate var asQuoted: String {
        withBytes { bytes in
            let escapes = bytes.indices.count { bytes[$0].escapeLetter != nil }
            return .written(bytes.count + escapes + 2) { writer in
                writer.append(UInt8(ascii: "\""))
                for position in bytes.indices {
                    let byte = bytes[position]
                    if byte.escapeLetter != nil { writer.append(UInt8(ascii: "\\")) }
                    writer.append(byte.escapeLetter ?? byte)
                }
                writer.append(UInt8(ascii: "\""))
            }
        }
    }
}
