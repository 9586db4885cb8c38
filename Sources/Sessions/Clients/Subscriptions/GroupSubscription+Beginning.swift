internal import Graphs
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

extension GroupSubscription {
    /// Subscribes a session to the nodes that match names and globs, now and later, and sends their
    /// present state.
    ///
    /// - Throws: `sub_limit` for members that it may not create or names that it may not hold,
    ///   `too_large`.
    static func begin(
        for session: Session,
        id: UInt64,
        on selection: NodeSelection,
        matching patterns: [String],
        in graph: LiveGraph,
        _ options: SubscriptionOptions,
        _ request: SnapRequest,
        _ owners: OwnerNames? = nil
    ) throws(HostError) {
        let (nodes, access) = (selection.nodes, session.access)
        try graph.members.checkRoom(forMembersAmong: nodes.map(\.name), of: access?.name)
        let named = patterns.filter { !Glob.isGlob($0) }
        try checkWanted(under: named, in: graph, by: session)
        try LeftNames.checkRoom(for: selection.left, of: session)
        let held = graph.charging(access?.name) { HeldValues(nodes, in: graph) }
        if request.initial { try held.checkSize() }
        let subscription = GroupSubscription(
            id: id,
            session: session,
            graph: graph,
            options: options,
            patterns: patterns
        )
        subscription.requiredRights = access?.requiredRights(nodes.map(\.name), needs: .read)
        subscription.claimWanted(under: named)
        if let owners { session.ownerTable.give(subscription, to: owners) }
        session.add(subscription)
        subscription.listen(to: held.living, leaving: selection.left)
        subscription.askForValues()
        session.answer(snapOf: subscription, change: nil) { buffer in
            subscription.appendSnap(of: nodes, request, to: &buffer)
            selection.appendMore(to: &buffer)
        }
    }
}
