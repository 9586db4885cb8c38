/// One subscription's use of a chain, and the account that is charged for it.
///
/// The account and every segment of the chain count it until ``end(_:)``.
package final class PipelineUse {
    package let chain: Chains.Record
    package let account: PipelineAccount
    unowned let user: any ChainUser
    /// The chain's segments, the last one first, and its index in each.
    private var segments: [(segment: Segment, place: Int)] = []
    /// Whether its user needs every emission.
    private var isAll: Bool

    package init(_ chain: Chains.Record, by user: any ChainUser, for account: PipelineAccount) {
        self.chain = chain
        self.account = account
        self.user = user
        isAll = user.needsAll
        account.begin()
        chain.owners += 1
        forEachSegment { segment, needsAll in
            segments.append((segment, segment.add(self)))
            if needsAll { segment.head?.need(all: 1) }
        }
        forEachStage { stage in for pattern in stage.patterns { account.add(pattern) } }
        noteMode()
    }

    package func end(_ host: Host) {
        chain.owners -= 1
        forEachSegment { segment, needsAll in if needsAll { segment.head?.need(all: -1) } }
        for (segment, place) in segments { segment.remove(at: place) }
        segments = []
        forEachStage { stage in for pattern in stage.patterns { account.remove(pattern) } }
        host.pipelines.accounts.end(account)
    }

    /// Its user's options have changed.
    package func update() {
        noteMode()
        guard isAll != user.needsAll else { return }
        let before = isAll
        isAll = !before
        forEachSegment { segment, needsAll in if needsAll { segment.head?.need(all: 1) } }
        isAll = before
        forEachSegment { segment, needsAll in if needsAll { segment.head?.need(all: -1) } }
        isAll = !before
    }

    /// Answers to its client's commits may have to wait for the runs of the turn.
    private func noteMode() {
        if user.needsAll { user.awaitRuns() }
    }

    /// Its index in a segment has changed.
    func moved(to place: Int, of segment: Segment) {
        guard let index = segments.firstIndex(where: { $0.segment === segment }) else { return }
        segments[index].place = place
    }

    /// A fork has divided a segment: from `stage` on there is a new one.
    func divided(_ former: Segment, from stage: Chains.Record) {
        guard let index = segments.firstIndex(where: { $0.segment === former }) else { return }
        segments.insert((stage.segment, stage.segment.add(self)), at: index)
        if isAll || needsAll(from: stage) { stage.segment.head?.need(all: 1) }
    }

    /// Whether a stage from this one on has a memory.
    private func needsAll(from first: Chains.Record) -> Bool {
        var next: Chains.Record? = chain
        while let stage = next {
            if stage.hasMemory { return true }
            if stage === first { return false }
            next = stage.previous
        }
        return false
    }

    private func forEachStage(_ visit: (Chains.Record) -> Void) {
        var next: Chains.Record? = chain
        while let stage = next {
            visit(stage)
            next = stage.previous
        }
    }

    /// Visits the segments from the last to the first, with whether the subscription needs every
    /// emission at the segment's head: in mode `all`, or if a stage from there on has a memory.
    private func forEachSegment(_ visit: (Segment, _ needsAll: Bool) -> Void) {
        var needsAll = isAll
        forEachStage { stage in
            if stage.hasMemory { needsAll = true }
            if stage.previous?.segment !== stage.segment { visit(stage.segment, needsAll) }
        }
    }
}
