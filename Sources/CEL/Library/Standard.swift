/// The standard library but for conversions and times: sizes, searching, types.
enum Standard {
    static let functions: [Function] = [
        Function(
            "size",
            [.string, .bytes, .list(.a), .map(.a, .b)].flatMap { (pattern: TypePattern) in
                [.global(pattern, gives: .int), .method(pattern, gives: .int)]
            }
        ) { arguments, meter throws(Failure) in
            switch arguments[0] {
            case .string(let text):
                try meter.spend(bytes: text.utf8.count)
                return .int(Int64(text.codePointCount))
            case .bytes(let bytes): return .int(Int64(bytes.count))
            case .list(let list): return .int(Int64(list.count))
            case .map(let map): return .int(Int64(map.count))
            default: throw arguments.mismatch
            }
        },
        Function("contains", [.method(.string, .string, gives: .bool)]) { arguments, meter throws(Failure) in
            let (text, part) = try (arguments.string(0), arguments.string(1))
            return .bool(try TextSearch.firstOffset(of: part, in: text, meter: &meter) != nil)
        },
        Function("startsWith", [.method(.string, .string, gives: .bool)]) {
            arguments,
            meter throws(Failure) in
            let (text, part) = try (arguments.string(0), arguments.string(1))
            try meter.spend(bytes: part.utf8.count)
            return .bool(text.utf8.starts(with: part.utf8))
        },
        Function("endsWith", [.method(.string, .string, gives: .bool)]) { arguments, meter throws(Failure) in
            let (text, part) = try (arguments.string(0), arguments.string(1))
            try meter.spend(bytes: part.utf8.count)
            return .bool(text.utf8.suffix(part.utf8.count).elementsEqual(part.utf8))
        },
        Function(
            "matches",
            [.method(.string, .string, gives: .bool), .global(.string, .string, gives: .bool)]
        ) { arguments, meter throws(Failure) in
            let (text, pattern) = try (arguments.string(0), arguments.string(1))
            return .bool(try meter.matcher(for: pattern).search(text, &meter))
        },
        Function("type", [.global(.a, gives: .type)]) { arguments, _ throws(Failure) in
            .type(arguments[0].typeName)
        },
        Function("dyn", [.global(.a, gives: .dyn)]) { arguments, _ throws(Failure) in
            arguments[0]
        },
    ]
}

/// Searching in strings, byte by byte: UTF-8 makes that the same as code point by code point.
enum TextSearch {
    /// The byte offset of the first `part` at or after `start`, nil when there is none.
    ///
    /// What is looked at is paid for: from `start` to where it is found, or to the end.
    static func firstOffset(
        of part: String,
        in text: String,
        from start: Int = 0,
        meter: inout Meter
    ) throws(Failure) -> Int? {
        var (text, part) = (text, part)
        var compared = 0
        // One unit more than there is: then what was compared cannot be paid for.
        let limit = min(meter.fuel, Int.max >> 4) * 8 + 8
        let found = text.withUTF8 { text in
            part.withUTF8 { part in
                search(part, text, from: start, compared: &compared, limit: limit)
            }
        }
        try meter.spend(bytes: compared)
        return found
    }

    private static func search(
        _ part: UnsafeBufferPointer<UInt8>,
        _ text: UnsafeBufferPointer<UInt8>,
        from start: Int,
        compared: inout Int,
        limit: Int
    ) -> Int? {
        guard let first = part.first else { return start <= text.count ? start : nil }
        var position = start
        while position + part.count <= text.count, compared <= limit {
            compared += 1
            if text[position] == first {
                var length = 1
                while length < part.count, text[position + length] == part[length] {
                    length += 1
                }
                compared += length - 1
                if length == part.count { return position }
            }
            position += 1
        }
        return nil
    }
}
