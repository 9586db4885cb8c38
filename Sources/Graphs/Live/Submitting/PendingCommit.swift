public import Values

/// A commit that the log has not answered yet.
///
/// The commits of one graph are answered in the order of submission, unless commits of other
/// servers come in between.
public final class PendingCommit {
    var commit: Commit
    /// The time at which the turn of its submission began.
    package let submitted: UInt64
    /// The nodes that it may change through ties.
    var tied: [NamedNode] = []
    /// How often commits of other servers came in between.
    var moves = 0
    /// The error with which it is refused once the log confirms that the graph has not changed
    /// since the check; nil: it is to be committed.
    var refusal: HostError?
    /// Usually there is one listener.
    private var first: ((Result<Applied, HostError>) -> Void)?
    private var others: [(Result<Applied, HostError>) -> Void] = []

    package init(_ commit: Commit, turnBegan: UInt64) {
        self.commit = commit
        submitted = turnBegan
    }

    /// Calls `listener` once with the answer, in the loop turn in which the commit is applied or
    /// refused.
    ///
    /// Several listeners are called in the order in which they were added.
    public func onAnswer(_ listener: @escaping (Result<Applied, HostError>) -> Void) {
        if first == nil { first = listener } else { others.append(listener) }
    }

    package func answer(_ result: Result<Applied, HostError>) {
        let (first, others) = (first, others)
        self.first = nil
        self.others = []
        first?(result)
        for listener in others { listener(result) }
    }
}
