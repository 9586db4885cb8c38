internal import EventLoop
internal import GraphHost
internal import HTTP
internal import Support

// Reading graphs: changes nothing and keeps no node alive.
extension HTTPConnection {
    /// `GET …/nodes/{n}`: the bare value; with `If-None-Match` and `Prefer: wait=n` the next one,
    /// if it comes in time.
    func readNode(_ captures: Captures, _ head: RequestHead) {
        if !head.query.isEmpty {
            guard let view = findGraph(captures) else { return }
            let known = head.value(.ifNoneMatch).map { Array($0) }
            let name = String(decoding: captures[1], as: UTF8.self)
            let hasFacets = Query(head.query).flag("facets")
            let isPast = looksBack(head, view, at: .node(name, facets: hasFacets)) { connection, past in
                if let known { connection.answer(past, unlessKnown: known) } else { connection.answer(past) }
            }
            if isPast { return }
        }
        guard let node = findNode(captures, to: .read) else { return }
        if !head.query.isEmpty, Query(head.query).flag("load") { node.graph.load(node) }
        let reading = node.graph.read(node)
        let hasFacets = !head.query.isEmpty && Query(head.query).flag("facets")
        guard let known = head.value(.ifNoneMatch) else {
            return answer(reading, of: node, facets: hasFacets)
        }
        do throws(HostError) {
            guard try Preconditions.isKnown(known, reading, of: node) else {
                return answer(reading, of: node, facets: hasFacets)
            }
        } catch {
            return refuse(error)
        }
        let seconds = head.has(.prefer) ? Preferences(head).waitSeconds ?? 0 : 0
        guard seconds > 0, !server.isDraining else { return answerUnchanged(reading, of: node) }
        wait(for: node, knowing: known, seconds: seconds, facets: hasFacets)
    }

    /// Answers that the client has this state already.
    func answerUnchanged(_ reading: Reading, of node: NamedNode) {
        answerEmpty(.notModified) { $0.append(validators: node.graph, reading) }
    }

    /// Answers with a node's state: the bare value, or an object with its facets.
    func answer(_ reading: Reading, of node: NamedNode, facets hasFacets: Bool = false) {
        let graph = node.graph
        guard !hasFacets else {
            let state = graph.stateJSON(of: node)
            return answerObject(reading.held.member, state) { $0.append(validators: graph, reading) }
        }
        switch reading.held {
        case .empty:
            answerEmpty(.noContent) { $0.append(validators: graph, reading) }
        case .fail(let fail):
            fail.withFragment { refuseFailed($0) { $0.append(validators: graph, reading) } }
        case .value(let datum):
            datum.withBytes { bytes in
                answer(.ok, "application/json", bytes) { $0.append(validators: graph, reading) }
            }
        }
    }

    /// `?facets=1`: answers with an object of the value and the facets.
    func answerObject(_ held: [UInt8], _ state: [UInt8], fields: (inout ByteBuffer) -> Void) {
        var body = ByteBuffer()
        body.append("{")
        body.append(held)
        body.append(",\"state\":")
        body.append(state)
        body.append("}\n")
        answer(.ok, "application/json", body.bytes, fields: fields)
    }

    /// Answers that the node's operator failed; `fail` is the member with the reason.
    func refuseFailed(_ fail: UnsafeRawBufferPointer, fields: (inout ByteBuffer) -> Void) {
        var members = ByteBuffer()
        members.append(",")
        members.append(fail)
        refuse(
            Refusal(
                "node_failed",
                "the operator behind the node failed for the present input",
                members: Array(members.bytes)
            ),
            fields: fields
        )
    }

