internal import Definitions
internal import Graphs
internal import ReactiveGraph
internal import Support
internal import Values

// Requests about links: link, sync.
extension ClientRequest {
    /// `link`: sets a node to what a pipeline makes of another one.
    func link(as id: UInt64) throws(HostError) {
        let view = try graph()
        try requireRoom(for: 1)
        let stages = try fields[.pipe].map { pipe throws(HostError) in
            try PipelineParser(host, pipeline).stages(of: pipe.bytes)
        }
        let way = try way(.link, in: view, from: "from", to: "to", stages ?? [])
        try begin([way], as: id, in: view)
    }

    /// `sync`: keeps two nodes in step, through an expression in each direction.
    func sync(as id: UInt64) throws(HostError) {
        let view = try graph()
        try requireRoom(for: 2)
        if (fields["to_a"] == nil) != (fields["to_b"] == nil) {
            let missing = fields["to_a"] == nil ? "to_a" : "to_b"
            var error = HostError(
                .badField,
                "\(missing): a sync needs it too, because each expression undoes the other"
            )
            error.hint = "for one direction only, make a link"
            throw error
        }
        let toA = try way(.sync, in: view, from: "b", to: "a", stages(mapping: "to_a"))
        let toB = try way(.sync, in: view, from: "a", to: "b", stages(mapping: "to_b"))
        try begin([toA, toB], as: id, in: view)
    }

    /// What a link leads over, and what it is.
    private typealias LinkWay = (subject: Subject, link: ClientLink)

    private func requireRoom(for count: Int) throws(HostError) {
        try fields.refuse(.mode, .every, .facets, .load, .keep, .path, because: "a link delivers no values")
        guard session.subscriptionCount + count > host.limits.subscriptions else { return }
        throw HostError(.subLimit, "at most \(host.limits.subscriptions) subscriptions per connection")
    }

    private func stages(mapping field: String) throws(HostError) -> [Stage] {
        guard let expression = fields[field] else { return [] }
        guard expression.kind == .string else {
            throw HostError(.badField, "\(field): an expression such as \"value + 1\" is needed")
        }
        let opening = "[{\"map\":"
        var text = ByteBuffer()
        text.append(utf8: opening)
        text.append(expression.bytes)
        text.append("}]")
        do throws(HostError) {
            return try Array(text.bytes).withBorrowedBytes { text throws(HostError) in
                try PipelineParser(host, nil).stages(of: text)
            }
        } catch {
            guard !error.problems.isEmpty else { throw error }
            // The places count in the expression, which the client has sent without the stage.
            var moved = HostError(error.problems.map { $0.moved(by: opening.utf8.count + 1, to: field) })
            moved.message = "\(field): \(moved.message)"
            throw moved
        }
    }

    private func way(
        _ kind: ClientLink.Kind,
        in view: GraphView,
        from: String,
        to: String,
        _ stages: [Stage]
    ) throws(HostError) -> LinkWay {
        let source = try node(from, in: view, to: [.read, .pipe])
        let target = try node(to, in: view, to: [.set, .link])
        guard source !== target else {
            throw HostError(.badField, "\(to): \(target.name) cannot be linked to itself", node: target.name)
        }
        if let refusal = target.linkRefusal { throw refusal }
        let subject = Subject(origin: .node(source), pipe: stages)
        return (subject, ClientLink(kind, over: subject, from: source, to: target))
    }

    private func node(_ field: String, in view: GraphView, to rights: Rights) throws(HostError) -> NamedNode {
        guard let name = fields[field]?.string else {
            throw HostError(.badField, "\(field): the name of a node is needed")
        }
        return try view.node(view.graph.node(name), named: name, to: rights)
    }

    /// Makes the links: both directions of a `sync`, the one that wins first.
    private func begin(_ ways: [LinkWay], as id: UInt64, in view: GraphView) throws(HostError) {
        let graph = view.graph
        let names = Set(ways.flatMap { [$0.link.from.name, $0.link.to.name] }).sorted()
        if !graph.members.families.isEmpty {
            try graph.members.checkRoom(forMembersAmong: names, of: session.access?.name)
        }
        let rings = LinkRings(of: graph, with: ways.map(\.link))
        guard !ways.contains(where: { rings.holds($0.link) }) else { throw LinkRings.refusal }
        for way in ways {
            try Subscription.checkWanted(under: way.subject.nodes, in: graph, by: session)
            try session.admit(way.subject)
        }
        let owners = try OwnerNames(fields, .owner)
        var options = SubscriptionOptions()
        // Every value is set, none is folded.
        options.isAll = true
        options.hasPath = true
        if let queue = try fields.integer(.queue, in: 1...100_000) { options.queue = Int32(queue) }
        let replays = try fields.bool(.initial) ?? true
        let first = LinkSubscription(id: id, session: session, options: options, ways[0].link)
        if let owners { session.ownerTable.give(first, to: owners) }
        let all = [first] + ways.dropFirst().map { LinkSubscription(opposite: first, $0.link) }
        let chains = zip(all, ways).map { link, way in
            link.requiredRights = session.access?.requiredRights(way.subject.nodes, needs: [.read, .pipe])
            graph.clients.links.add(link.link)
            return link.begin(on: way.subject)
        }
        let answer = { [session, host] in
            // Of a sync, the second direction brings its value only where the first has none.
            if replays { (all.first { $0.node?.isEmpty == false } ?? first).replay() }
            session.clients.links.run(in: host)
            session.answer(id: id, bytes: 0) { buffer in
                Answer.begin("linked", id: id, to: &buffer)
                Answer.appendMoment(of: graph, to: &buffer)
                buffer.append("}")
            }
        }
        let place = chains.indices.last { chains[$0]?.isBehind == true }
        guard let place, let chain = chains[place] else { return answer() }
        all[place].whenCaughtUp(chain, answer)
    }
}

extension DefinitionProblem {
    /// The same in a field, which begins so many columns later.
    fileprivate func moved(by columns: Int, to field: String) -> DefinitionProblem {
        let place = Position(line: position.line, column: position.column - columns)
        var problem = DefinitionProblem(message, code: code, at: place, hint: hint)
        problem.pointer = "/\(field)"
        return problem
    }
}
