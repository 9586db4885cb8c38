public import Support

/// The query of a request: `name=value` pairs separated by `&`, values percent-encoded, `+` a
/// space.
///
/// A view of the head's query: nothing is decoded until it is asked for. Where a name is given
/// several times `first` takes the first; `forEach` sees all, as `node=a&node=b` needs.
@safe public struct Query {
    private let bytes: BorrowedBytes

    /// A view of `bytes`, which must last as long as it is used.
    public init(_ bytes: BorrowedBytes) {
        self.bytes = bytes
    }

    /// Calls `body` with every name and value as sent, in order, until it returns false.
    public func forEach(_ body: (_ name: BorrowedBytes, _ value: BorrowedBytes) -> Bool) {
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "&") {
                end += 1
            }
            if end > start {
                let pair = bytes.part(start..<end)
                let split = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.count
                let name = pair.part(..<split)
                let value = pair.part(min(split + 1, pair.count)...)
                if !body(name, value) { return }
            }
            start = end + 1
        }
    }

    /// Whether every name and value can be decoded: escapes of two hexadecimal digits, UTF-8.
    ///
    /// Asked once before anything is read, so that nothing broken is taken for something that was
    /// not given.
    public var isReadable: Bool {
        var isReadable = true
        forEach {
            isReadable = Self.decoded($0) != nil && Self.decoded($1) != nil
            return isReadable
        }
        return isReadable
    }

    /// The value of the first pair with this name, as sent; nil if there is none.
    public func raw(_ name: StaticString) -> BorrowedBytes? {
        var found: BorrowedBytes?
        forEach {
            if $0.equals(name) { found = $1 }
            return found == nil
        }
        return found
    }

    /// The decoded value of the first pair with this name; nil if there is none, or its escapes or
    /// UTF-8 are broken.
    public func string(_ name: StaticString) -> String? {
        raw(name).flatMap(Self.decoded)
    }

    /// The decimal number of the first pair with this name; nil if there is none or it is not a
    /// number.
    public func integer(_ name: StaticString) -> Int? {
        raw(name).flatMap(\.decimal)
    }

    /// The decoded values of all pairs with this name; broken ones are left out.
    public func strings(_ name: StaticString) -> [String] {
        var all: [String] = []
        forEach {
            if $0.equals(name), let value = Self.decoded($1) { all.append(value) }
            return true
        }
        return all
    }

    /// The text of a value; nil where its escapes or its UTF-8 are broken.
    public static func decoded(_ value: BorrowedBytes) -> String? {
        var buffer = ByteBuffer()
        guard PercentEncoding.decode(query: value, to: &buffer) else { return nil }
        return String(validating: buffer.bytes, as: UTF8.self)
    }
}
