public import Graphs
public import Values

/// How often one connection was refused because of limits.
///
/// A client that goes on too fast, or repeatedly asks for more subscriptions and pipelines than it
/// may have, is disconnected (4429; over HTTP after the answer).
public struct LimitRefusals {
    /// Made with the first refusal; most connections have none.
    private var state: State?

    private final class State {
        var violations = Violations()
    }

    /// A connection that was not refused anything yet.
    public init() {}

    /// Counts a refusal, if it concerns one of the client's limits.
    ///
    /// - Returns: whether the client was refused too often and must be disconnected.
    public mutating func note(_ error: HostError, of host: Host) -> Bool {
        switch error.code {
        case .rateLimited, .subLimit, .pipeLimit, .patternLimit:
            let state = state ?? State()
            self.state = state
            return state.violations.note(at: host.clock.now, host.limits)
        default: return false
        }
    }
}
