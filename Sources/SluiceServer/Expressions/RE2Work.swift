internal import Support

/// Estimates from a pattern's text how long RE2 may take to compile or refuse it.
///
/// RE2 limits the memory of a program, but not the time to compile it: `a{1000}` some thousand
/// times takes a second, and so do some thousand `\pL`, even if the pattern is refused in the end.
/// So the text is scanned first, once from left to right. Each part costs its measured worst case,
/// in units of 20 ns, and counted repetitions multiply it.
struct RE2Work {
    static func units(of pattern: String) -> Int {
        pattern.withBorrowedBytes { bytes in
            var scan = RE2Work(bytes)
            return scan.run()
        }
    }

    /// The cost of an open group, or of the whole pattern.
    private struct Level {
        /// Everything before the last atom.
        var sum = Amount()
        /// The last atom, which a repetition multiplies.
        var atom = Amount()

        /// All of it.
        var whole: Amount { sum + atom }
    }

    private struct Amount {
        var units = 0
        /// Optional parts, by `?` or `{n,m}`: their cost grows with the square of their number.
        var choices = 0

        static func + (a: Amount, b: Amount) -> Amount {
            Amount(units: (a.units + b.units).clamped, choices: (a.choices + b.choices).clamped)
        }

        static func * (amount: Amount, count: Int) -> Amount {
            Amount(units: (amount.units * count).clamped, choices: (amount.choices * count).clamped)
        }
    }

    private enum Units {
        static let pattern = 300
        static let literal = 30
        static let anyCharacter = 180
        /// `\d` and its like; ``negation`` on top for `\D`.
        static let shorthand = 90
        static let brackets = 60
        static let inBrackets = 10
        /// Beyond ASCII a range falls into many, by the length of the UTF-8.
        static let inBracketsBeyondASCII = 220
        static let negation = 150
        /// A general category such as `\pL`, with some 600 ranges.
        static let category = 50_000
        /// A script such as `\p{Greek}`, with at most a few dozen.
        static let script = 15_000
        /// For each time that something is repeated.
        static let copy = 60
        /// The choices whose square counts one unit.
        static let choicesSquared = 6
        static let group = 250
        /// Regardless of case, everything is there more than once.
        static let folding = 3
    }

    private let bytes: BorrowedBytes
    private var place = 0
    private var levels: [Level] = []
    private var level = Level()
    private var folding = 1
    /// A search for the end of the text runs backwards, by a second program.
    private var directions = 1

    private init(_ bytes: BorrowedBytes) {
        self.bytes = bytes
    }

