internal import ReactiveGraph
internal import Support

/// Whether a glob may match a member of a family.
enum GlobOverlap {
    /// One token of a glob or of a name with placeholders.
    private enum Token {
        case byte(UInt8)
        /// `?`: any one character.
        case any
        /// `*`: any characters, or none.
        case star
        /// A placeholder: one or more characters, and no dots.
        case placeholder
    }

    /// Whether some name matches both the glob and `name`, which may have placeholders.
    static func overlaps(_ glob: String, _ name: String) -> Bool {
        guard NamePattern.isPattern(name) else { return Glob.matches(name, glob) }
        let (a, b) = (tokens(glob), tokens(name))
        // The positions in `b` that the tokens of `a` so far can reach: for a placeholder, before
        // it and within it.
        var seen: Set<Int> = []
        var open = [(0, 0)]
        func visit(_ i: Int, _ j: Int) {
            if seen.insert(i * (2 * b.count + 2) + j).inserted { open.append((i, j)) }
        }
        while let (i, j) = open.popLast() {
            // An odd position is inside a placeholder that has matched at least one character.
            let (token, isWithin) = (j / 2, j % 2 == 1)
            if i == a.count, token == b.count { return true }
            if isWithin { visit(i, 2 * (token + 1)) }
            guard i < a.count else { continue }
            if case .star = a[i] { visit(i + 1, j) }
            guard token < b.count else { continue }
            var isCommon = false
            switch (a[i], b[token]) {
            case (.byte(let x), .byte(let y)): isCommon = x == y
            case (.byte(let x), _): isCommon = x != UInt8(ascii: ".")
            default: isCommon = true
            }
            guard isCommon else { continue }
            var isStar = false
            if case .star = a[i] { isStar = true }
            var isPlaceholder = false
            if case .placeholder = b[token] { isPlaceholder = true }
            visit(isStar ? i : i + 1, isPlaceholder ? 2 * token + 1 : 2 * (token + 1))
        }
        return false
    }

    private static func tokens(_ text: String) -> [Token] {
        var tokens: [Token] = []
        var isWithin = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "{"):
                isWithin = true
                tokens.append(.placeholder)
            case UInt8(ascii: "}"): isWithin = false
            case _ where isWithin: break
            case UInt8(ascii: "*"): tokens.append(.star)
            case UInt8(ascii: "?"): tokens.append(.any)
            default: tokens.append(.byte(byte))
            }
        }
        return tokens
    }
}
