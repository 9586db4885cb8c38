internal import Support

/// Finds where values begin and end in validated text.
struct JSONSkim {
    private let bytes: BorrowedBytes
    private(set) var at: Int

    init(_ bytes: BorrowedBytes, from start: Int) {
        self.bytes = bytes
        at = start
    }

    /// The bytes of the next value; skips white space, commas and colons before it.
    ///
    /// Nil at a closing bracket.
    mutating func value() -> BorrowedBytes? {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x0a, 0x0d, 0x09, UInt8(ascii: ","), UInt8(ascii: ":"):
                at += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                return nil
            default:
                let start = at
                pass()
                return bytes.part(start..<at)
            }
        }
        return nil
    }

    /// The next byte other than white space, comma or colon; it is not consumed.
    mutating func first() -> UInt8? {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x0a, 0x0d, 0x09, UInt8(ascii: ","), UInt8(ascii: ":"): at += 1
            case let byte: return byte
            }
        }
        return nil
    }

    /// Consumes one byte: a bracket.
    mutating func enter() {
        at += 1
    }

    /// The inside of the string that comes next; nil if something else comes next.
    ///
    /// A closing bracket is consumed.
    mutating func text() -> BorrowedBytes? {
        guard let first = first() else { return nil }
        guard first == UInt8(ascii: "\"") else {
            at += first == UInt8(ascii: "}") ? 1 : 0
            return nil
        }
        let start = at + 1
        passString()
        return bytes.part(start..<max(start, at - 1))
    }

    private mutating func pass() {
        switch bytes[at] {
        case UInt8(ascii: "\""):
            passString()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            var depth = 0
            repeat {
                switch bytes[at] {
                case UInt8(ascii: "\""):
                    passString()
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                default:
                    break
                }
                at += 1
            } while depth > 0 && at < bytes.count
        default:
            scalar: while at < bytes.count {
                switch bytes[at] {
                case 0...0x20, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"):
                    break scalar
                default: at += 1
                }
            }
        }
    }

    private mutating func passString() {
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
            at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        at = min(at + 1, bytes.count)
    }
}
