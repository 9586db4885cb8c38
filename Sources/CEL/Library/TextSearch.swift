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
        try offset(of: part, in: text, meter: &meter) { part, text, search in
            search.first(part, in: text, from: start)
        }
    }

    /// The byte offset of the last `part` that begins at or before `end`, nil when there is none.
    ///
    /// What is looked at is paid for: from `end` down to where it is found, or to the beginning.
    static func lastOffset(
        of part: String,
        in text: String,
        from end: Int,
        meter: inout Meter
    ) throws(Failure) -> Int? {
        try offset(of: part, in: text, meter: &meter) { part, text, search in
            search.last(part, in: text, from: end)
        }
    }

    private static func offset(
        of part: String,
        in text: String,
        meter: inout Meter,
        _ find: (Span<UInt8>, Span<UInt8>, inout ByteSearch) -> Int?
    ) throws(Failure) -> Int? {
        // One unit more than there is: then what was compared cannot be paid for.
        var search = ByteSearch(limit: min(meter.fuel, Int.max >> 4) * 8 + 8)
        let found = text.withBytes { text in part.withBytes { part in find(part, text, &search) } }
        try meter.spend(4)
        try meter.spend(bytes: search.compared)
        return found
    }
}

/// Looks for bytes among others, and counts what it compares up to a limit, where it stops.
private struct ByteSearch {
    let limit: Int
    var compared = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func first(
        _ part: Span<UInt8>,
        in text: Span<UInt8>,
        from start: Int
    ) -> Int? {
        var position = start
        while position + part.count <= text.count, compared <= limit {
            if stands(part, in: text, at: position) { return position }
            position += 1
        }
        return nil
    }

    mutating func last(
        _ part: Span<UInt8>,
        in text: Span<UInt8>,
        from end: Int
    ) -> Int? {
        var position = min(end, text.count - part.count)
        while position >= 0, compared <= limit {
            if stands(part, in: text, at: position) { return position }
            position -= 1
        }
        return nil
    }

    @inline(__always)
    private mutating func stands(
        _ part: Span<UInt8>,
        in text: Span<UInt8>,
        at position: Int
    ) -> Bool {
        var length = 0
        while length < part.count, text[position + length] == part[length] {
            length += 1
        }
        compared += length + 1
        return length == part.count
    }
}
