/// The host's source of time.
///
/// It never waits: ``Host/advance()`` drives the timers.
public protocol HostClock: AnyObject {
    /// Milliseconds of a monotonic clock; its zero has no meaning.
    var now: UInt64 { get }
    /// Milliseconds since 1970 UTC. It may be set to another time at any moment, also to an
    /// earlier one. It stamps commits where the log does not (``CommitLog/time``).
    var wall: UInt64 { get }
}

/// A clock that its owner moves, for tests and replays.
public final class ManualHostClock: HostClock {
    public private(set) var now: UInt64
    public private(set) var wall: UInt64

    /// A clock at `now` (monotonic) and `wall` (since 1970), both in milliseconds.
    public init(now: UInt64 = 0, wall: UInt64 = 1_763_690_000_000) {
        self.now = now
        self.wall = wall
    }

    /// Moves both times on by `milliseconds`.
    public func advance(by milliseconds: UInt64) {
        now += milliseconds
        wall += milliseconds
    }

    /// Sets the wall clock, as an operator or a time server may; the monotonic clock goes on.
    public func set(wall: UInt64) { self.wall = wall }
}
