/// Whether the time lies in one of some periods: at once, and again whenever that changes.
///
/// Whatever its source holds is only what starts it.
public struct Between<Input>: TimedOperator {
    @usableFromInline let contains: (Duration) -> Bool
    @usableFromInline let next: (Duration) -> Duration?
    @usableFromInline var held: Bool?
    @usableFromInline var end: Deadline?

    /// See ``Graph/between(contains:next:)``.
    @inlinable
    public init(contains: @escaping (Duration) -> Bool, next: @escaping (Duration) -> Duration?) {
        self.contains = contains
        self.next = next
    }

    @inlinable public var name: String { "Between" }
    @inlinable public var nextWake: Deadline? { end }

    @inlinable
    public mutating func receive(_ value: Input, at site: Site) -> Emission<Bool>? {
        look(at: site.now, site)
    }

    @inlinable
    public mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Bool>? {
        guard travels else { return nil }
        detach()
        return .empty
    }

    @inlinable
    public mutating func wake(at site: Site) -> HeldEmission<Bool>? {
        guard let end else { return nil }
        // The owner of the clock may say that it is time a little before the clock does.
        return look(at: max(site.now, end.time), site).map { HeldEmission($0) }
    }

    @inlinable
    mutating func look(at now: Duration, _ site: Site) -> Emission<Bool>? {
        end = next(now).map { site.deadline(after: $0 - site.now) }
        let isInside = contains(now)
        guard isInside != held else { return nil }
        held = isInside
        return .value(isInside)
    }

    @inlinable
    public mutating func detach() {
        held = nil
        end = nil
    }

    public func save(to writer: inout StateWriter) {
        writer.write(held) { $0.write($1 ? 1 : 0) }
        writer.write(end) { $0.write($1) }
    }

    public mutating func restore(from reader: inout StateReader) throws {
        held = try reader.optional { try $0.flag() }
        end = try reader.optional { try $0.deadline() }
    }
}

extension Graph {
    /// A node that says whether the time lies in one of some periods: at once, and again whenever that changes.
    ///
    /// The graph needs a clock.
    ///
    /// - Parameters:
    ///   - contains: whether a time of the graph's clock lies in a period.
    ///   - next: the first time after another one at which a period begins or ends; `nil`: there is none.
    /// - Returns: the new node.
    @inlinable
    public func between(
        contains: @escaping (Duration) -> Bool,
        next: @escaping (Duration) -> Duration?
    ) -> Node<Bool> {
        node(true).apply(Between(contains: contains, next: next))
    }
}
