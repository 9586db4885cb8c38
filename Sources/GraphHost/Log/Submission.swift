/// What became of a commit that was submitted.
public enum Submission {
    /// It is applied.
    case applied(Applied)
    /// Nothing was changed, and nothing will be.
    case refused(HostError)
    /// The log has it; the answer follows.
    case pending(PendingCommit)
}

/// A commit that the log has not answered yet.
///
/// Refusals and answers of one graph come in the order of submission.
public final class PendingCommit {
    let commit: Commit
    private var listeners: [(Result<Applied, HostError>) -> Void] = []

    init(_ commit: Commit) {
        self.commit = commit
    }

    /// Calls `listener` once, with the answer, in the loop turn in which the commit is applied or refused.
    ///
    /// Several may ask; they are called in the order in which they asked.
    public func onAnswer(_ listener: @escaping (Result<Applied, HostError>) -> Void) {
        listeners.append(listener)
    }

    func answer(_ result: Result<Applied, HostError>) {
        let listeners = listeners
        self.listeners = []
        for listener in listeners { listener(result) }
    }
}
