/// Finds the indentation of the text of a block scalar (`|` or `>`), which libyaml does not report.
///
/// Questions come in the order of the file, so that the file is read once.
struct Indentation {
    private let bytes: [UInt8]
    private var line = 0
    private var at = 0

    init(of bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// How many spaces precede each line of `text` in the file; its indicator is on `line`, counted
    /// from 0.
    mutating func spaces(before text: String, below line: Int) -> Int {
        while self.line <= line, at < bytes.count {
            if bytes[at] == UInt8(ascii: "\n") { self.line += 1 }
            at += 1
        }
        return max(0, Self.leadingSpaces(bytes[at...]) - Self.leadingSpaces(text.utf8))
    }

    /// The spaces before the first character that is neither a space nor the end of a line.
    private static func leadingSpaces(_ text: some Sequence<UInt8>) -> Int {
        var spaces = 0
        for byte in text {
            switch byte {
            case UInt8(ascii: " "): spaces += 1
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): spaces = 0
            default: return spaces
            }
        }
        return spaces
    }
}
