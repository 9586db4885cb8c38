/// The moments of a timetable, each when it has come.
///
/// Whatever its source holds is only what starts it. Moments that passed unnoticed, because the clock jumped or the
/// graph was saved and restored much later, are one emission: the newest of them.
public struct Schedule<Input>: TimedOperator {
    @usableFromInline let next: (Duration) -> Duration?
    @usableFromInline let last: (Duration) -> Duration?
    /// Up to when all moments have been dealt with.
    @usableFromInline var seen: Duration?
    @usableFromInline var end: Deadline?

    /// See ``Graph/schedule(next:last:)``.
    @inlinable
    public init(next: @escaping (Duration) -> Duration?, last: @escaping (Duration) -> Duration?) {
        self.next = next
        self.last = last
    }

    @inlinable public var name: String { "Schedule" }
    @inlinable public var nextWake: Deadline? { end }

    @inlinable
    public mutating func receive(_ value: Input, at site: Site) -> Emission<Duration>? {
        if seen == nil { look(until: site.now, at: site) }
        return nil
    }

    @inlinable
    public mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Duration>? {
        guard travels else { return nil }
        detach()
        return .empty
    }

    @inlinable
    public mutating func wake(at site: Site) -> HeldEmission<Duration>? {
        guard let end, let seen else { return nil }
        // The owner of the clock may say that it is time a little before the clock does.
        let now = max(site.now, end.time)
        look(until: now, at: site)
        guard let moment = last(now), moment > seen else { return nil }
        return HeldEmission(.value(moment))
    }

    @inlinable
    mutating func look(until now: Duration, at site: Site) {
        seen = now
        end = next(now).map { site.deadline(after: $0 - site.now) }
    }

    @inlinable
    public mutating func detach() {
        seen = nil
        end = nil
    }

    public func save(to writer: inout StateWriter) {
        writer.write(seen) { $0.write($1) }
        writer.write(end) { $0.write($1) }
    }

    public mutating func restore(from reader: inout StateReader) throws {
        seen = try reader.optional { try $0.time() }
        end = try reader.optional { try $0.deadline() }
    }
}

extension Graph {
    /// A node that emits each moment of a timetable when it has come; before the first one it is empty.
    ///
    /// Moments that passed unnoticed are one emission: the newest of them. The graph needs a clock.
    ///
    /// - Parameters:
    ///   - next: the first moment after a time of the graph's clock; `nil`: there is none.
    ///   - last: the last moment up to a time, that time included.
    /// - Returns: the new node.
    @inlinable
    public func schedule(
        next: @escaping (Duration) -> Duration?,
        last: @escaping (Duration) -> Duration?
    ) -> Node<Duration> {
        node(true).apply(Schedule(next: next, last: last))
    }
}
