internal import Support

/// What compiling a regular expression takes, in units, known before it is done: RE2's program for `(a{10}){10}` is a hundred
/// times as large as the one for `a`, and a class such as `\pL` alone is made of some 600 ranges.
///
/// Reads the pattern as RE2 does as far as groups, classes and repetitions go; a pattern that is wrong costs no more than
/// it would if it were right.
struct PatternCost {
    private enum Price {
        /// For the pattern as a whole, and its first search.
        static let pattern = 400
        static let byte = 12
        /// A class of a few characters, or of all but a few.
        static let set = 80
        /// A class that Unicode defines.
        static let category = 40_000
        /// A range of characters beyond ASCII, without regard to case.
        static let foldedRange = 15_000
    }

    private var rest: ArraySlice<UInt8>
    private let ignoresCase: Bool
    /// The sums of the groups that are open, the outermost first.
    private var sums = [0]
    /// What a repetition would repeat.
    private var last = 0

    static func units(for pattern: String) -> Int {
        let bytes = Array(pattern.utf8)
        var cost = PatternCost(rest: bytes[...], ignoresCase: hasFlag("i", bytes))
        while !cost.rest.isEmpty {
            cost.readItem()
        }
        return cost.sums.reduce(Price.pattern) { $0.addingWithoutOverflow($1) }
    }

    /// Whether the letter may be a flag: it stands behind a `(?`.
    private static func hasFlag(_ letter: Unicode.Scalar, _ bytes: [UInt8]) -> Bool {
        zip(bytes, bytes.dropFirst()).contains { $0 == (UInt8(ascii: "("), UInt8(ascii: "?")) }
            && bytes.contains(UInt8(ascii: letter))
    }

    private mutating func readItem() {
        switch UnicodeScalar(rest.removeFirst()) {
        case "(":
            sums.append(Price.byte)
        case ")":
            add(sums.count > 1 ? sums.removeLast() : 0)
        case "[":
            add(readClass())
        case ".":
            add(Price.set)
        case "\\":
            add(readEscape())
        case "{":
            if let count = readCount() {
                // What is repeated is there already once.
                add(last.multiplyingWithoutOverflow(by: max(0, count - 1)))
            } else {
                add(Price.byte)
            }
        case "*", "+", "?":
            // These repeat what they follow, which still is the last item.
            sums[sums.count - 1] = sums[sums.count - 1].addingWithoutOverflow(Price.byte)
        default:
            add(Price.byte)
        }
    }

    private mutating func add(_ units: Int) {
        last = units
        sums[sums.count - 1] = sums[sums.count - 1].addingWithoutOverflow(units)
    }

    /// Behind a backslash.
    private mutating func readEscape() -> Int {
        guard let letter = rest.popFirst() else { return 0 }
        switch UnicodeScalar(letter) {
        case "p", "P":
            return Price.category
        case "x":
            if rest.first == UInt8(ascii: "{") {
                rest = rest.drop { $0 != UInt8(ascii: "}") }.dropFirst()
            }
            return 2 * Price.byte
        case "Q":
            // Letters as they are, up to `\E`.
            var count = 0
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "E") {
                    rest.removeFirst()
                    break
                }
                count += 1
            }
            return count * Price.byte
        case "d", "D", "s", "S", "w", "W", "C":
            return Price.set
        default:
            return Price.byte
        }
    }

    /// Behind an opening bracket.
    private mutating func readClass() -> Int {
        var units = Price.set
        _ = rest.first == UInt8(ascii: "^") ? rest.popFirst() : nil
        var isFirst = true
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "]"), !isFirst { break }
            isFirst = false
            var isWide = byte >= 0x80
            units = units.addingWithoutOverflow(2 * Price.byte)
            if byte == UInt8(ascii: "\\") {
                isWide = rest.first == UInt8(ascii: "x")
                units = units.addingWithoutOverflow(readEscape())
            } else if byte == UInt8(ascii: "["), rest.first == UInt8(ascii: ":") {
                units = units.addingWithoutOverflow(readNamedClass())
            }
            if isWide {
                units = units.addingWithoutOverflow(ignoresCase ? Price.foldedRange : Price.set)
            }
        }
        return units
    }

    /// `[:alpha:]`; where it does not end, the bracket stands for itself.
    private mutating func readNamedClass() -> Int {
        guard
            let end = zip(rest.indices, rest.indices.dropFirst()).first(where: {
                rest[$0] == UInt8(ascii: ":") && rest[$1] == UInt8(ascii: "]") && $0 > rest.startIndex
            })
        else { return 0 }
        rest = rest[(end.1 + 1)...]
        return Price.set
    }

    /// The larger number of `{2}`, `{2,}` or `{2,5}`; nil, with nothing read, for anything else.
    private mutating func readCount() -> Int? {
        var ahead = rest
        func number() -> Int? {
            let digits = ahead.prefix(while: ASCII.isDigit)
            ahead = ahead.dropFirst(digits.count)
            return digits.isEmpty ? nil : Int(String(decoding: digits.prefix(9), as: UTF8.self))
        }
        guard var count = number() else { return nil }
        if ahead.first == UInt8(ascii: ",") {
            ahead.removeFirst()
            count = max(count + 1, number() ?? 0)
        }
        guard ahead.popFirst() == UInt8(ascii: "}") else { return nil }
        rest = ahead
        return count
    }
}

extension Int {
    fileprivate func addingWithoutOverflow(_ other: Int) -> Int {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }

    fileprivate func multiplyingWithoutOverflow(by other: Int) -> Int {
        let (product, isTooMuch) = multipliedReportingOverflow(by: other)
        return isTooMuch ? .max : product
    }
}
