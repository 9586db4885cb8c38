/// What is known about a value that comes from elsewhere, besides the value.
///
/// This is the one description of loading (G-135, G-160): a node of the library has one, by the
/// clock of its graph, and the facets of a server's node are one, by the time of its commits (L-1,
/// L-2). Reports, and news for listeners, are the business of the code that holds it.
package struct LoadState<Failure, Moment> {
    /// Why the latest load failed; nil once the value was set or confirmed since.
    package var error: Failure?
    /// How many loads are running.
    package private(set) var loads = 0
    /// The progress of a running load, 0…1, as it was last reported.
    package var progress: Double?
    /// Whether the value counts as out of date, until it is set or confirmed.
    package var isStale = false
    /// When the value was last confirmed, if that is known.
    package var confirmed: Moment?

    /// Nothing is known.
    package init() {}

    package var isLoading: Bool { loads > 0 }

    /// A load has begun, beside those that are running.
    package mutating func beginLoad() {
        loads += 1
    }

    /// A load has ended, with whatever result; no effect if none is running.
    package mutating func endLoad() {
        loads = max(0, loads - 1)
        if loads == 0 { progress = nil }
    }

    /// The value is right as of `time`: it was set, or a load has found that it still is.
    package mutating func confirm(at time: Moment?) {
        error = nil
        isStale = false
        confirmed = time
    }
}

extension LoadState: Equatable where Failure: Equatable, Moment: Equatable {}
