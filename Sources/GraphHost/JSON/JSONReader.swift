/// Looks into a JSON text without building anything: what it is, its members, its elements, its scalars.
///
/// For bytes that `JSONScanner` has accepted; on others the answers are without meaning, but nothing outside the
/// bytes is read. The bytes are lent: a reader and all it gives live no longer than they do.
public struct JSONReader {
    /// The value's own bytes, without white space around them.
    public let bytes: UnsafeRawBufferPointer

    /// A reader of one validated value without white space around it.
    public init(validated bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Checks `bytes` and reads the value in them.
    public init(checking bytes: UnsafeRawBufferPointer, limits: JSONLimits = .standard) throws(JSONError) {
        let extent = try JSONScanner.validate(bytes, limits: limits)
        self.bytes = UnsafeRawBufferPointer(rebasing: bytes[extent.start..<extent.end])
    }

    /// What the value is.
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

    /// What a string says; nil for other values.
    public var string: String? {
        text?.string
    }

    /// A string as it stands in the text, for comparing without making a `String`; nil for other values.
    public var text: JSONTextSlice? {
        guard kind == .string, bytes.count >= 2 else { return nil }
        return JSONTextSlice(inside: UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1]))
    }

    /// `true` or `false`; nil for other values.
    public var bool: Bool? {
        kind == .bool ? bytes[0] == UInt8(ascii: "t") : nil
    }

    /// A number as the nearest double; nil for other values.
    public var double: Double? {
        kind == .number ? JSONNumber.double(bytes) : nil
    }

    /// A number that is whole and fits, `1e3` and `5.0` included; nil for other values.
    public var int: Int? {
        guard kind == .number else { return nil }
        return shortInteger ?? JSONNumber.exactInteger(bytes)
    }

    /// The members of an object in the order of the text; none for other values.
    public var members: JSONMembers {
        JSONMembers(kind == .object ? bytes : UnsafeRawBufferPointer(rebasing: bytes[..<0]))
    }

    /// The elements of an array; none for other values.
    public var elements: JSONElements {
        JSONElements(kind == .array ? bytes : UnsafeRawBufferPointer(rebasing: bytes[..<0]))
    }

    /// The value under `key` in an object; linear in the text before it.
    public subscript(key: StaticString) -> JSONReader? {
        for member in members where member.key == key {
            return member.value
        }
        return nil
    }

    /// Plain digits that fit without a check of overflow.
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

/// The inside of a JSON string as it stands in the text, escapes and all.
public struct JSONTextSlice {
    /// The bytes between the quotes.
    public let inside: UnsafeRawBufferPointer

    init(inside: UnsafeRawBufferPointer) {
        self.inside = inside
    }

    /// Whether there is anything to unescape.
    public var hasEscapes: Bool {
        JSONString.hasEscapes(inside)
    }

    /// What the string says.
    public var string: String {
        JSONString.string(inside)
    }

    /// Gives the UTF-8 bytes of what the string says; they are the text's own unless there are escapes.
    public func withUTF8<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        guard hasEscapes else { return body(inside) }
        var bytes: [UInt8] = []
        JSONString.unescape(inside, into: &bytes)
        return bytes.withUnsafeBytes(body)
    }

    /// Whether the string says `other`.
    public static func == (slice: JSONTextSlice, other: StaticString) -> Bool {
        slice == UnsafeRawBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount)
    }

    static func == (slice: JSONTextSlice, other: String) -> Bool {
        var other = other
        return other.withUTF8 { slice == UnsafeRawBufferPointer($0) }
    }

    static func == (slice: JSONTextSlice, other: UnsafeRawBufferPointer) -> Bool {
        if slice.inside.count == other.count, slice.inside.elementsEqual(other) { return !slice.hasEscapes }
        return slice.hasEscapes && JSONString.isEqual(slice.inside, true, other, false)
    }

    /// Equal for texts that say the same, and different for most others (``JSONString/mark(_:)``).
    var mark: UInt64 { hasEscapes ? JSONString.mark(escaped: inside) : JSONString.mark(inside) }
}

/// Walks over the members of an object.
public struct JSONMembers: Sequence, IteratorProtocol {
    /// A key and the value behind it.
    public struct Member {
        public let key: JSONTextSlice
        public let value: JSONReader
    }

    private var skim: JSONSkim

    init(_ bytes: UnsafeRawBufferPointer) {
        skim = JSONSkim(bytes, from: 1)
    }

    public mutating func next() -> Member? {
        guard let key = skim.value(), key.count >= 2 else { return nil }
        guard let value = skim.value() else { return nil }
        let inside = UnsafeRawBufferPointer(rebasing: key[1..<key.count - 1])
        return Member(key: JSONTextSlice(inside: inside), value: JSONReader(validated: value))
    }
}

/// Walks over the elements of an array.
public struct JSONElements: Sequence, IteratorProtocol {
    private var skim: JSONSkim

    init(_ bytes: UnsafeRawBufferPointer) {
        skim = JSONSkim(bytes, from: 1)
    }

    public mutating func next() -> JSONReader? {
        skim.value().map(JSONReader.init(validated:))
    }
}
