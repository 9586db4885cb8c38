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
                try meter.spend(bytes: text.utf8.count * 4)
                return .string(text.asQuoted)
            },
        ]

    private static let positions: [Function] = [
        Function("charAt", [.method(.string, .int, gives: .string)]) { arguments, meter throws(Failure) in
            let scalars = try scalars(arguments, &meter)
            let position = try arguments.int(1, meter)
            guard (0...scalars.count).contains(position) else { throw .outside }
            return .string(text(scalars[position..<min(position + 1, scalars.count)]))
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
                guard (0...text.codePointCount).contains(start) else { throw .outside }
                from = text.byteOffset(ofCodePoint: start)
            }
            guard let found = try TextSearch.firstOffset(of: part, in: text, from: from, meter: &meter) else {
                return .int(-1)
            }
            return .int(Int64(text.codePoint(atByte: found)))
        },
        Function(
            "lastIndexOf",
            [.method(.string, .string, gives: .int), .method(.string, .string, .int, gives: .int)]
        ) { arguments, meter throws(Failure) in
            let scalars = try scalars(arguments, &meter)
            try meter.spend(bytes: arguments.string(1).utf8.count)
            let part = try Array(arguments.string(1).unicodeScalars)
            let end = try arguments.count > 2 ? arguments.int(2, meter) : scalars.count
            guard (0...scalars.count).contains(end) else { throw .outside }
            var position = min(end, scalars.count - part.count)
            while position >= 0 {
                if scalars[position..<position + part.count].elementsEqual(part) {
                    return .int(Int64(position))
                }
                try meter.spend(bytes: part.count)
                position -= 1
            }
            return .int(-1)
        },
        Function(
            "substring",
            [.method(.string, .int, gives: .string), .method(.string, .int, .int, gives: .string)]
        ) { arguments, meter throws(Failure) in
            let scalars = try scalars(arguments, &meter)
            let start = try arguments.int(1, meter)
            let end = try arguments.count > 2 ? arguments.int(2, meter) : scalars.count
            guard 0 <= start, start <= end, end <= scalars.count else { throw .outside }
            return .string(text(scalars[start..<end]))
        },
    ]

    private static let changes: [Function] = [
        Function("lowerAscii", [.method(.string, gives: .string)]) { arguments, meter throws(Failure) in
            try mapped(arguments, &meter) {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0
            }
        },
        Function("upperAscii", [.method(.string, gives: .string)]) { arguments, meter throws(Failure) in
            try mapped(arguments, &meter) {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 32 : $0
            }
        },
        Function("trim", [.method(.string, gives: .string)]) { arguments, meter throws(Failure) in
            var scalars = try scalars(arguments, &meter)[...]
            while scalars.first?.properties.isWhitespace == true {
                scalars.removeFirst()
            }
            while scalars.last?.properties.isWhitespace == true {
                scalars.removeLast()
            }
            return .string(text(scalars))
        },
        Function(
            "reverse",
            [.method(.string, gives: .string), .method(.list(.a), gives: .list(.a))]
        ) { arguments, meter throws(Failure) in
            if case .list(let list) = arguments[0] {
                try meter.spend(list.count)
                return .list(ValueList(list.reversed()))
            }
            return .string(text(try scalars(arguments, &meter).reversed()[...]))
        },
        Function(
            "replace",
            [
                .method(.string, .string, .string, gives: .string),
                .method(.string, .string, .string, .int, gives: .string),
            ]
        ) { arguments, meter throws(Failure) in
            let (part, other) = try (arguments.string(1), arguments.string(2))
            let limit = try arguments.count > 3 ? arguments.int(3, meter) : -1
            let pieces = try pieces(
                of: arguments.string(0),
                at: part,
                limit: limit,
                insertsAtEnds: true,
                &meter
            )
            return .string(try joined(pieces, by: other, &meter))
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
            let pieces = try pieces(
                of: arguments.string(0),
                at: arguments.string(1),
                limit: limit < 0 ? -1 : limit - 1,
                insertsAtEnds: false,
                &meter
            )
            return .list(ValueList(pieces.map { .string(String($0)) }))
        },
        Function(
            "join",
            [.method(.list(.string), gives: .string), .method(.list(.string), .string, gives: .string)]
        ) { arguments, meter throws(Failure) in
            let separator = try arguments.count > 1 ? arguments.string(1) : ""
            let list = try arguments.list(0)
            try meter.spend(list.count)
            var pieces: [Substring] = []
            for element in list {
                guard case .string(let piece) = element else {
                    throw .type("'join' needs strings, not \(element.typeName.rawValue)")
                }
                pieces.append(piece[...])
            }
            return .string(try joined(pieces, by: separator, &meter))
        },
    ]

    // MARK: Pieces

    /// The parts between at most `limit` (when it is not negative) occurrences of `separator`; an empty separator
    /// stands between all code points, and at both ends too where that is wanted.
    private static func pieces(
        of text: String,
        at separator: String,
        limit: Int,
        insertsAtEnds: Bool,
        _ meter: inout Meter
    ) throws(Failure) -> [Substring] {
        var pieces: [Substring] = []
        try meter.spend(bytes: text.utf8.count)
        if separator.isEmpty {
            return try codePoints(of: text, limit: limit, insertsAtEnds: insertsAtEnds, &meter)
        }
        var start = text.utf8.startIndex
        var offset = 0
        while limit < 0 || pieces.count < limit,
            let found = try TextSearch.firstOffset(of: separator, in: text, from: offset, meter: &meter)
        {
            try meter.spend(1)
            let end = text.utf8.index(start, offsetBy: found - offset)
            pieces.append(text[start..<end])
            start = text.utf8.index(end, offsetBy: separator.utf8.count)
            offset = found + separator.utf8.count
        }
        return pieces + [text[start...]]
    }

    private static func codePoints(
        of text: String,
        limit: Int,
        insertsAtEnds: Bool,
        _ meter: inout Meter
    ) throws(Failure) -> [Substring] {
        var pieces: [Substring] = []
        var start = text.startIndex
        let scalars = text.unicodeScalars
        if insertsAtEnds, limit != 0 {
            pieces.append(text[start..<start])
        }
        while start < text.endIndex, limit < 0 || pieces.count < limit {
            try meter.spend(1)
            let next = scalars.index(after: start)
            if !insertsAtEnds, next == text.endIndex { break }
            pieces.append(text[start..<next])
            start = next
        }
        return pieces + [text[start...]]
    }

    /// The pieces themselves are paid for by who made them.
    private static func joined(
        _ pieces: [Substring],
        by separator: String,
        _ meter: inout Meter
    ) throws(Failure) -> String {
        var length = 0
        for piece in pieces {
            length += piece.utf8.count + separator.utf8.count
        }
        try meter.spend(bytes: length)
        return pieces.joined(separator: separator)
    }

    // MARK: Code points

    private static func scalars(
        _ arguments: Arguments,
        _ meter: inout Meter
    ) throws(Failure) -> [Unicode.Scalar] {
        let text = try arguments.string(0)
        try meter.spend(bytes: text.utf8.count)
        return Array(text.unicodeScalars)
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func mapped(
        _ arguments: Arguments,
        _ meter: inout Meter,
        _ change: (UInt8) -> UInt8
    ) throws(Failure) -> Value {
        let text = try arguments.string(0)
        try meter.spend(bytes: text.utf8.count)
        return .string(String(decoding: text.utf8.map(change), as: UTF8.self))
    }
}

extension Failure {
    fileprivate static let outside = Failure(code: .index, message: "the position is outside the string")
}

extension String {
    fileprivate func byteOffset(ofCodePoint position: Int) -> Int {
        let index = unicodeScalars.index(startIndex, offsetBy: position)
        return utf8.distance(from: startIndex, to: index)
    }

    fileprivate func codePoint(atByte offset: Int) -> Int {
        var count = 0
        for byte in utf8.prefix(offset) where byte & 0xc0 != 0x80 {
            count += 1
        }
        return count
    }

    /// `strings.quote`: in double quotes, with the escapes of the published extension only.
    fileprivate var asQuoted: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            if let escape = scalar.namedEscape {
                quoted += escape
            } else {
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
