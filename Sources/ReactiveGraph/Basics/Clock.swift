/// Where timed operators take their time from (G-112).
///
/// The host's loop has one; tests use ``ManualClock``.
public protocol LoopClock: AnyObject {
    /// The time since some fixed moment. Never goes back; need not move during a turn of the loop.
    var now: Duration { get }

    /// Calls `action` once, on the graph's own thread and in no turn, when `now` has reached
    /// `deadline`. Deadlines in the past are due at once, but not before this call returns.
    ///
    /// - Returns: ends the schedule when cancelled. Dropping it changes nothing.
    func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Cancellable
}
