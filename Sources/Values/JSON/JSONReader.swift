public import Support

/// Reads a JSON text in place: its kind, its members, its elements, its scalars.
///
/// For bytes that `JSONScanner` has accepted; for others the results are meaningless, but nothing
/// outside the bytes is read. The bytes are borrowed: a reader and everything it returns must not
/// outlive them.
public struct JSONReader {
    /// The bytes of the value, without surrounding white space.
    public let bytes: BorrowedBytes

    /// A reader of one validated value without white space around it.
    public init(validated bytes: BorrowedBytes) {
        self.bytes = bytes
    }

    /// Checks `bytes` and reads the value in them.
    public init(checking bytes: BorrowedBytes, limits: JSONLimits = .standard) throws(JSONError) {
        self.init(try JSONScanner.validate(bytes, limits: limits), of: bytes)
    }

    /// Reads the value that was found in `bytes`.
    init(_ extent: JSONScanner.Extent, of bytes: BorrowedBytes) {
        self.bytes = bytes.part(extent.start..<extent.end)
    }

    public var kind: JSONKind {
        switch bytes.first ?? 0 {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// The content of a string; nil for other values.
    public var string: String? {
        text?.string
    }

    /// A string as written in the text, for comparing without making a `String`; nil for other
    /// values.
    public var text: JSONTextSlice? {
        guard kind == .string, bytes.count >= 2 else { return nil }
        return JSONTextSlice(inside: bytes.part(1..<bytes.count - 1))
    }

    /// `true` or `false`; nil for other values.
    public var bool: Bool? {
        kind == .bool ? bytes[0] == UInt8(ascii: "t") : nil
    }

    /// A number as the nearest double; nil for other values.
    public var double: Double? {
        kind == .number ? JSONNumber.double(bytes) : nil
    }

    /// A whole number that fits an `Int`, `1e3` and `5.0` included; nil for other values.
    public var int: Int? {
        guard kind == .number else { return nil }
        return shortInteger ?? JSONNumber.exactInteger(bytes)
    }

    /// The members of an object in the order of the text; none for other values.
    public var members: JSONMembers {
        JSONMembers(kind == .object ? bytes : bytes.part(..<0))
    }

    /// The elements of an array; none for other values.
    public var elements: JSONElements {
        JSONElements(kind == .array ? bytes : bytes.part(..<0))
    }

    /// The value under `key` in an object; takes time linear in the text before it.
    public subscript(key: StaticString) -> JSONReader? {
        for member in members where member.key == key {
            return member.value
        }
        return nil
    }

    /// A number of so few plain digits that it cannot overflow.
    private var shortInteger: Int? {
        guard bytes.count <= 18 else { return nil }
        var value = 0
        for byte in bytes {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ Int(digit)
        }
        return value
    }
}

/// The inside of a JSON string as written, with its escapes.
public struct JSONTextSlice {
    /// The bytes between the quotes.
    public let inside: BorrowedBytes

    init(inside: BorrowedBytes) {
        self.inside = inside
    }

    public var hasEscapes: Bool {
        JSONString.hasEscapes(inside)
    }

    /// The content of the string.
    public var string: String {
        JSONString.string(inside)
    }

    /// Calls `body` with the UTF-8 bytes of the string; without escapes they are those of the text.
    public func withUTF8<R>(_ body: (BorrowedBytes) -> R) -> R {
        guard hasEscapes else { return body(inside) }
        var bytes: [UInt8] = []
        JSONString.unescape(inside, into: &bytes)
        return bytes.withBorrowedBytes(body)
    }

    /// Whether the content is `other`.
    public static func == (slice: JSONTextSlice, other: StaticString) -> Bool {
        slice == BorrowedBytes(other)
    }

    package static func == (slice: JSONTextSlice, other: String) -> Bool {
        other.withBorrowedBytes { slice == $0 }
    }

    package static func == (slice: JSONTextSlice, other: BorrowedBytes) -> Bool {
        if slice.inside.count == other.count, slice.inside.elementsEqual(other) { return !slice.hasEscapes }
        return slice.hasEscapes && JSONString.isEqual(slice.inside, true, other, false)
    }
}

/// Walks over the members of an object.
public struct JSONMembers: Sequence, IteratorProtocol {
    /// A key and its value.
    public struct Member {
        public let key: JSONTextSlice
        public let value: JSONReader
    }

    private var skim: JSONSkim

    init(_ bytes: BorrowedBytes) {
        skim = JSONSkim(bytes, from: 1)
    }

    public mutating func next() -> Member? {
        guard let key = skim.value(), key.count >= 2 else { return nil }
        guard let value = skim.value() else { return nil }
        let inside = key.part(1..<key.count - 1)
        return Member(key: JSONTextSlice(inside: inside), value: JSONReader(validated: value))
    }
}

/// Walks over the elements of an array.
public struct JSONElements: Sequence, IteratorProtocol {
    private var skim: JSONSkim

    init(_ bytes: BorrowedBytes) {
        skim = JSONSkim(bytes, from: 1)
    }

    public mutating func next() -> JSONReader? {
        skim.value().map(JSONReader.init(validated:))
    }
}
