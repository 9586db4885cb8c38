/// Guesses why a line is not YAML: typical missing quotes, and tabs.
enum YAMLHint {
    /// A hint for the problem at a place of the file, counted from 0; nil if there is none.
    static func hint(_ bytes: [UInt8], line: Int, column: Int) -> String? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // A value of several lines is often reported at the line after it.
        guard line < lines.count else { return nil }
        if lines[line].prefix(while: { $0 == 0x20 || $0 == 0x09 }).contains(0x09) {
            return "YAML is indented with spaces; there is a tab here"
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

    private static func hint(_ line: String) -> String? {
        if line.contains(" ? ") {
            return "an expression with '? :' needs quotes: map: \"value > 5 ? 'high' : 'low'\""
        }
        let value = line.firstRange(of: ": ").map { line[$0.upperBound...].drop(while: { $0 == " " }) }
        if let first = value?.first, first == "'" || first == "\"" {
            return
                "an expression that begins with a quote needs quotes around all of it: map: \"'a' + value\""
        }
        return nil
    }
}
