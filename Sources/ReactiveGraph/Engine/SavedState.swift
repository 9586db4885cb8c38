/// Writes the state of operators and nodes, so that a graph that is built anew can go on from it
/// (G-164).
///
/// Integers and times are written by the library; how a value is written, its owner says. So the
/// library knows no format of values.
public struct StateWriter {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []
    private let encode: (_ value: Any, _ bytes: inout [UInt8]) throws -> Void
    /// The first error of `encode`, or ``StateError/unknownNode``; everything written after it is
    /// worth nothing.
    public private(set) var error: (any Error)?
    /// The creation numbers of the nodes that can be referred to.
    private var known: Set<UInt64> = []

    /// A writer that has written nothing.
    ///
    /// - Parameter encode: appends a value of any type that a saved operator holds, or throws.
    public init(encode: @escaping (_ value: Any, _ bytes: inout [UInt8]) throws -> Void) {
        self.encode = encode
    }

    /// Writes an integer, in one to ten bytes.
    public mutating func write(_ integer: Int) { write(wide: Int64(integer)) }

    private mutating func write(wide integer: Int64) {
        var rest = UInt64(bitPattern: integer << 1 ^ integer >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a time, exactly.
    public mutating func write(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        write(wide: seconds)
        write(wide: attoseconds)
    }

    /// Writes a deadline, with its place among equal ones.
    public mutating func write(_ deadline: Deadline) {
        write(deadline.time)
        write(wide: Int64(deadline.number))
    }

    /// Writes a value as its owner says.
    ///
    /// A node is written as a reference, and so is a ``Switched``: it has to be one of those that
    /// are saved.
    public mutating func write<Value>(value: Value) {
        if let reference = value as? any NodeReference {
            if !knowsNodes(of: value), error == nil { error = StateError.unknownNode }
            return reference.write(to: &self)
        }
        var encoded: [UInt8] = []
        do {
            try encode(value, &encoded)
        } catch {
            if self.error == nil { self.error = error }
        }
        write(encoded.count)
        bytes.append(contentsOf: encoded)
    }

    /// Writes an emission; of a value with nodes that are not saved, only that there is one.
    public mutating func write<Value>(_ emission: Emission<Value>) {
        guard case .value(let value) = emission else { return write(0) }
        guard knowsNodes(of: value) else { return write(2) }
        write(1)
        write(value: value)
    }

    /// Writes an emission that is kept back, with its path, as far as that led through nodes that
    /// are saved.
    ///
    /// Its context is not saved: it is whatever the caller attached, and belongs to the process
    /// that set the value.
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

extension StateWriter {
    /// Writes a text.
    public mutating func write(text: String) {
        write(text.utf8.count)
        bytes += text.utf8
    }

    /// From now on the node can be referred to; says whether it was new.
    @discardableResult
    mutating func note(_ node: AnyNode) -> Bool { known.insert(node.id).inserted }

    /// Writes the creation number of a node, 0 if it is not saved.
    mutating func write(node: AnyNode?) {
        write(node.flatMap { known.contains($0.id) ? Int($0.id) : nil } ?? 0)
    }

    /// Whether every node in the value can be referred to.
    private func knowsNodes<Value>(of value: Value) -> Bool {
        guard Value.self is any NodeKeeping.Type, let keeper = value as? any NodeKeeping else { return true }
        var isKnown = true
        keeper.forEachKeptNode { node in
            isKnown = isKnown && value is any NodeReference && known.contains(node.id)
        }
        return isKnown
    }
}

/// A value that is saved as a reference to a node.
protocol NodeReference {
    func write(to writer: inout StateWriter)
    static func read(from reader: inout StateReader) throws -> Self
}

/// Why state cannot be saved or read.
public enum StateError: Error, Equatable {
    /// The bytes end too early, or say something no writer writes.
    case malformed
    /// An operator holds a node that is not saved.
    case unknownNode
    /// A value could not be read as this type.
    case wrongType(String)
}

/// Reads what a ``StateWriter`` has written, in the same order.
public struct StateReader {
    private var bytes: ArraySlice<UInt8>
    /// What is put in force when everything has been read.
    var order = RestoredOrder()
    /// The highest number of a deadline that was read.
    private(set) var lastDeadline: UInt64 = 0
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
        guard let integer = Int(exactly: try wideInteger()) else { throw .malformed }
        return integer
    }

    private mutating func wideInteger() throws(StateError) -> Int64 {
        var rest: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = bytes.popFirst(), shift < 64 {
            rest |= UInt64(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { return Int64(rest >> 1) ^ -Int64(rest & 1) }
        }
        throw .malformed
    }

    /// Reads an integer that is in `range`.
    public mutating func integer(in range: ClosedRange<Int>) throws(StateError) -> Int {
        let integer = try integer()
        guard range.contains(integer) else { throw .malformed }
        return integer
    }

    /// Reads a number of things; each of them takes a byte at least.
    public mutating func count() throws(StateError) -> Int {
        // Compared with what is left after it.
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
        let (seconds, attoseconds) = (try wideInteger(), try wideInteger())
        // Times are added and subtracted, and counted in milliseconds: that must fit.
        guard seconds.magnitude < 1 << 50, attoseconds.magnitude < 1_000_000_000_000_000_000 else {
            throw .malformed
        }
        return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    }

    /// Reads a deadline.
    public mutating func deadline() throws(StateError) -> Deadline {
        let time = try time()
        let number = try wideInteger()
        guard (0...(.max >> 1)).contains(number) else { throw .malformed }
        lastDeadline = max(lastDeadline, UInt64(number))
        return Deadline(time: time, number: UInt64(number))
    }

    /// Reads a value.
    public mutating func value<Value>(as type: Value.Type = Value.self) throws -> Value {
        if let reference = type as? any NodeReference.Type {
            guard let value = try reference.read(from: &self) as? Value else { throw StateError.malformed }
            return value
        }
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
        guard !ids.isEmpty else { return HeldEmission(emission) }
        let trail = Trail(Path(ids: ids))
        order.trails.append(trail)
        return HeldEmission(emission, trail: trail, context: nil)
    }

    /// Reads an emission; of one that could not be written, `present` stays.
    mutating func emission<Value>(keeping present: Emission<Value>) throws -> Emission<Value> {
        switch try integer() {
        case 0: return .empty
        case 1: return .value(try value())
        case 2 where Value.self is any NodeKeeping.Type: return present
        default: throw StateError.malformed
        }
    }

    /// Reads a text.
    public mutating func text() throws(StateError) -> String {
        let count = try count()
        defer { bytes.removeFirst(count) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Reads a reference to a node, `nil` if it was not among those saved.
    mutating func node() throws(StateError) -> AnyNode? {
        let number = try integer()
        if number == 0 { return nil }
        guard let node = order.nodes[number] else { throw .malformed }
        return node
    }

    /// Reads something that may be missing.
    public mutating func optional<Content>(
        _ body: (inout StateReader) throws -> Content
    ) throws -> Content? {
        try flag() ? body(&self) : nil
    }
}
