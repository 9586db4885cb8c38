/// Where the host reads the time.
///
/// It never waits: timers are driven by ``Host/advance()``.
public protocol HostClock: AnyObject {
    /// Milliseconds of a clock that never jumps; its zero means nothing.
    var now: UInt64 { get }
    /// Milliseconds since 1970 UTC; commits are stamped with it.
    var wall: UInt64 { get }
}

/// A clock that its owner moves, for tests and for replaying.
public final class ManualHostClock: HostClock {
    public private(set) var now: UInt64
    public private(set) var wall: UInt64

    /// A clock standing at `now` (steady) and `wall` (since 1970), both in milliseconds.
    public init(now: UInt64 = 0, wall: UInt64 = 1_763_690_000_000) {
        self.now = now
        self.wall = wall
    }

    /// Moves both times on by `milliseconds`.
    public func advance(by milliseconds: UInt64) {
        now += milliseconds
        wall += milliseconds
    }
}
