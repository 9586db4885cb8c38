package import Support

/// A pattern of names with placeholders, such as `sensor.{id}.celsius` (F-1).
///
/// The dots divide a name into segments. A segment of a pattern has at most one placeholder,
/// between a fixed beginning and a fixed end, both of which may be empty: so there is one way at
/// most in which a name fits. A placeholder stands for 1 to 64 of `A–Z a–z 0–9 _ -`, never for a
/// dot.
///
/// ```swift
/// let pattern = try NamePattern("sensor.{id}.celsius")
/// print(pattern.values(of: "sensor.hall.celsius") ?? [])  // prints ["hall"]
/// print(pattern.name(of: ["attic"]))  // prints sensor.attic.celsius
/// ```
public struct NamePattern: Sendable {
    /// As it was written.
    public let text: String
    /// The names of the placeholders, in their order, each once.
    public let placeholders: [String]
    let segments: [Segment]

    /// The placeholder that stands for a value in a computed name.
    package static var value: String { "value" }

    /// The longest text that a placeholder stands for, in bytes.
    public static var longestValue: Int { 64 }

    /// What stands between two dots.
    struct Segment: Hashable, Sendable {
        /// The fixed beginning; all of it where there is no placeholder.
        var start: [UInt8] = []
        /// The fixed end.
        var end: [UInt8] = []
        var hasPlaceholder = false
    }

    /// Reads a pattern.
    ///
    /// - Throws: what is wrong with it.
    public init(_ text: String) throws(NamePatternError) {
        var segments = [Segment()]
        var placeholders: [String] = []
        var open: [UInt8]?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "{"):
                guard open == nil else { throw .brace }
                guard !segments[segments.count - 1].hasPlaceholder else { throw .twoInSegment }
                segments[segments.count - 1].hasPlaceholder = true
                open = []
            case UInt8(ascii: "}"):
                guard let name = open else { throw .brace }
                let placeholder = String(decoding: name, as: UTF8.self)
                guard Self.isIdentifier(name) else { throw .placeholder(placeholder) }
                guard !placeholders.contains(placeholder) else { throw .repeated(placeholder) }
                placeholders.append(placeholder)
                open = nil
            case _ where open != nil: open?.append(byte)
            case UInt8(ascii: "."): segments.append(Segment())
            default:
                guard Self.mayStand(byte) else { throw .character }
                if segments[segments.count - 1].hasPlaceholder {
                    segments[segments.count - 1].end.append(byte)
                } else {
                    segments[segments.count - 1].start.append(byte)
                }
            }
        }
        guard open == nil else { throw .brace }
        let isWhole = segments.allSatisfy { $0.hasPlaceholder || !$0.start.isEmpty }
        guard isWhole, segments[0].start.first != UInt8(ascii: "-") else { throw .character }
        guard !placeholders.isEmpty else { throw .none }
        (self.text, self.placeholders, self.segments) = (text, placeholders, segments)
    }

    /// Whether the text is meant as one, and not as a name.
    public static func isPattern(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: "{")) }

    private static func isIdentifier(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, bytes.count <= longestValue else { return false }
        let isLetter = first == UInt8(ascii: "_") || (first | 0x20) >= UInt8(ascii: "a")
        return isLetter && bytes.allSatisfy { mayStand($0) && $0 != UInt8(ascii: "-") }
    }

    /// Whether the byte may stand in a value, and between the dots of a name.
    @inline(__always)
    fileprivate static func mayStand(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    // MARK: - Names

    /// What the placeholders stand for in a name, in their order; nil where the name does not fit.
    public func values(of name: String) -> [String]? {
        name.withBorrowedBytes { name in
            var values: [String] = []
            let fits = visit(name) {
                values.append(String(decoding: $0, as: UTF8.self))
            }
            return fits ? values : nil
        }
    }

    /// Whether the name, given as bytes, fits.
    package func matches(_ name: BorrowedBytes) -> Bool { visit(name) { _ in } }

    /// Goes through the values of a name that may fit.
    @inline(__always)
    private func visit(
        _ name: BorrowedBytes,
        _ value: (Slice<BorrowedBytes>) -> Void
    ) -> Bool {
        var from = 0
        for (number, segment) in segments.enumerated() {
            guard from <= name.count else { return false }
            var to = from
            while to < name.count, name[to] != UInt8(ascii: ".") { to += 1 }
            guard (to == name.count) == (number == segments.count - 1) else { return false }
            guard segment.fits(name, from, to) else { return false }
            if segment.hasPlaceholder {
                value(name[from + segment.start.count..<to - segment.end.count])
            }
            from = to + 1
        }
        return true
    }

    /// The name in which the placeholders stand for these values, which are given in their order.
    public func name(of values: [String]) -> String {
        precondition(
            values.count == placeholders.count,
            "NamePattern: a value for each placeholder is needed"
        )
        var name: [UInt8] = []
        var next = values.makeIterator()
        for (number, segment) in segments.enumerated() {
            if number > 0 { name.append(UInt8(ascii: ".")) }
            name += segment.start
            if segment.hasPlaceholder, let value = next.next() { name += value.utf8 }
            name += segment.end
        }
        return String(decoding: name, as: UTF8.self)
    }

    // MARK: - Other patterns

    /// Whether a name may fit both.
    ///
    /// True also for a pair whose only common names would have longer values than there may be.
    public func overlaps(_ other: NamePattern) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { $0.overlaps($1) }
    }

    /// Whether every name that fits `other` fits this one too.
    public func covers(_ other: NamePattern) -> Bool {
        segments.count == other.segments.count && zip(segments, other.segments).allSatisfy { $0.covers($1) }
    }

    /// The names of which it has the same number of segments and, if that is fixed, the same first
    /// one.
    var shape: Shape {
        guard !segments[0].hasPlaceholder else { return Shape(count: segments.count, first: nil) }
        return segments[0].start.withBorrowedBytes {
            Shape(count: segments.count, first: Shape.sum($0[...]))
        }
    }

    /// What patterns are sorted by, so that only few are compared with a name.
    struct Shape: Hashable {
        let count: Int
        /// Made of the first segment, where that is fixed: few segments have the same.
        let first: UInt64?

        init(count: Int, first: UInt64?) {
            (self.count, self.first) = (count, first)
        }

        init(of name: BorrowedBytes) {
            var count = 1
            var end: Int?
            for place in name.indices where name[place] == UInt8(ascii: ".") {
                count += 1
                if end == nil { end = place }
            }
            self.init(count: count, first: Self.sum(name[..<(end ?? name.count)]))
        }

        /// The same with a placeholder in the first segment.
        var opened: Shape { Shape(count: count, first: nil) }

        /// FNV-1a.
        static func sum(_ bytes: Slice<BorrowedBytes>) -> UInt64 {
            bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        }
    }

    /// A glob that every name that fits matches, and a few more.
    public var glob: String {
        segments.map { segment in
            let end = (segment.hasPlaceholder ? [UInt8(ascii: "*")] : []) + segment.end
            return String(decoding: segment.start + end, as: UTF8.self)
        }.joined(separator: ".")
    }
}