    /// `GET …/values?nodes=a,b.*`: many nodes at one rev.
    func readValues(_ captures: Captures, _ head: RequestHead) {
        guard let view = findGraph(captures) else { return }
        let patterns = Query(head.query).strings("nodes").flatMap {
            $0.split(separator: ",").map(String.init)
        }
        let limit = server.host.limits.matches
        let hasFacets = Query(head.query).flag("facets")
        let loads = Query(head.query).flag("load")
        if looksBack(head, view, at: .values(of: patterns, limit: limit, facets: hasFacets)) { return }
        do throws(HostError) {
            try view.values(of: patterns, limit: limit, facets: hasFacets, load: loads).withUnsafeBytes {
                answer(.ok, "application/json", $0)
            }
        } catch {
            refuse(error)
        }
    }

    /// `GET …/nodes?match=GLOB&limit=100&after=NAME`: nodes by name, page by page.
    func pageNodes(_ captures: Captures, _ head: RequestHead) {
        guard let view = findGraph(captures) else { return }
        let query = Query(head.query)
        let limit = query.strings("limit").last.map { Int($0) } ?? 100
        guard let limit, (1...GraphView.longestPage).contains(limit) else {
            return refuse(Refusal("bad_field", "limit: 1 to \(GraphView.longestPage) nodes are a page"))
        }
        let match = query.strings("match").last ?? "*"
        view.page(matching: match, after: query.strings("after").last, limit: limit).withUnsafeBytes {
            answer(.ok, "application/json", $0)
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
        guard let reader = server.host.reader else { return describe(graph, kept: nil) }
        // A log may have to read its disk for that.
        let (name, number) = (graph.name, wait())
        FileTask.run(on: server.loop) { () throws(UVError) in
            do throws(StoreError) {
                return .success(try reader.revs(of: name))
            } catch {
                return .failure(error)
            }
        } answer: { [weak self] (result: Result<Result<ClosedRange<UInt64>?, StoreError>, UVError>) in
            guard let self else { return }
            server.beginTurn()
            answerLater(number) { connection in
                guard let graph = server.host[name] else { return connection.refuse(server.host.noGraph) }
                switch result {
                case .success(.success(let kept)): connection.describe(graph, kept: kept)
                case .success(.failure(let error)): connection.refuse(server.host.fault("the past: \(error)"))
                case .failure(let error): connection.refuse(server.host.fault("the past: \(error)"))
                }
            }
        }
    }

    private func describe(_ graph: LiveGraph, kept: ClosedRange<UInt64>?) {
        let file = server.fileOwners[graph.name]
        answerJSON({ $0.append(hash: graph.definition) }) { out in
            out.append("{")
            out.append(summary: graph, for: access)
            let counts = graph.statistics
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
            out.append(kept: kept)
            if (try? GraphView(graph, for: access).requireObservation()) != nil {
                server.sinks.append(of: graph, to: &out)
            }
            out.append("}\n")
        }
    }
}

extension ByteBuffer {
    /// Appends the validators of a node's state.
    fileprivate mutating func append(validators graph: LiveGraph, _ reading: Reading) {
        append(validators: graph.epoch, reading.changed, at: reading.changedAt)
    }

    /// The same for a state whose last change was at `rev`, at `time` in milliseconds since 1970.
    mutating func append(validators epoch: String, _ rev: UInt64, at time: UInt64) {
        append(tagField: epoch, rev)
        append("Last-Modified: ")
        HTTPDate(unixSeconds: Int64(time / 1000)).append(to: &self)
        append("\r\nSluice-Time: ")
        append(decimal: time)
        append("\r\n")
    }

    /// Appends `,"kept":{"from":…,"to":…}`: the revs at which the graph's past is kept; null if
    /// there are none.
    mutating func append(kept: ClosedRange<UInt64>?) {
        append(",\"kept\":")
        guard let kept else { return append("null") }
        append("{\"from\":")
        append(decimal: kept.lowerBound)
        append(",\"to\":")
        append(decimal: kept.upperBound)
        append("}")
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
        append(",\"definition\":")
        append(json: graph.definition.hash)
        graph.appendAlarms(to: &self, for: access)
    }
}
