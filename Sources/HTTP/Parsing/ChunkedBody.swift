internal import Support

/// Reads the framing of a body in chunks: sizes, extensions, the trailer section (RFC 9112 §7.1).
///
/// Extensions and trailer fields are checked and discarded. llhttp sees none of this. Its version 8
/// takes what follows the value of an extension for more digits of the size, and treats trailer
/// fields like those of the head, so that a `Connection` or `Upgrade` among them would change how
/// the next request is read.
struct ChunkedBody: ~Copyable {
    enum Step {
        case more
        /// The next bytes of the input are that many of the body; ``take(_:)`` says how many were
        /// there.
        case data(Int)
        case done
        case failed(ErrorCode, StaticString)
    }

    private enum Place {
        case size, sizeEnd
        case extensionName, extensionValue, token, quoted, escaped, afterQuoted
        case data, dataEnd, dataLineFeed
        case line, fieldName, fieldValue, fieldEnd, end
    }

    private var place = Place.size
    /// The size of the chunk at hand, as far as it is read; later what is left of the chunk.
    private var size: UInt64 = 0
    /// How many digits of it there were, without zeros in front.
    private var digits = 0
    /// How many bytes of extensions and trailer there may still be.
    private var room = 0
    private var fields = 0
    /// The token at hand, as much of it as tells fields that are refused.
    private var name = ByteBuffer()

    /// Starts over, for a message whose extensions and trailer may have `room` bytes.
    mutating func begin(room: Int) {
        self.room = room
        place = .size
        size = 0
        digits = 0
        fields = 0
    }

    /// Takes framing from the front of `input`, up to data of the body or the end.
    ///
    /// - Parameters:
    ///   - input: shortened by what was used.
    ///   - bodyRoom: how many bytes the body may still have.
    ///   - maximumFields: how many fields the trailer section may have.
    /// - Returns: what stopped it.
    mutating func advance(
        _ input: inout BorrowedBytes,
        bodyRoom: Int,
        maximumFields: Int
    ) -> Step {
        while let byte = input.first {
            if place == .data { return .data(Int(clamping: size)) }
            input = BorrowedBytes(rebasing: input.dropFirst())
            if place == .size, digits < 16 || size == 0, let digit = ASCII.hexadecimal(byte) {
                digits = size == 0 ? 1 : digits &+ 1
                size = size << 4 | UInt64(digit)
                continue
            }
            switch (place, byte) {
            case (.size, ASCII.carriageReturn) where digits > 0:
                place = .sizeEnd
            case (.size, UInt8(ascii: ";")) where digits > 0:
                beginName(.extensionName)
            case (.sizeEnd, ASCII.lineFeed):
                guard size <= UInt64(bodyRoom) else { return .failed(.tooLarge, "the body is too large") }
                place = size == 0 ? .line : .data
                digits = 0
            case (.dataEnd, ASCII.carriageReturn):
                place = .dataLineFeed
            case (.dataLineFeed, ASCII.lineFeed):
                place = .size
            case (.end, ASCII.lineFeed):
                return .done
            case (.extensionName, _), (.extensionValue, _), (.token, _), (.quoted, _), (.escaped, _),
                (.afterQuoted, _):
                guard spend() else { return .failed(.badRequest, "the chunk extensions are too long") }
                guard takeExtension(byte) else { return .failed(.badRequest, "malformed chunk extension") }
            case (.line, _), (.fieldName, _), (.fieldValue, _), (.fieldEnd, _):
                guard spend() else { return .failed(.headersTooLarge, "the trailer section is too large") }
                guard takeTrailer(byte) else { return .failed(.badRequest, "malformed trailer section") }
                guard fields <= maximumFields else {
                    return .failed(.headersTooLarge, "too many trailer fields")
                }
            default:
                return .failed(.badRequest, "malformed chunk")
            }
        }
        return .more
    }

    /// Counts data of the chunk at hand as read.
    mutating func take(_ count: Int) {
        size &-= UInt64(count)
        if size == 0 { place = .dataEnd }
    }

    private mutating func spend() -> Bool {
        room &-= 1
        return room >= 0
    }

    private mutating func beginName(_ next: Place) {
        name.removeAll(keepingAtMost: 64)
        place = next
    }

    private mutating func addToName(_ byte: UInt8) {
        if name.count < 32 { name.append(byte) }
    }

    /// One byte after the semicolon of an extension.
    /// - Returns: false where the grammar has no such byte.
    private mutating func takeExtension(_ byte: UInt8) -> Bool {
        switch (place, byte) {
        case (.escaped, _) where Self.isText(byte):
            place = .quoted
        case (.quoted, ASCII.quote):
            place = .afterQuoted
        case (.quoted, UInt8(ascii: "\\")):
            place = .escaped
        case (.quoted, _) where Self.isText(byte):
            break
        case (.extensionName, _) where ASCII.isToken(byte):
            addToName(byte)
        case (.extensionName, UInt8(ascii: "=")) where !name.isEmpty:
            place = .extensionValue
        case (.extensionValue, ASCII.quote):
            place = .quoted
        case (.extensionValue, _) where ASCII.isToken(byte), (.token, _) where ASCII.isToken(byte):
            place = .token
        case (.extensionName, UInt8(ascii: ";")) where !name.isEmpty, (.token, UInt8(ascii: ";")),
            (.afterQuoted, UInt8(ascii: ";")):
            beginName(.extensionName)
        case (.extensionName, ASCII.carriageReturn) where !name.isEmpty, (.token, ASCII.carriageReturn),
            (.afterQuoted, ASCII.carriageReturn):
            place = .sizeEnd
        default:
            return false
        }
        return true
    }

    /// One byte of the trailer section.
    /// - Returns: false where the grammar has no such byte, or the field says how a message is
    ///   framed or routed.
    private mutating func takeTrailer(_ byte: UInt8) -> Bool {
        switch (place, byte) {
        case (.line, ASCII.carriageReturn):
            place = .end
        case (.line, _) where ASCII.isToken(byte):
            fields &+= 1
            beginName(.fieldName)
            addToName(byte)
        case (.fieldName, _) where ASCII.isToken(byte):
            addToName(byte)
        case (.fieldName, UInt8(ascii: ":")) where !isFraming:
            place = .fieldValue
        case (.fieldValue, ASCII.carriageReturn):
            place = .fieldEnd
        case (.fieldValue, _) where Self.isText(byte):
            break
        case (.fieldEnd, ASCII.lineFeed):
            place = .line
        default:
            return false
        }
        return true
    }

    /// Whether the byte may stand in a field's value or a quoted string: no control character but
    /// the tab.
    private static func isText(_ byte: UInt8) -> Bool {
        byte == ASCII.tab || byte >= ASCII.space && byte != 0x7F
    }

    /// Whether the field is one that must not stand in a trailer section (RFC 9110 §6.5.1) and that
    /// another recipient of the same bytes may act on.
    private var isFraming: Bool {
        guard let start = unsafe name.bytes.baseAddress else { return false }
        switch unsafe HeaderTable.known.find(start.assumingMemoryBound(to: UInt8.self), name.count) {
        case .contentLength, .transferEncoding, .host: return true
        default: return false
        }
    }
}
