extension String {
    /// Line and column, both from 1, of the character at a byte offset; the column counts
    /// characters.
    func lineAndColumn(atByte offset: Int) -> (line: Int, column: Int) {
        var (line, column) = (1, 1)
        let end = utf8.index(utf8.startIndex, offsetBy: offset, limitedBy: utf8.endIndex) ?? utf8.endIndex
        for scalar in unicodeScalars[..<end] {
            if scalar == "\n" {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
        return (line, column)
    }

    /// A message over the line it speaks of, with a caret below the place.
    ///
    /// Long lines are cut around the place.
    func caretDisplay(message: String, hint: String?, line: Int, column: Int) -> String {
        let lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        var text = "\(line):\(column): \(message)\n"
        if line <= lines.count {
            let window = 100
            let start = Swift.max(0, column - 1 - window / 2)
            let shown = lines[line - 1].dropFirst(start).prefix(window)
            let cleaned = shown.map { $0.value < 0x20 || $0.value == 0x7f ? " " : String($0) }.joined()
            let lead = start > 0 ? "… " : ""
            text += "  \(lead)\(cleaned)\n"
            text += "  " + String(repeating: " ", count: lead.unicodeScalars.count + column - 1 - start) + "^"
        }
        if let hint {
            text += "\n  \(hint)"
        }
        return text
    }
}
