/// Whether the time lies in one of some periods: at once, and again whenever that changes.
public struct Between<Input>: ClockOperator {
    public typealias Output = Bool

    @usableFromInline let contains: (Duration) -> Bool
    @usableFromInline let next: (Duration) -> Duration?
    public var known: Bool?
    public var end: Deadline?

    /// See ``Graph/between(contains:next:)``.
    @inlinable
    public init(contains: @escaping (Duration) -> Bool, next: @escaping (Duration) -> Duration?) {
        self.contains = contains
        self.next = next
    }

    @inlinable public var name: String { "Between" }

    @inlinable public func next(after time: Duration) -> Duration? { next(time) }

    @inlinable
    public mutating func look(at now: Duration) -> Emission<Bool>? {
        let isInside = contains(now)
        guard isInside != known else { return nil }
        known = isInside
        return .value(isInside)
    }

    public func save(to writer: inout StateWriter) {
        writer.write(known) { $0.write($1 ? 1 : 0) }
        writer.write(end) { $0.write($1) }
    }

    public mutating func restore(from reader: inout StateReader) throws {
        known = try reader.optional { try $0.flag() }
        end = try reader.optional { try $0.deadline() }
    }
}

extension Graph {
    /// A node that says whether the time lies in one of some periods: at once, and again whenever
    /// that changes.
    ///
    /// The graph needs a clock.
    ///
    /// - Parameters:
    ///   - contains: whether a time of the graph's clock lies in a period.
    ///   - next: the first time after another one at which a period begins or ends; `nil`: there is
    ///     none.
    /// - Returns: the new node.
    @inlinable
    public func between(
        contains: @escaping (Duration) -> Bool,
        next: @escaping (Duration) -> Duration?
    ) -> Node<Bool> {
        node(true).apply(Between(contains: contains, next: next))
    }
}
