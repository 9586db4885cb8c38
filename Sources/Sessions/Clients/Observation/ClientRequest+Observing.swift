internal import Graphs
internal import Definitions
internal import Support
internal import Values

extension ClientRequest {
    /// `observe`: reports changes of the graph's picture.
    func observe(as id: UInt64) throws(HostError) {
        let view = try graph()
        try view.requireObservation()
        try fields.refuse(.owner, because: "an observer keeps nothing alive")
        let graph = view.graph
        let limits = host.limits
        guard session.observers.count < limits.observers else {
            let message = "at most \(limits.observers) observers per connection"
            // Only the client itself can end one.
            throw HostError(.subLimit, message, retry: false)
        }
        let every = try fields.integer(.every, in: Observer.shortestInterval...86_400_000) ?? 250
        let surroundings = try surroundings(in: view)
        if surroundings == nil { try view.requirePicture(live: true) }
        let observer = Observer(
            id: id,
            session: session,
            graph: graph,
            every: UInt64(every),
            members: try members(),
            around: surroundings
        )
        let message = observer.begin()
        guard message.count <= limits.hardBytes / 2 else {
            var error = HostError(.tooLarge, "\(graph.name) is too large for one message; see GET …/graph")
            error.hint = "observe a part of it with 'around' and 'depth'"
            throw error
        }
        session.madeExtras.observers.append(observer)
        observer.start()
        session.answer(id: nil, bytes: 0) { $0.append(message) }
    }

    /// Reads `members`: the names of family members to show.
    private func members() throws(HostError) -> [String]? {
        guard let field = fields[.members] else { return nil }
        try fields.refuse(.around, because: "not together with 'members'")
        let problem = HostError(
            .badField,
            "members: a list of at most \(Observer.mostMembers) names is needed"
        )
        guard field.kind == .array else { throw problem }
        var names: [String] = []
        for element in field.elements {
            guard let name = element.string, names.count < Observer.mostMembers else { throw problem }
            names.append(name)
        }
        return names
    }

    /// Reads `around` and `depth`.
    private func surroundings(in view: GraphView) throws(HostError) -> Surroundings? {
        let depth = try fields.integer(.depth, in: Surroundings.depths)
        guard let node = try fields.string(.around) else {
            if depth != nil { throw Surroundings.depthAlone }
            return nil
        }
        let surroundings = Surroundings(of: node, depth: depth)
        try view.require(surroundings)
        return surroundings
    }
}
