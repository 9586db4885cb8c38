/// An operator that keeps one value back until a time, such as ``Debounce`` and ``Sample``.
public protocol HoldingOperator<Value>: TimedOperator where Input == Value, Output == Value {
    associatedtype Value
    /// The value that waits, and until when.
    var pending: PendingValue<Value> { get set }
}

/// A value that waits for the end of an interval.
public struct PendingValue<Value> {
    /// Whether it is dropped when the source is cleared, also where emptiness does not travel.
    @usableFromInline let dropsWhenCleared: Bool
    @usableFromInline let control: TimedControl?
    @usableFromInline var held: HeldEmission<Value>?
    /// The end of the interval that is running, or that ran last.
    @usableFromInline var end: Deadline?

    /// No value waits, and no interval runs.
    @inlinable
    public init(dropsWhenCleared: Bool, control: TimedControl?) {
        self.dropsWhenCleared = dropsWhenCleared
        self.control = control
    }

    /// Keeps a value in place of the one that waits.
    @inlinable
    mutating func hold(_ value: Value, at site: Site) {
        drop()
        held = site.hold(.value(value))
    }

    @inlinable
    mutating func drop() {
        guard held != nil else { return }
        control?.dropped()
        held = nil
    }
}

extension HoldingOperator {
    @inlinable public var control: TimedControl? { pending.control }
    @inlinable public var waiting: Int { pending.held == nil ? 0 : 1 }
    /// Without a value that waits there is nothing to wake up for: the next one finds out whether
    /// the interval is over.
    @inlinable public var nextWake: Deadline? { pending.held == nil ? nil : pending.end }

    @inlinable
    public mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Value>? {
        if travels || pending.dropsWhenCleared { pending.drop() }
        guard travels else { return nil }
        pending.end = nil
        return .empty
    }

    @inlinable
    public mutating func detach() {
        pending.drop()
        pending.end = nil
    }

    @inlinable
    public mutating func flush() -> HeldEmission<Value>? {
        pending.end = nil
        return pending.held.take()
    }

    public func save(to writer: inout StateWriter) {
        writer.write(pending.held) { $0.write($1) }
        writer.write(pending.end) { $0.write($1) }
    }

    public mutating func restore(from reader: inout StateReader) throws {
        pending.held = try reader.optional { try $0.held() }
        pending.end = try reader.optional { try $0.deadline() }
    }
}
