internal import Support

/// The query of a request: `name=value` pairs separated by `&`, values percent-encoded, `+` a
/// space.
///
/// A view of the head's query: nothing is decoded until it is asked for. Where a name is given
/// several times `first` takes the first; `forEach` sees all, as `node=a&node=b` needs.
@safe public struct Query {
    private let bytes: UnsafeRawBufferPointer

    /// A view of `bytes`, which must last as long as it is used.
    public init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
    }

    /// Calls `body` with every name and value as sent, in order, until it returns false.
    public func forEach(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool) {
        var start = 0
        while unsafe start < bytes.count {
            var end = start
            while unsafe end < bytes.count, unsafe bytes[end] != UInt8(ascii: "&") {
                end += 1
            }
            if end > start {
                let pair = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                let split = unsafe pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.count
                let name = unsafe UnsafeRawBufferPointer(rebasing: pair[..<split])
                let value = unsafe UnsafeRawBufferPointer(rebasing: pair[min(split + 1, pair.count)...])
                if unsafe !body(name, value) { return }
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
        unsafe forEach {
            isReadable = unsafe Self.decoded($0) != nil && Self.decoded($1) != nil
            return isReadable
        }
        return isReadable
    }

    /// The value of the first pair with this name, as sent; nil if there is none.
    public func raw(_ name: StaticString) -> UnsafeRawBufferPointer? {
        var found: UnsafeRawBufferPointer?
        unsafe forEach {
            if unsafe $0.equals(name) { unsafe found = unsafe $1 }
            return unsafe found == nil
        }
        return unsafe found
    }

    /// The decoded value of the first pair with this name; nil if there is none, or its escapes or
    /// UTF-8 are broken.
    public func string(_ name: StaticString) -> String? {
        unsafe raw(name).flatMap(Self.decoded)
    }

    /// The decimal number of the first pair with this name; nil if there is none or it is not a
    /// number.
    public func integer(_ name: StaticString) -> Int? {
        unsafe raw(name).flatMap(unsafe \.decimal)
    }

    /// The decoded values of all pairs with this name; broken ones are left out.
    public func strings(_ name: StaticString) -> [String] {
        var all: [String] = []
        unsafe forEach {
            if unsafe $0.equals(name), let value = unsafe Self.decoded($1) { all.append(value) }
            return true
        }
        return all
    }

    /// The text of a value; nil where its escapes or its UTF-8 are broken.
    public static func decoded(_ value: UnsafeRawBufferPointer) -> String? {
        var buffer = ByteBuffer()
        guard unsafe PercentEncoding.decode(query: value, to: &buffer) else { return nil }
        return unsafe String(validating: buffer.bytes, as: UTF8.self)
    }
}