    private mutating func run() -> Int {
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "("): open()
            case UInt8(ascii: ")"): close()
            case UInt8(ascii: "["): add(brackets())
            case UInt8(ascii: "\\"): escape()
            case UInt8(ascii: "."): add(Units.anyCharacter)
            case UInt8(ascii: "{"): repeatAtom()
            case UInt8(ascii: "*"), UInt8(ascii: "+"): extend(by: Units.literal)
            case UInt8(ascii: "?"): level.atom = level.atom + Amount(units: Units.literal, choices: 1)
            case UInt8(ascii: "$"):
                directions = 2
                add(Units.literal)
            default: literal(byte)
            }
        }
        while !levels.isEmpty { close() }
        let whole = level.whole
        let choices = min(whole.choices, 1 << 20)
        return Units.pattern + (whole.units + choices * choices / Units.choicesSquared).clamped * directions
    }

    // MARK: Parts

    private mutating func add(_ atom: Int) {
        level.sum = level.whole
        level.atom = Amount(units: atom)
    }

    /// More of the last atom.
    private mutating func extend(by units: Int) {
        level.atom = level.atom + Amount(units: units)
    }

    /// A character's further bytes belong to its first.
    private mutating func literal(_ byte: UInt8) {
        let units = Units.literal * folding
        if byte & 0xC0 == 0x80 { extend(by: units) } else { add(units) }
    }

    private mutating func open() {
        levels.append(level)
        level = Level()
        guard take(UInt8(ascii: "?")), peek != UInt8(ascii: "P"), peek != UInt8(ascii: "<") else { return }
        // Flags: from here on `i` counts as given, wherever its group ends.
        while let byte = peek, byte != UInt8(ascii: ":"), byte != UInt8(ascii: ")") {
            if byte == UInt8(ascii: "i") { folding = Units.folding }
            place += 1
        }
        // `(?i)` is not an atom: a repetition after it repeats the atom before it.
        guard take(UInt8(ascii: ")")), let outer = levels.popLast() else { return }
        level = outer
        extend(by: Units.literal)
    }

    private mutating func close() {
        let inner = level.whole
        guard let outer = levels.popLast() else { return }
        level = outer
        add(Units.group)
        level.atom = level.atom + inner
    }

    /// `{n}`, `{n,}` or `{n,m}`; braces around anything else are text.
    private mutating func repeatAtom() {
        let start = place
        if let least = number() {
            let most = take(UInt8(ascii: ",")) ? max(number() ?? least + 1, least) : least
            if take(UInt8(ascii: "}")) {
                extend(by: Units.copy)
                level.atom = level.atom * max(1, most) + Amount(choices: most - least)
                return
            }
        }
        place = start
        add(Units.literal)
    }

    /// RE2 refuses numbers above 1,000 at once.
    private mutating func number() -> Int? {
        var number: Int?
        while let byte = peek, (0x30...0x39).contains(byte) {
            number = min(1_000, (number ?? 0) * 10 + Int(byte - 0x30))
            place += 1
        }
        return number
    }

    private mutating func escape() {
        switch next() {
        case UInt8(ascii: "p"), UInt8(ascii: "P"): add(unicodeClass())
        case UInt8(ascii: "d"), UInt8(ascii: "s"), UInt8(ascii: "w"): add(Units.shorthand * folding)
        case UInt8(ascii: "D"), UInt8(ascii: "S"), UInt8(ascii: "W"):
            add((Units.shorthand + Units.negation) * folding)
        case UInt8(ascii: "x"):
            skipBraces()
            add(2 * Units.literal * folding)
        case UInt8(ascii: "z"):
            directions = 2
            add(Units.literal)
        case UInt8(ascii: "Q"): quotation()
        default: add(Units.literal * folding)
        }
    }

    /// Text up to `\E`, in which nothing has a meaning.
    private mutating func quotation() {
        while let byte = next() {
            if byte == UInt8(ascii: "\\"), take(UInt8(ascii: "E")) { return }
            literal(byte)
        }
    }

    /// `\pL` or `\p{Greek}`, after the `p`.
    private mutating func unicodeClass() -> Int {
        var letters = 1
        if peek == UInt8(ascii: "{") {
            letters = skipBraces()
            if letters > 0, bytes[place - letters - 1] == UInt8(ascii: "^") { letters -= 1 }
        } else {
            place += 1
        }
        return (letters > 2 ? Units.script : Units.category) * (folding == 1 ? 1 : 2)
    }

    /// Bytes between braces, where there are any.
    @discardableResult
    private mutating func skipBraces() -> Int {
        guard take(UInt8(ascii: "{")) else { return 0 }
        let start = place
        while let byte = peek, byte != UInt8(ascii: "}") { place += 1 }
        let count = place - start
        _ = take(UInt8(ascii: "}"))
        return count
    }

    private mutating func brackets() -> Int {
        var sum = Units.brackets
        if take(UInt8(ascii: "^")) { sum += Units.negation }
        var isFirst = true
        while let byte = next() {
            if byte == UInt8(ascii: "]"), !isFirst { break }
            isFirst = false
            sum += Units.inBrackets
            if byte == UInt8(ascii: "[") {
                skipNamedClass()
                sum += Units.negation
            } else if byte >= 0x80 {
                sum += Units.inBracketsBeyondASCII
            } else if byte == UInt8(ascii: "\\"), let escaped = next() {
                switch escaped {
                case UInt8(ascii: "p"), UInt8(ascii: "P"): sum += unicodeClass() / folding
                case UInt8(ascii: "D"), UInt8(ascii: "S"), UInt8(ascii: "W"): sum += Units.negation
                case UInt8(ascii: "x"):
                    skipBraces()
                    sum += Units.inBracketsBeyondASCII
                default: break
                }
            }
        }
        return sum * folding
    }

    /// The rest of `[:alpha:]` or `[:^alpha:]`, after its bracket; anything else there is a bracket
    /// like another.
    private mutating func skipNamedClass() {
        let start = place
        if take(UInt8(ascii: ":")) {
            _ = take(UInt8(ascii: "^"))
            while let byte = peek, (0x61...0x7A).contains(byte) { place += 1 }
            if take(UInt8(ascii: ":")), take(UInt8(ascii: "]")) { return }
        }
        place = start
    }

    // MARK: Bytes

    private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func next() -> UInt8? {
        guard place < bytes.count else { return nil }
        place += 1
        return bytes[place - 1]
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        place += 1
        return true
    }
}

extension Int {
    /// Far above any bound, and far below an overflow.
    private static var most: Int { 1 << 40 }

    fileprivate var clamped: Int { Swift.min(self, Self.most) }
}
