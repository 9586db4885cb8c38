public import Graphs
internal import Definitions
internal import Support
public import Values

/// A checked request for server-sent events (docs/protocol-http.md): starting it cannot fail.
public struct EventStream {
    /// What one subscription listens to.
    private enum Listened {
        case node(NamedNode)
        case glob(String)
    }

    let graph: LiveGraph
    private let listened: [Listened]
    private let pipe: [Stage]
    private let options: SubscriptionOptions
    private let resume: Resume?
    /// What it will keep wanted of source families: counts from the check on.
    private let claim: WantedClaim?

    /// Checks a request for one subscription per name or glob; its index, counted from 1, is its
    /// id.
    ///
    /// `lastEventID` is the client's position before its connection broke, as `epoch:rev`.
    ///
    /// - Throws: `bad_field` without nodes or with too many, `unknown_node`, `sub_limit`,
    ///   `too_large`, `pipe_limit`, `pattern_limit`, and the problems of the pipe.
    public init(
        of view: GraphView,
        nodes names: [String],
        _ options: StreamOptions = StreamOptions(),
        lastEventID: String? = nil
    ) throws(HostError) {
        let graph = view.graph
        let host = graph.host
        guard !names.isEmpty else { throw HostError(.badField, "node: at least one name is needed") }
        guard names.count <= host.limits.subscriptions else {
            throw HostError(.badField, "node: at most \(host.limits.subscriptions) names (limits.subs)")
        }
        var nodes: [NamedNode] = []
        var listened: [Listened] = []
        for name in names {
            if Glob.isGlob(name) {
                guard options.pipe == nil else {
                    throw HostError(.badField, "pipe: not together with a glob ('\(name)')")
                }
                try HeldValues(NodeSelection(glob: name, in: view).nodes, in: graph).checkSize()
                listened.append(.glob(name))
                continue
            }
            let node = try view.node(graph.node(name), named: name, to: .read)
            if options.pipe != nil { try view.require(.pipe, on: node) }
            nodes.append(node)
            listened.append(.node(node))
        }
        try graph.members.checkRoom(forMembersAmong: nodes.map(\.name), of: view.access.name)
        let wanted = nodes.map(\.name)
        try WantedClaim.checkRoom(for: view.access.name, listeningTo: wanted, in: graph)
        claim = WantedClaim(of: view.access.name, listeningTo: wanted, in: graph)
        self.graph = graph
        self.listened = listened
        let stages = try options.stages(on: host) ?? []
        self.pipe = stages
        if let node = nodes.first {
            try host.admit(
                Subject(origin: .node(node), pipe: stages),
                for: view.access.name.flatMap { host.pipelines.accounts.find($0) }
            )
        }
        self.options = SubscriptionOptions(options)
        resume = lastEventID.map { Resume(eventID: $0, in: graph) }
    }

    /// Subscribes to all nodes, and sends their present values.
    fileprivate func start(in session: Session) {
        subscribe(0, in: session)
    }

    /// Subscribes to the node at that index, and then to those after it.
    private func subscribe(_ place: Int, in session: Session) {
        guard place < listened.count, !session.isClosed else { return }
        // A cursor before the last snapshot would make a client miss the others.
        session.isOpening = place + 1 < listened.count
        let id = UInt64(place + 1)
        switch listened[place] {
        case .node(let node): subscribe(to: node.present, id, in: session)
        case .glob(let glob):
            subscribe(to: glob, id, in: session)
            subscribe(place + 1, in: session)
        }
    }

    /// Subscribes to all nodes that match, now and later.
    private func subscribe(to glob: String, _ id: UInt64, in session: Session) {
        do throws(HostError) {
            let view = try GraphView(graph, for: session.access ?? .nobody)
            try GroupSubscription.begin(
                for: session,
                id: id,
                on: NodeSelection(glob: glob, in: view),
                matching: [glob],
                in: graph,
                options,
                SnapRequest(resume: resume)
            )
        } catch {
            // What was right when the stream was checked may have changed while it waited.
            session.sendEnd(of: id, error.code == .unknownGraph ? .nodeRemoved : .slow, released: 0)
        }
    }

    private func subscribe(to node: NamedNode, _ id: UInt64, in session: Session) {
        // The stream may have waited for the first value of the node before.
        guard node.isThere else {
            session.sendEnd(of: id, .nodeRemoved, released: 0)
            return subscribe(Int(id), in: session)
        }
        session.subscribe(
            to: Subject(origin: .node(node), pipe: pipe),
            id: id,
            in: graph,
            options,
            SnapRequest(resume: resume)
        ) {
            subscribe(Int(id), in: session)
        }
    }
}

extension Session {
    /// Starts an event stream; called once, for a session of the form ``SessionForm/events``.
    public func start(_ stream: EventStream) {
        guard case .events = form, subscriptionCount == 0 else {
            preconditionFailure("a stream of events is started once")
        }
        stream.start(in: self)
    }
}
