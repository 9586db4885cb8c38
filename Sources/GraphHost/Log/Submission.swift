internal import DequeModule

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
/// Refusals and answers of one graph come in the order of submission, except where others' commits come in between.
public final class PendingCommit {
    let commit: Commit
    /// When the turn began in which it was submitted.
    let submitted: UInt64
    /// The nodes that it may change by way of ties.
    var tied: [NamedNode] = []
    /// How often others have come in between.
    var moves = 0
    /// What it is answered if the log confirms that the graph is what it was checked against; nil: it is to be committed.
    var refusal: HostError?
    /// Usually one asks.
    private var first: ((Result<Applied, HostError>) -> Void)?
    private var others: [(Result<Applied, HostError>) -> Void] = []

    init(_ commit: Commit, in turn: UInt64) {
        self.commit = commit
        submitted = turn
    }

    /// Calls `listener` once, with the answer, in the loop turn in which the commit is applied or refused.
    ///
    /// Several may ask; they are called in the order in which they asked.
    public func onAnswer(_ listener: @escaping (Result<Applied, HostError>) -> Void) {
        if first == nil { first = listener } else { others.append(listener) }
    }

    func answer(_ result: Result<Applied, HostError>) {
        let (first, others) = (first, others)
        self.first = nil
        self.others = []
        first?(result)
        for listener in others { listener(result) }
    }
}

/// The commits that a log has not answered, by their tickets.
struct PendingCommits {
    private var commits: Deque<PendingCommit?> = []
    private var first: UInt64 = 1

    /// The ticket of the next one.
    var next: UInt64 { first + UInt64(commits.count) }

    /// Adds one under the ticket ``next``.
    mutating func append(_ commit: PendingCommit) { commits.append(commit) }

    /// Takes the one of that ticket, which the log answers.
    mutating func take(_ ticket: UInt64) -> PendingCommit {
        guard ticket >= first, ticket < next, let commit = commits[Int(ticket - first)] else {
            preconditionFailure("the log answered ticket \(ticket) twice, or never got it")
        }
        commits[Int(ticket - first)] = nil
        while let oldest = commits.first, oldest == nil {
            commits.removeFirst()
            first += 1
        }
        return commit
    }
}
