/// The newest value not yet emitted, at most once per interval (G-141a).
public struct Sample<Value>: TimedOperator {
    @usableFromInline let interval: Duration
    @usableFromInline let dropsWhenCleared: Bool
    public let control: TimedControl?
    @usableFromInline var held: HeldEmission<Value>?
    /// The end of the interval that is running, or that ran last.
    @usableFromInline var end: Deadline?

    /// See ``Node/sample(every:dropsWhenCleared:control:)``.
    @inlinable
    public init(_ interval: Duration, dropsWhenCleared: Bool = false, control: TimedControl? = nil) {
        precondition(interval > .zero, "sample: the interval must be positive")
        self.interval = interval
        self.dropsWhenCleared = dropsWhenCleared
        self.control = control
    }

    @inlinable public var name: String { "Sample" }
    @inlinable public var isAsynchronous: Bool { true }
    @inlinable public var waiting: Int { held == nil ? 0 : 1 }
    /// Without a value that waits there is nothing to wake up for: the next one finds out whether the interval is over.
    @inlinable public var nextWake: Deadline? { held == nil ? nil : end }

    @inlinable
    public mutating func receive(_ value: Value, at site: Site) -> Emission<Value>? {
        if held == nil, end.map(site.hasPassed) ?? true { end = site.deadline(after: interval) }
        drop()
        held = site.hold(.value(value))
        return nil
    }

    @inlinable
    public mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Value>? {
        if travels || dropsWhenCleared { drop() }
        guard travels else { return nil }
        end = nil
        return .empty
    }

    @inlinable
    public mutating func wake(at site: Site) -> HeldEmission<Value>? {
        end = site.deadline(after: interval)
        return held.take()
    }

    @inlinable
    public mutating func detach() {
        drop()
        end = nil
    }

    @inlinable
    public mutating func flush() -> HeldEmission<Value>? {
        end = nil
        return held.take()
    }

    @inlinable
    mutating func drop() {
        guard held != nil else { return }
        control?.dropped()
        held = nil
    }

    public func save(to writer: inout StateWriter) {
        writer.write(held) { $0.write($1) }
        writer.write(end) { $0.write($1) }
    }

    public mutating func restore(from reader: inout StateReader) throws {
        held = try reader.optional { try $0.held() }
        end = try reader.optional { try $0.deadline() }
    }
}

extension Node {
    /// The newest value not yet emitted, at most once per `interval` (G-141a).
    ///
    /// The first value starts the interval; when it is over the newest value is emitted and the next interval
    /// begins; an interval without a value ends it, until the next value.
    ///
    /// - Parameters:
    ///   - interval: must be positive. The graph needs a clock.
    ///   - dropsWhenCleared: whether a pending value is dropped when the source is cleared.
    ///   - control: counts what is dropped, and flushes.
    /// - Returns: the new node.
    @inlinable
    public func sample(
        every interval: Duration,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) -> Node<Value> {
        apply(Sample(interval, dropsWhenCleared: dropsWhenCleared, control: control))
    }
}
