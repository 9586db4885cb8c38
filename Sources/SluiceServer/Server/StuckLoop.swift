internal import Support

/// Decides when a turn is reported as too long, and when a stopping server is ended by force.
///
/// Independent of clocks and threads: times are parameters, in nanoseconds.
struct StuckLoop {
    /// A turn that lasts longer is reported.
    static let patience: UInt64 = 1_000_000_000
    /// How long a server that should have ended may still write what is pending and close.
    static let grace: UInt64 = 1_000_000_000

    /// The result of a check.
    struct Verdict: Equatable {
        var report: Activity.Turn?
        /// Whether the process must be ended now.
        var ends = false
        /// When to check again; nil: when the next turn begins.
        var next: UInt64?
    }

    /// How long connections may take to end.
    let drain: UInt64
    private var deadline: UInt64?
    private var reported: UInt64 = 0
    private var seen: UInt64 = 0

    init(drain: UInt64) {
        self.drain = drain
    }

    /// The process was asked to end: politely the first time, at once the second time.
    mutating func terminate(at now: UInt64) {
        deadline = min(deadline ?? .max, now + Self.grace + (deadline == nil ? drain : 0))
    }

    /// Checks the loop, of which `begun` turns have begun.
    mutating func look(at now: UInt64, _ turn: Activity.Turn?, begun: UInt64) -> Verdict {
        var verdict = Verdict()
        if let deadline, now >= deadline {
            verdict.ends = true
            return verdict
        }
        if let turn {
            let due = turn.began + Self.patience
            if now >= due, reported != turn.number {
                reported = turn.number
                verdict.report = turn
            }
            verdict.next = now < due ? due : now + Self.patience
        } else if begun != seen {
            verdict.next = now + Self.patience
        }
        seen = begun
        if let deadline { verdict.next = min(verdict.next ?? .max, deadline) }
        return verdict
    }
}
