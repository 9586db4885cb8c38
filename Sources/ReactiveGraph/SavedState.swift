/// Writes the state of operators and nodes, so that a graph that is built anew can go on from it (G-164).
///
/// Integers and times are written by the library; how a value is written, its owner says. So the library knows no
/// format of values.
public struct StateWriter {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []
    private let encode: (_ value: Any, _ bytes: inout [UInt8]) throws -> Void
    /// The first error of `encode`; everything written after it is worth nothing.
    public private(set) var error: (any Error)?

    /// A writer that has written nothing.
    ///
    /// - Parameter encode: appends a value of any type that a saved operator holds, or throws.
    public init(encode: @escaping (_ value: Any, _ bytes: inout [UInt8]) throws -> Void) {
        self.encode = encode
    }

    /// Writes an integer, in one to ten bytes.
    public mutating func write(_ integer: Int) {
        var rest = UInt64(bitPattern: Int64(integer << 1 ^ integer >> 63))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a time, exactly.
    public mutating func write(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        write(Int(seconds))
        write(Int(attoseconds))
    }

    /// Writes a deadline, with its place among equal ones.
    public mutating func write(_ deadline: Deadline) {
        write(deadline.time)
        write(Int(deadline.number))
    }

    /// Writes a value as its owner says.
    public mutating func write<Value>(value: Value) {
        var encoded: [UInt8] = []
        do {
            try encode(value, &encoded)
        } catch {
            if self.error == nil { self.error = error }
        }
        write(encoded.count)
        bytes.append(contentsOf: encoded)
    }

    /// Writes an emission.
    public mutating func write<Value>(_ emission: Emission<Value>) {
        guard case .value(let value) = emission else { return write(0) }
        write(1)
        write(value: value)
    }

    /// Writes an emission that is kept back, with its path.
    ///
    /// Its context is not saved.
    public mutating func write<Value>(_ held: HeldEmission<Value>) {
        write(held.emission)
        let ids = held.trail?.ids ?? []
        write(ids.count)
        for id in ids { write(Int(id)) }
    }

    /// Writes something that may be missing.
    public mutating func write<Content>(
        _ content: Content?,
        _ body: (inout StateWriter, Content) -> Void
    ) {
        write(content == nil ? 0 : 1)
        if let content { body(&self, content) }
    }
}

/// Why saved state cannot be read.
public enum StateError: Error, Equatable {
    /// The bytes end too early, or say something no writer writes.
    case malformed
    /// A value could not be read as this type.
    case wrongType(String)
}

/// Reads what a ``StateWriter`` has written, in the same order.
public struct StateReader {
    private var bytes: ArraySlice<UInt8>
    private let decode: (_ bytes: ArraySlice<UInt8>, _ type: Any.Type) throws -> Any

    /// A reader at the beginning of `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: what a writer has written.
    ///   - decode: makes a value of that type from its bytes, or throws.
    public init(
        _ bytes: some Sequence<UInt8>,
        decode: @escaping (_ bytes: ArraySlice<UInt8>, _ type: Any.Type) throws -> Any
    ) {
        self.bytes = ArraySlice(bytes)
        self.decode = decode
    }

    /// Whether everything has been read.
    public var isAtEnd: Bool { bytes.isEmpty }

    /// Reads an integer.
    public mutating func integer() throws(StateError) -> Int {
        var rest: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = bytes.popFirst(), shift < 64 {
            rest |= UInt64(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { return Int(truncatingIfNeeded: Int64(rest >> 1) ^ -Int64(rest & 1)) }
        }
        throw .malformed
    }

    /// Reads a number of things; each of them takes a byte at least.
    public mutating func count() throws(StateError) -> Int {
        let count = try integer()
        guard (0...bytes.count).contains(count) else { throw .malformed }
        return count
    }

    /// Reads whether something is there.
    public mutating func flag() throws(StateError) -> Bool {
        switch try integer() {
        case 0: false
        case 1: true
        default: throw .malformed
        }
    }

    /// Reads a time.
    public mutating func time() throws(StateError) -> Duration {
        let seconds = try integer()
        return Duration(secondsComponent: Int64(seconds), attosecondsComponent: Int64(try integer()))
    }

    /// Reads a deadline.
    public mutating func deadline() throws(StateError) -> Deadline {
        let time = try time()
        let number = try integer()
        guard number >= 0 else { throw .malformed }
        return Deadline(time: time, number: UInt64(number))
    }

    /// Reads a value.
    public mutating func value<Value>(as type: Value.Type = Value.self) throws -> Value {
        let count = try count()
        let encoded = bytes.prefix(count)
        bytes.removeFirst(count)
        guard let value = try decode(encoded, type) as? Value else {
            throw StateError.wrongType("\(type)")
        }
        return value
    }

    /// Reads an emission.
    public mutating func emission<Value>(of type: Value.Type = Value.self) throws -> Emission<Value> {
        try flag() ? .value(value(as: type)) : .empty
    }

    /// Reads an emission that was kept back.
    public mutating func held<Value>(of type: Value.Type = Value.self) throws -> HeldEmission<Value> {
        let emission = try emission(of: type)
        var ids: [UInt64] = []
        for _ in 0..<(try count()) {
            let id = try integer()
            guard id >= 0 else { throw StateError.malformed }
            ids.append(UInt64(id))
        }
        return HeldEmission(emission, trail: ids.isEmpty ? nil : Trail(Path(ids: ids)), context: nil)
    }

    /// Reads something that may be missing.
    public mutating func optional<Content>(
        _ body: (inout StateReader) throws -> Content
    ) throws -> Content? {
        try flag() ? body(&self) : nil
    }
}
