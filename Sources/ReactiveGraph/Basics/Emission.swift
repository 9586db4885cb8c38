/// What a node holds and hands on: a value, or the marker *empty* (G-1 … G-3).
///
/// Empty means that nothing was ever stored, or that the store was cleared. It is not `nil`: a node
/// of an optional type that holds `nil` is not empty.
@frozen
public enum Emission<Value> {
    /// Nothing is stored.
    case empty
    /// A value is stored.
    case value(Value)
}

extension Emission {
    /// Wraps an optional: `nil` becomes empty.
    @inlinable
    public init(_ optional: Value?) {
        if let value = optional { self = .value(value) } else { self = .empty }
    }

    /// Whether nothing is stored.
    @inlinable
    public var isEmpty: Bool {
        if case .empty = self { true } else { false }
    }

    /// The stored value, `nil` if empty.
    ///
    /// For an optional `Value` a stored `nil` is `.some(nil)`.
    @inlinable
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The stored value, or `fallback` if empty (G-8).
    ///
    /// A stored `nil` is returned as `nil`.
    @inlinable
    public func value(default fallback: @autoclosure () -> Value) -> Value {
        if case .value(let value) = self { value } else { fallback() }
    }

    /// Runs `body` at once with the value, and not at all if empty (G-9).
    @inlinable
    public func ifValue(_ body: (Value) throws -> Void) rethrows {
        if case .value(let value) = self { try body(value) }
    }

    /// The emission of the transformed value; empty stays empty.
    @inlinable
    public func map<Out>(_ transform: (Value) throws -> Out) rethrows -> Emission<Out> {
        if case .value(let value) = self { .value(try transform(value)) } else { .empty }
    }
}

extension Emission: Equatable where Value: Equatable {}
extension Emission: Hashable where Value: Hashable {}
extension Emission: Sendable where Value: Sendable {}

extension Emission: CustomStringConvertible {
    /// The value's description, or `empty`.
    public var description: String {
        if case .value(let value) = self { "\(value)" } else { "empty" }
    }
}