extension NamePattern.Segment {
    /// Whether the bytes from one place to another do.
    fileprivate func fits(_ name: BorrowedBytes, _ from: Int, _ to: Int) -> Bool {
        let value = to - from - start.count - end.count
        guard hasPlaceholder ? value >= 1 && value <= NamePattern.longestValue : value == 0 else {
            return false
        }
        guard Self.stands(start, in: name, at: from),
            Self.stands(end, in: name, at: to - end.count)
        else {
            return false
        }
        return name[from + start.count..<to - end.count].allSatisfy(NamePattern.mayStand)
    }

    private static func stands(_ bytes: [UInt8], in name: BorrowedBytes, at place: Int) -> Bool {
        for index in bytes.indices where bytes[index] != name[place &+ index] { return false }
        return true
    }

    fileprivate func overlaps(_ other: Self) -> Bool {
        switch (hasPlaceholder, other.hasPlaceholder) {
        case (false, false): start == other.start
        case (true, false): other.start.withBorrowedBytes { fits($0, 0, $0.count) }
        case (false, true): other.overlaps(self)
        case (true, true):
            (start.starts(with: other.start) || other.start.starts(with: start))
                && (end.reversed().starts(with: other.end.reversed())
                    || other.end.reversed().starts(with: end.reversed()))
        }
    }

    fileprivate func covers(_ other: Self) -> Bool {
        guard other.hasPlaceholder else { return overlaps(other) }
        return hasPlaceholder && other.start.starts(with: start)
            && other.end.reversed().starts(with: end.reversed())
    }
}

extension NamePattern: Hashable {
    public static func == (a: NamePattern, b: NamePattern) -> Bool { a.text == b.text }

    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// What is wrong with the text of a ``NamePattern``.
public enum NamePatternError: Error, Hashable, Sendable {
    /// A brace without the other one, or one within braces.
    case brace
    /// Something other than letters, digits, `_`, `-` and dots; an empty segment; a `-` at the
    /// beginning.
    case character
    /// This cannot be the name of a placeholder.
    case placeholder(String)
    /// This placeholder is there twice.
    case repeated(String)
    /// One segment has two placeholders.
    case twoInSegment
    /// There is no placeholder.
    case none
}
