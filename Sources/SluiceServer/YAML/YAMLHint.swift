internal import Support

/// Guesses why a line is not YAML: typical missing quotes, and tabs.
enum YAMLHint {
    /// A hint for the problem at a place of the file, counted from 0; nil if there is none.
    static func hint(_ bytes: [UInt8], line: Int, column: Int) -> String? {
        // A value of several lines is often reported at the line after it, or after the last one.
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) + [[]]
        guard line < lines.count else { return nil }
        if lines[line].prefix(while: { $0 == 0x20 || $0 == 0x09 }).contains(0x09) {
            return "YAML is indented with spaces; there is a tab here"
        }
        if let text = starText(lines[line], before: column) {
            return "a text that begins with '*' needs quotes: \"\(text)\""
        }
        if let byte = lines[line].dropFirst(column).first {
            switch byte {
            case 0x09: return "YAML is indented with spaces; there is a tab here"
            case UInt8(ascii: "%"), UInt8(ascii: "@"), UInt8(ascii: "`"):
                let text = String(decoding: [byte], as: UTF8.self)
                return "a text that begins with '\(text)' needs quotes: \"\(text)\""
            default: break
            }
        }
        for number in [line, line - 1] where number >= 0 {
            if let hint = hint(String(decoding: lines[number].prefix(1000), as: UTF8.self)) { return hint }
        }
        return nil
    }

    /// A value that begins with `*`, such as a glob or a schedule: YAML takes it for an alias, and
    /// stops after its name.
    private static func starText(_ line: ArraySlice<UInt8>, before column: Int) -> String? {
        let read = line.prefix(column)
        guard let star = read.lastIndex(of: UInt8(ascii: "*")),
            read[(star + 1)...].allSatisfy({ ASCII.isWord($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        let text = String(decoding: line[star...].prefix(100), as: UTF8.self).prefix { !",]}#".contains($0) }
        return String(text.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// A key and a value with no space between, which YAML takes for one word.
    private static func unspaced(_ line: String) -> String? {
        let start = line.drop { " -{".contains($0) }
        let word = start.prefix { $0.isLetter || $0 == "_" }
        let rest = start.dropFirst(word.count)
        guard !word.isEmpty, rest.first == ":", let next = rest.dropFirst().first, !" /".contains(next) else {
            return nil
        }
        return "a space is needed after ':', as in \(word): \(rest.dropFirst())"
    }

    private static func hint(_ line: String) -> String? {
        if line.contains(" ? ") {
            return "an expression with '? :' needs quotes: map: \"value > 5 ? 'high' : 'low'\""
        }
        if let hint = unspaced(line) { return hint }
        let value = line.firstRange(of: ": ").map { line[$0.upperBound...].drop(while: { $0 == " " }) }
        if let first = value?.first, first == "'" || first == "\"" {
            return
                "an expression that begins with a quote needs quotes around all of it: map: \"'a' + value\""
        }
        return nil
    }
}
