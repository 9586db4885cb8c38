public import Values

/// The result of submitting a commit.
public enum Submission {
    case applied(Applied)
    /// Nothing was changed, and nothing will be.
    ///
    /// Indirect: an error is many times as large as the other answers, which are frequent.
    indirect case refused(HostError)
    /// It waits for the log; the answer follows.
    case pending(PendingCommit)
}
