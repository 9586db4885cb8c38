/// Drops the first values (G-70).
public struct Skip<Value>: Operator {
    @usableFromInline let count: Int
    @usableFromInline var seen = 0

    /// - Parameter count: how many values are dropped; not negative.
    @inlinable
    public init(_ count: Int) {
        precondition(count >= 0, "skip: the count must not be negative")
        self.count = count
    }

    @inlinable public var name: String { "Skip" }

    @inlinable
    public mutating func receive(_ value: Value, at site: Site) -> Emission<Value>? {
        guard seen == count else {
            seen += 1
            return nil
        }
        return .value(value)
    }

    public func save(to writer: inout StateWriter) {
        writer.write(seen)
    }

    public mutating func restore(from reader: inout StateReader) throws {
        seen = try reader.integer(in: 0...count)
    }
}

extension Node {
    /// The values after the first `count` (G-70).
    ///
    /// Counting starts anew when the edge's `from` changes.
    ///
    /// Example: 1, 2, 3 with `skip(2)` emits 3.
    @inlinable
    public func skip(_ count: Int) -> Node<Value> {
        apply(Skip(count))
    }
}
