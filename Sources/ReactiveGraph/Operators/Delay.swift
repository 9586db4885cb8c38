/// Every value, an interval later, in order; nothing is coalesced (G-74).
public struct Delay<Value>: TimedOperator {
    @usableFromInline
    struct Entry {
        @usableFromInline let deadline: Deadline
        @usableFromInline let held: HeldEmission<Value>

        @inlinable
        init(deadline: Deadline, held: HeldEmission<Value>) {
            self.deadline = deadline
            self.held = held
        }
    }

    @usableFromInline let interval: Duration
    @usableFromInline let buffer: BufferPolicy
    @usableFromInline let emitsEarly: Bool
    @usableFromInline let dropsWhenCleared: Bool
    @usableFromInline let figures: BufferControl?
    @usableFromInline var entries = Queue<Entry>()

    /// See ``Node/delay(for:buffer:control:)``.
    ///
    /// - Parameters:
    ///   - interval: must be positive.
    ///   - buffer: how many values may be on their way (G-142).
    ///   - emitsEarly: whether the oldest value leaves early, instead of being dropped, when
    ///     `buffer` drops the oldest.
    ///   - dropsWhenCleared: whether values on their way are dropped when the source is cleared and
    ///     emptiness travels:
    ///     the emptiness then goes on at once, and otherwise after the interval.
    ///   - control: counts what waits and what is dropped.
    @inlinable
    public init(
        _ interval: Duration,
        buffer: BufferPolicy = .unbounded,
        emitsEarly: Bool = false,
        dropsWhenCleared: Bool = false,
        control: BufferControl? = nil
    ) {
        precondition(interval > .zero, "delay: the interval must be positive")
        buffer.require(for: "delay")
        self.interval = interval
        self.buffer = buffer
        self.emitsEarly = emitsEarly
        self.dropsWhenCleared = dropsWhenCleared
        figures = control
    }

    @inlinable public var name: String { "Delay" }
    @inlinable public var isAsynchronous: Bool { !emitsEarly }
    @inlinable public var waiting: Int { entries.count }
    @inlinable public var nextWake: Deadline? { entries.first?.deadline }

    @inlinable
    public mutating func receive(_ value: Value, at site: Site) -> Emission<Value>? {
        admit(.value(value), at: site)
    }

    @inlinable
    public mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Value>? {
        guard travels else { return nil }
        guard dropsWhenCleared else { return admit(.empty, at: site) }
        detach()
        return .empty
    }

    @inlinable
    mutating func admit(_ emission: Emission<Value>, at site: Site) -> Emission<Value>? {
        var early: Entry?
        if let limit = buffer.limit, entries.count >= limit {
            guard case .dropOldest = buffer else {
                figures?.refused()
                if case .fail = buffer { site.reportOverflow(limit) }
                return nil
            }
            early = entries.popFirst()
            if emitsEarly { figures?.removed() } else { figures?.dropped(1) }
        }
        append(Entry(deadline: site.deadline(after: interval), held: site.hold(emission)))
        figures?.added(waits: true)
        return emitsEarly ? early?.held.emission : nil
    }

    /// Values leave in order, so none is due before another one that came earlier: the interval may
    /// have been longer then.
    @inlinable
    mutating func append(_ entry: Entry) {
        let deadline = entry.deadline.moved(after: entries.last?.deadline)
        entries.append(Entry(deadline: deadline, held: entry.held))
    }

    @inlinable
    public mutating func wake(at site: Site) -> HeldEmission<Value>? {
        guard let entry = entries.popFirst() else { return nil }
        figures?.removed()
        return entry.held
    }

    @inlinable
    public mutating func detach() {
        figures?.dropped(entries.count)
        entries = Queue()
    }

    public func save(to writer: inout StateWriter) {
        writer.write(entries.count)
        for index in 0..<entries.count {
            writer.write(entries[index].deadline)
            writer.write(entries[index].held)
        }
    }

    public mutating func restore(from reader: inout StateReader) throws {
        let count = try reader.count()
        for _ in 0..<count {
            if entries.count == buffer.limit { _ = entries.popFirst() }
            append(Entry(deadline: try reader.deadline(), held: try reader.held()))
        }
        for _ in 0..<entries.count { figures?.added(waits: true) }
    }
}

extension Node {
    /// Every value, `interval` later, in order; nothing is coalesced (G-74).
    ///
    /// Path and context as when set.
    ///
    /// Values on the way are dropped when the edge is cancelled or the new node is freed; they keep
    /// nothing alive.
    ///
    /// - Parameters:
    ///   - interval: must be positive. The graph needs a clock.
    ///   - buffer: how many values may be on their way (G-142).
    ///   - control: counts what waits and what is dropped.
    /// - Returns: the new node.
    @inlinable
    public func delay(
        for interval: Duration,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<Value> {
        apply(Delay(interval, buffer: buffer, control: control))
    }
}

extension Site {
    /// Reports that a value was dropped because the operator's buffer was full.
    @inlinable
    func reportOverflow(_ limit: Int) {
        edge.with { $0.reportOverflow(limit) }
    }
}
