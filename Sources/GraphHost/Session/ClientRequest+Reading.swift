internal import ReactiveGraph
internal import Support

// Requests that read: get, list.
extension ClientRequest {
    func get(_ id: UInt64) throws(HostError) {
        let view = try graph()
        let graph = view.graph
        let nodes = try NodeSelection.read(fields, in: view, limits: host.limits)
        let hasFacets = try fields.bool(.facets) ?? false
        if try fields.bool(.load) ?? false { for node in nodes { graph.load(node) } }
        answer { buffer in
            Answer.begin("ok", id: id, to: &buffer)
            Answer.appendCursor(of: graph, to: &buffer)
            Answer.appendTime(of: graph, to: &buffer)
            buffer.append(",\"m\":")
            graph.appendValues(of: nodes, facets: hasFacets, to: &buffer)
            buffer.append("}")
        }
    }

    func list(_ id: UInt64) throws(HostError) {
        let follows = try fields.bool(.changes) ?? false
        if host.isCatchingUp { throw host.noGraph }
        if follows {
            let watch = host.alarmWatch ?? AlarmWatch(host)
            host.alarmWatch = watch
            watch.add(session, id: id)
        }
        let access = session.access.access ?? Access(everybody: [])
        let graphs = access.graphs(of: host)
        answer { buffer in
            Answer.begin("ok", id: id, to: &buffer)
            buffer.append(",\"graphs\":")
            buffer.append(list: graphs) { $0.appendSummary(to: &$1, for: access) }
            buffer.append("}")
        }
    }
}

extension LiveGraph {
    /// The values of several nodes.
    ///
    /// A node that more than one of them needs is built once, and released after the last.
    public func read(_ nodes: [NamedNode], _ visit: (NamedNode, Held) -> Void) {
        let living = nodes.map(materialise)
        host.work += UInt64(nodes.count)
        for (place, node) in nodes.enumerated() { visit(node, living[place].held) }
    }

    /// Appends `{"a":{"v":…},"b":{"empty":true}}`; with `facets`, each with its `state`.
    func appendValues(of nodes: [NamedNode], facets hasFacets: Bool = false, to buffer: inout ByteBuffer) {
        // All are held until the last one is read, so that shared upstream nodes are built once.
        let living = nodes.map(materialise)
        host.work += UInt64(nodes.count)
        buffer.append("{")
        buffer.append(separated: zip(nodes, living)) { entry, buffer in
            buffer.append(json: entry.0.name)
            buffer.append(":{")
            Subscription.append(entry.1.value, to: &buffer)
            if hasFacets {
                buffer.append(",")
                append(state: mergedFacets(of: entry.1).facets, of: entry.1, to: &buffer)
            }
            buffer.append("}")
        }
        buffer.append("}")
    }

    /// One entry of `list` and of `GET /v1/graphs`.
    func appendSummary(to buffer: inout ByteBuffer, for access: Access) {
        buffer.append("{\"graph\":")
        buffer.append(json: name)
        if let title = definition.title {
            buffer.append(",\"title\":")
            buffer.append(json: title)
        }
        Answer.appendCursor(of: self, to: &buffer)
        buffer.append(",\"nodes\":")
        buffer.append(decimal: access.countReadable(self))
        buffer.append(",\"listeners\":")
        buffer.append(decimal: subscriptions)
        buffer.append(",\"definition\":")
        buffer.append(json: definition.hash)
        appendAlarms(to: &buffer, for: access)
        buffer.append("}")
    }
}
