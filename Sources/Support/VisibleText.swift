/// Text from outside as a terminal or a log may show it.
///
/// What a terminal acts on, such as ESC, BEL, a line break or a mark of writing direction, is
/// written as in JSON: `\u001b`. So text from outside cannot move the cursor, look like another
/// line, or appear in another order than it has.
public enum VisibleText {
    /// The text as one line.
    public static func line(_ text: String) -> String { escaped(text, keeping: { _, _ in false }) }

    /// The text with its line breaks and tabs: valid JSON stays valid and has the same value.
    public static func lines(_ text: String) -> String {
        escaped(text) { scalar, next in
            scalar == "\n" || scalar == "\t" || scalar == "\r" && next == "\n"
        }
    }

    /// Whether a terminal shows it and does nothing else.
    package static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static func escaped(
        _ text: String,
        keeping isKept: (Unicode.Scalar, Unicode.Scalar?) -> Bool
    ) -> String {
        let scalars = text.unicodeScalars
        guard !scalars.allSatisfy(isShown) else { return text }
        var result = ""
        for place in scalars.indices {
            let scalar = scalars[place]
            let after = scalars.index(after: place)
            if isShown(scalar) || isKept(scalar, after == scalars.endIndex ? nil : scalars[after]) {
                result.unicodeScalars.append(scalar)
            } else {
                for unit in scalar.utf16 { result += "\\u" + String(unit, width: 4, radix: 16) }
            }
        }
        return result
    }
}
