/// Where a client was before its connection broke (`since`, wire-protocol.md §1.4).
///
/// In mode `latest` the present value is all that counts, so a cursor of the present history can always resume,
/// and where nothing is newer the value is left out. Mode `all` can only resume where nothing was missed. Private
/// stages begin anew, and say so.
struct Resume {
    /// Whether the subscription goes on where it was.
    let isResumed: Bool
    /// The last rev that the client has seen.
    let rev: UInt64

    /// Reads the option; nil without it.
    init?(_ fields: Fields, in graph: LiveGraph) throws(HostError) {
        guard let field = fields["since"] else { return nil }
        guard let epoch = field["epoch"]?.string, let rev = field["rev"]?.int, rev >= 0 else {
            throw HostError(.badField, "since: an epoch and a rev are needed")
        }
        self.rev = UInt64(rev)
        isResumed = epoch == graph.epoch && self.rev <= graph.rev
    }

    private init(isResumed: Bool, rev: UInt64) {
        self.isResumed = isResumed
        self.rev = rev
    }

    /// What becomes of it for a pipeline whose inputs last changed at `change`.
    func settled(for pipe: [Stage], change: UInt64, isAll: Bool) -> Resume {
        let missed = isAll && change > rev
        return Resume(isResumed: isResumed && !missed && !pipe.contains(where: \.isPrivate), rev: rev)
    }
}
