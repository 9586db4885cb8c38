/// A client's use of a chain of stages: a subscription.
package protocol ChainUser: SlowSubscription {
    /// Whether it needs every emission (mode `all`).
    var needsAll: Bool { get }
    /// Its client's commits are answered after the runs of the turn that they cause.
    func awaitRuns()
    /// Its chain makes no further values.
    func complete()
}
