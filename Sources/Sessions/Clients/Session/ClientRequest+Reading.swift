internal import Graphs
internal import Support
internal import Values

// Requests that read: get, list.
extension ClientRequest {
    func get(_ id: UInt64) throws(HostError) {
        try fields.refuse(.pipe, .history, because: "only allowed in 'sub'")
        let view = try graph()
        let graph = view.graph
        let selection = try NodeSelection.read(fields, in: view, limits: host.limits)
        let hasFacets = try fields.bool(.facets) ?? false
        let nodes = selection.nodes
        let held = HeldValues(nodes, in: graph)
        try held.checkSize()
        if try fields.bool(.load) ?? false { for node in nodes { graph.load(node) } }
        answer { buffer in
            Answer.begin("ok", id: id, to: &buffer)
            Answer.appendMoment(of: graph, to: &buffer)
            buffer.member("m")
            held.append(facets: hasFacets, to: &buffer)
            selection.appendMore(to: &buffer)
            buffer.append("}")
        }
    }

    func list(_ id: UInt64) throws(HostError) {
        let follows = try fields.bool(.changes) ?? false
        if host.isCatchingUp { throw host.noGraph }
        if follows {
            let watch = session.clients.alarmWatch ?? AlarmWatch(session.clients)
            session.clients.alarmWatch = watch
            watch.add(session, id: id)
        }
        let access = session.access ?? .nobody
        let graphs = access.graphs(of: host)
        answer { buffer in
            Answer.begin("ok", id: id, to: &buffer)
            buffer.member("graphs", list: graphs) { GraphSummary(of: $0, for: access).append(to: &$1) }
            access.appendOrphans(of: host, to: &buffer)
            buffer.append("}")
        }
    }
}
