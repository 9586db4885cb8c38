/// Finds out how far the text of a block scalar (`|` or `>`) is indented, which libyaml does not tell.
///
/// Questions come in the order of the file, so that the file is walked through once.
struct Indentation {
    private let bytes: [UInt8]
    private var line = 0
    private var at = 0

    /// The indentation in a file of these bytes.
    init(of bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// How many spaces of the file stand before each line of `text`, whose indicator is on `line`, from 0.
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
