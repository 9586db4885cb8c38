internal import Graphs
internal import Definitions
internal import Support
internal import Values

// Requests that change a graph: set, drop.
extension ClientRequest {
    func set() throws(HostError) {
        let view = try graph()
        var commit = Commit(graph: view.graph)
        try CommitReader.read(fields, into: &commit, for: view, try FormulaText.all(in: fields), pipeline)
        commit.by = session.access?.name
        commit.isByHand = try fields.bool(.hand) ?? false
        let claims = try fields.bool(.presence) == true
        if claims { try fields.refuse(.update, because: "a set with presence takes values") }
        let claimed =
            claims
            ? commit.setNodes : session.extras?.presence.renewed(by: commit) ?? []
        commit.claimed = claimed
        try submit(commit, claiming: claimed)
    }

    func drop() throws(HostError) {
        try fields.refuse(.set, .update, .clear, because: "drop takes nodes")
        let view = try graph()
        let names = try NodeSelection.names(fields) ?? []
        guard !names.isEmpty else {
            throw HostError(.badField, "node or nodes: the members to drop are needed")
        }
        var commit = Commit(.drop, of: view.graph)
        for name in names {
            // Whether a member was there is a thing to read.
            commit.clear.append(try view.node(view.graph.node(name), named: name, to: [.set, .read]))
        }
        try CommitReader.read(fields, into: &commit, for: view, try FormulaText.all(in: fields), pipeline)
        commit.by = session.access?.name
        try submit(commit)
    }

    /// Submits its commit, and answers; `claimed` are the nodes that represent the session by it.
    func submit(_ commit: Commit, claiming claimed: [NamedNode] = []) throws(HostError) {
        var submission = host.submit(commit)
        if !claimed.isEmpty {
            submission = PresenceClaiming(for: session).claim(claimed, by: commit, submission)
        }
        switch submission {
        case .applied(let applied):
            if session.clients.recordsSets { note(.success(applied), of: commit, to: session.transport) }
            let holds = session.clients.dispatcher.deliverBeforeAnswer(to: session)
            guard id != nil else { return }
            guard !holds else {
                let dispatcher = session.clients.dispatcher
                let answer = dispatcher.message(.answer) {
                    Answer.commit(.success(applied), id: id, to: &$0)
                }
                return dispatcher.keep(answer, of: session, id: id, bytes: bytes)
            }
            session.answer(id: id, bytes: bytes) { Answer.commit(.success(applied), id: id, to: &$0) }
        case .refused(let error): throw error
        case .pending(let pending):
            if session.clients.recordsSets {
                pending.onAnswer { [weak transport = session.transport] in
                    note($0, of: commit, to: transport)
                }
            }
            session.clients.dispatcher.wait(for: pending, of: session, id: id, bytes: bytes)
        }
    }

    private func note(
        _ result: Result<Applied, HostError>,
        of commit: Commit,
        to transport: (any MessageTransport)?
    ) {
        let word = if case .drop = commit.kind { "drop" } else { commit.reports.isEmpty ? "set" : "load" }
        transport?.acted(SessionAct(word, on: commit.graph, result))
    }
}
