package import Commits
package import Values

/// The commit to which what a graph emits now belongs.
package final class PresentCommit {
    /// The newest commit, which all of the graph's own emissions belong to.
    package private(set) var newest = CommitInfo(stamp: LogStamp(rev: 0, time: 0), context: nil, by: nil)
    /// While a client's pipeline handles an emission: the commit that it belongs to.
    private var run: CommitInfo?
    /// Whether that is delivered in a later turn than its commit.
    package private(set) var isLate = false

    /// A new commit is being applied.
    func begin(_ stamp: LogStamp, context: Datum?, by: String?) {
        newest = CommitInfo(stamp: stamp, context: context, by: by)
    }

    /// The commit of the present emission.
    package var info: CommitInfo { run ?? newest }

    /// Delivers what a client's pipeline makes of an emission of `commit`.
    ///
    /// If it is late, it has the author and context of its commit, but the stamp `late`: clients
    /// may have received that, and never receive an older rev after a newer one.
    func deliver(_ commit: CommitInfo, late: LogStamp?, _ deliver: () -> Void) {
        isLate = late != nil
        if let late, late != commit.stamp {
            run = CommitInfo(stamp: late, context: commit.context, by: commit.by)
        } else {
            run = commit
        }
        deliver()
        run = nil
        isLate = false
    }
}

/// What clients learn about one commit, besides its values; an object that queued emissions share.
package final class CommitInfo {
    package let stamp: LogStamp
    package let context: Datum?
    package let by: String?

    init(stamp: LogStamp, context: Datum?, by: String?) {
        self.stamp = stamp
        self.context = context
        self.by = by
    }
}
