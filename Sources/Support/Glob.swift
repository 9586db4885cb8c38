/// Names with `*` for any run of characters and `?` for one.
package enum Glob {
    /// Whether it is a pattern, and not just a name.
    package static func isGlob(_ pattern: String) -> Bool {
        pattern.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
    }

    /// What every name that matches a pattern begins with.
    package static func prefix(of pattern: String) -> String {
        String(pattern.prefix { $0 != "*" && $0 != "?" })
    }

    /// Whether a name matches a pattern; makes no arrays.
    package static func matches(_ name: String, _ pattern: String) -> Bool {
        var steps = 0
        return matches(name, pattern, &steps)
    }

    /// The same, and counts the comparisons: at most the product of the two lengths, and a few.
    package static func matches(_ name: String, _ pattern: String, _ steps: inout Int) -> Bool {
        var (name, pattern) = (name, pattern)
        return name.withUTF8 { name in
            pattern.withUTF8 { unsafe matches(name.span, $0.span, &steps) }
        }
    }

    private static func matches(
        _ name: Span<UInt8>,
        _ pattern: Span<UInt8>,
        _ steps: inout Int
    ) -> Bool {
        var (i, j) = (0, 0)
        var retry: (name: Int, pattern: Int)?
        while i < name.count {
            steps += 1
            if j < pattern.count, pattern[j] == UInt8(ascii: "*") {
                retry = (i, j)
                j += 1
                if j == pattern.count { return true }
            } else if j < pattern.count, pattern[j] == UInt8(ascii: "?") || pattern[j] == name[i] {
                i += 1
                j += 1
            } else if let back = retry {
                retry = (back.name + 1, back.pattern)
                i = back.name + 1
                j = back.pattern + 1
            } else {
                return false
            }
        }
        while j < pattern.count, pattern[j] == UInt8(ascii: "*") { j += 1 }
        return j == pattern.count
    }

    /// Whether a name may match both patterns.
    package static func meet(_ first: String, _ second: String) -> Bool {
        let (a, b) = (Array(first.utf8), Array(second.utf8))
        let star = UInt8(ascii: "*")
        // Whether what is left of both, from these places on, may be the same.
        var row = [Bool](repeating: false, count: b.count + 1)
        for i in stride(from: a.count, through: 0, by: -1) {
            var next = [Bool](repeating: false, count: b.count + 1)
            for j in stride(from: b.count, through: 0, by: -1) {
                if i == a.count, j == b.count {
                    next[j] = true
                } else if i < a.count, a[i] == star {
                    next[j] = row[j] || (j < b.count && next[j + 1])
                } else if j < b.count, b[j] == star {
                    next[j] = next[j + 1] || (i < a.count && row[j])
                } else if i < a.count, j < b.count {
                    let any = UInt8(ascii: "?")
                    next[j] = row[j + 1] && (a[i] == b[j] || a[i] == any || b[j] == any)
                }
            }
            row = next
        }
        return row[0]
    }
}
