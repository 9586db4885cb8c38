internal import GraphHost
internal import HTTP
internal import Support

// What is read from graphs; nothing of it changes them or keeps a node alive.
extension HTTPConnection {
    /// `GET …/nodes/{n}`: the bare value; with `If-None-Match` and `Prefer: wait=n` the next one, if it comes in time.
    func readNode(_ captures: Captures, _ head: RequestHead) {
        guard let node = findNode(captures, to: .read) else { return }
        let reading = node.graph.read(node)
        guard let known = head.value(.ifNoneMatch) else { return answer(reading, of: node) }
        do throws(HostError) {
            guard try Preconditions.isKnown(known, reading, of: node) else {
                return answer(reading, of: node)
            }
        } catch {
            return refuse(error)
        }
        let seconds = head.has(.prefer) ? Preferences(head).waitSeconds ?? 0 : 0
        guard seconds > 0, !server.isDraining else { return answerUnchanged(reading, of: node) }
        wait(for: node, knowing: known, seconds: seconds)
    }

    /// The client has this state already.
    func answerUnchanged(_ reading: Reading, of node: NamedNode) {
        answerEmpty(.notModified) { $0.append(validators: node.graph, reading) }
    }

    /// A node's state.
    func answer(_ reading: Reading, of node: NamedNode) {
        let graph = node.graph
        switch reading.held {
        case .empty:
            answerEmpty(.noContent) { $0.append(validators: graph, reading) }
        case .fail(let fail):
            var members = ByteBuffer()
            members.append(",")
            fail.withFragment { members.append($0) }
            refuse(
                Refusal(
                    "node_failed",
                    "the operator behind the node failed for the present input",
                    members: Array(members.bytes)
                )
            ) { $0.append(validators: graph, reading) }
        case .value(let datum):
            datum.withBytes { bytes in
                answer(.ok, "application/json", bytes) { $0.append(validators: graph, reading) }
            }
        }
    }

    /// `GET …/values?nodes=a,b.*`: many nodes at one rev.
    func readValues(_ captures: Captures, _ head: RequestHead) {
        guard let view = findGraph(captures) else { return }
        let graph = view.graph
        let patterns = Query(head.query).strings("nodes").flatMap {
            $0.split(separator: ",").map(String.init)
        }
        do throws(HostError) {
            let limit = server.configuration.limits.matches
            let nodes = try NodeSelection.pick(patterns.isEmpty ? ["*"] : patterns, in: view, limit: limit)
            answerJSON { out in
                out.append("{")
                out.append(cursor: graph)
                out.append(",\"t\":")
                out.append(decimal: graph.time)
                out.append(",\"m\":{")
                var isFirst = true
                graph.read(nodes) { node, held in
                    if !isFirst { out.append(",") }
                    isFirst = false
                    out.append(json: node.name)
                    out.append(":{")
                    out.append(held)
                    out.append("}")
                }
                out.append("}}\n")
            }
        } catch {
            refuse(error)
        }
    }

    /// `GET /v1/graphs`.
    func listGraphs() {
        guard !server.host.isCatchingUp else { return refuse(server.host.noGraph) }
        answerJSON { out in
            out.append("{\"graphs\":")
            out.append(list: access.graphs(of: server.host)) { graph, out in
                out.append("{")
                out.append(summary: graph, for: access)
                out.append("}")
            }
            out.append("}\n")
        }
    }

    /// `GET /v1/graphs/{g}`.
    func describeGraph(_ captures: Captures) {
        guard let graph = findGraph(captures)?.graph else { return }
        let file = server.fileOwners[graph.name]
        answerJSON({ $0.append(hash: graph.definition) }) { out in
            out.append("{")
            out.append(summary: graph, for: access)
            let counts = graph.statistics
            out.append(",\"definition\":")
            out.append(json: graph.definition.hash)
            out.append(file == nil ? ",\"owner\":\"api\"" : ",\"owner\":\"file\"")
            out.append(",\"live\":{\"nodes\":")
            out.append(decimal: counts.nodes)
            out.append(",\"edges\":")
            out.append(decimal: counts.edges)
            out.append(",\"listeners\":")
            out.append(decimal: counts.listeners)
            out.append("},\"commits\":")
            out.append(decimal: counts.commits)
            out.append(",\"released\":")
            out.append(decimal: counts.released)
            out.append("}\n")
        }
    }
}

extension ByteBuffer {
    /// Appends what tells one state of a node from another.
    fileprivate mutating func append(validators graph: LiveGraph, _ reading: Reading) {
        append(tagField: graph.epoch, reading.changed)
        append("Last-Modified: ")
        HTTPDate(unixSeconds: Int64(reading.changedAt / 1000)).append(to: &self)
        append("\r\nSluice-Time: ")
        append(decimal: reading.changedAt)
        append("\r\n")
    }

    /// Appends `"epoch":…,"rev":…`.
    fileprivate mutating func append(cursor graph: LiveGraph) {
        append("\"epoch\":")
        append(json: graph.epoch)
        append(",\"rev\":")
        append(decimal: graph.rev)
    }

    /// Appends the members of a graph's entry in the list.
    fileprivate mutating func append(summary graph: LiveGraph, for access: Access) {
        append("\"graph\":")
        append(json: graph.name)
        if let title = graph.definition.title {
            append(",\"title\":")
            append(json: title)
        }
        append(",")
        append(cursor: graph)
        append(",\"nodes\":")
        append(decimal: access.countReadable(graph))
        append(",\"listeners\":")
        append(decimal: graph.statistics.subscriptions)
    }
}
