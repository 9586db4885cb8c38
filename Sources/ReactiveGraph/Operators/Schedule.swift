/// The moments of a timetable, each when it has come.
///
/// Moments that passed unnoticed, because the clock jumped or the graph was saved and restored much
/// later, are one emission: the newest of them.
public struct Schedule<Input>: ClockOperator {
    public typealias Output = Duration

    @usableFromInline let next: (Duration) -> Duration?
    @usableFromInline let last: (Duration) -> Duration?
    /// Up to when all moments have been dealt with.
    public var known: Duration?
    public var end: Deadline?

    /// See ``Graph/schedule(next:last:)``.
    @inlinable
    public init(next: @escaping (Duration) -> Duration?, last: @escaping (Duration) -> Duration?) {
        self.next = next
        self.last = last
    }

    @inlinable public var name: String { "Schedule" }

    @inlinable public func next(after time: Duration) -> Duration? { next(time) }

    @inlinable
    public mutating func look(at now: Duration) -> Emission<Duration>? {
        let former = known
        known = now
        guard let former, let moment = last(now), moment > former else { return nil }
        return .value(moment)
    }

    public func save(to writer: inout StateWriter) {
        writer.write(known) { $0.write($1) }
        writer.write(end) { $0.write($1) }
    }

    public mutating func restore(from reader: inout StateReader) throws {
        known = try reader.optional { try $0.time() }
        end = try reader.optional { try $0.deadline() }
    }
}

extension Graph {
    /// A node that emits each moment of a timetable when it has come; before the first one it is
    /// empty.
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
