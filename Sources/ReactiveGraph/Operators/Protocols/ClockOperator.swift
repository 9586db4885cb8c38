/// An operator that goes by the clock alone, such as ``Between`` and ``Schedule``: whatever its
/// source holds is only what starts it.
public protocol ClockOperator: TimedOperator {
    associatedtype Known
    /// What it found when it looked at the clock last; `nil`: it has not been started.
    var known: Known? { get set }
    /// When it looks again.
    var end: Deadline? { get set }

    /// The first time after another one at which something happens; `nil`: nothing does.
    func next(after time: Duration) -> Duration?
    /// It is `now`.
    mutating func look(at now: Duration) -> Emission<Output>?
}

extension ClockOperator {
    @inlinable public var nextWake: Deadline? { end }

    @inlinable
    public mutating func receive(_ value: Input, at site: Site) -> Emission<Output>? {
        known == nil ? look(at: site.now, site) : nil
    }

    @inlinable
    public mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Output>? {
        guard travels else { return nil }
        detach()
        return .empty
    }

    @inlinable
    public mutating func wake(at site: Site) -> HeldEmission<Output>? {
        guard let end else { return nil }
        // The owner of the clock may say that it is time a little before the clock does.
        return look(at: max(site.now, end.time), site).map { HeldEmission($0) }
    }

    @inlinable
    mutating func look(at now: Duration, _ site: Site) -> Emission<Output>? {
        end = next(after: now).map { site.deadline(after: $0 - site.now) }
        return look(at: now)
    }

    @inlinable
    public mutating func detach() {
        known = nil
        end = nil
    }
}
