/// Passes the first values and nothing after them (G-70).
public struct Take<Value>: Operator {
    @usableFromInline let count: Int
    @usableFromInline let ends: Bool
    @usableFromInline var passed = 0

    /// - Parameters:
    ///   - count: how many values are passed; not negative.
    ///   - ends: whether the edge ends with the last of them and releases its source, as
    ///     ``Node/prefix(_:)`` does.
    @inlinable
    public init(_ count: Int, ends: Bool = false) {
        precondition(count >= 0, "take: the count must not be negative")
        self.count = count
        self.ends = ends
    }

    @inlinable public var name: String { "Take" }
    @inlinable public var isFinished: Bool { ends && isComplete }
    /// Whether the last value has been passed.
    @inlinable public var isComplete: Bool { passed == count }

    @inlinable
    public mutating func receive(_ value: Value, at site: Site) -> Emission<Value>? {
        guard passed < count else { return nil }
        passed += 1
        return .value(value)
    }

    public func save(to writer: inout StateWriter) {
        writer.write(passed)
    }

    public mutating func restore(from reader: inout StateReader) throws {
        passed = try reader.integer(in: 0...count)
    }
}

extension Node {
    /// The first `count` values (G-70).
    ///
    /// The edge stays attached after the last one, and starts anew when its
    /// `from` is set to a different node.
    ///
    /// Example: 1, 2, 3 with `take(2)` emits 1, 2.
    @inlinable
    public func take(_ count: Int) -> Node<Value> {
        apply(Take(count))
    }
}
