internal import Graphs
internal import Sessions
internal import Support

extension Upstreams {
    /// Appends the counters of all upstreams in the text form of Prometheus, by scheme, host and
    /// port.
    func appendMetrics(to out: inout ByteBuffer) {
        guard !counters.isEmpty else { return }
        let open = Dictionary(grouping: list, by: \.key.origin)
        let origins = counters.keys.sorted()
        out.head("sluice_upstreams", "gauge", "What is asked of upstreams while something listens.")
        for origin in origins {
            out.append(utf8: "sluice_upstreams{upstream=\"\(origin)\"} \(open[origin]?.count ?? 0)\n")
        }
        func family(_ name: StaticString, _ help: StaticString, _ value: (UpstreamCounters) -> UInt64) {
            out.head(name, help)
            for origin in origins {
                let count = counters[origin].map(value) ?? 0
                out.append(utf8: "\(name){upstream=\"\(origin)\"} \(count)\n")
            }
        }
        family("sluice_upstream_requests_total", "Requests to upstreams.") { $0.requests }
        family("sluice_upstream_failed_total", "Requests that gave no value.") { $0.failed }
        family("sluice_upstream_unchanged_total", "Answers that say that nothing has changed.") {
            $0.unchanged
        }
        family("sluice_upstream_items_total", "Values asked for.") { $0.items }
        family("sluice_upstream_bytes_total", "Bytes of answers.") { $0.bytes }
        out.head("sluice_upstream_seconds", "summary", "Duration of requests.")
        for origin in origins {
            guard let counters = counters[origin] else { continue }
            let labels = "upstream=\"\(origin)\""
            let seconds = Double(counters.milliseconds) / 1_000
            out.append(utf8: "sluice_upstream_seconds_sum{\(labels)} \(seconds)\n")
            out.append(utf8: "sluice_upstream_seconds_count{\(labels)} \(counters.requests)\n")
        }
    }

    /// Appends `,"upstreams":[…]` with what is open for a graph, for `GET /v1/graphs/{g}`; nothing
    /// if there is nothing.
    func append(of graph: LiveGraph, to out: inout ByteBuffer) {
        let open = upstreams(of: graph)
        guard !open.isEmpty else { return }
        out.member("upstreams", objects: open) { upstream, out in
            upstream.appendMembers(at: wallClock, to: &out)
            out.member("nodes", upstream.nodes.count)
        }
    }

    /// Appends `,"upstreams":[…]` with what is open for graphs that the caller may see, and the
    /// number of nodes of each; at most ``mostListed``, and then how many there are.
    func append(where isShown: (LiveGraph) -> Bool, to out: inout ByteBuffer) {
        var names: [UInt64: [(graph: String, nodes: Int)]] = [:]
        for feeds in graphs.values.sorted(by: { $0.graph.name < $1.graph.name }) where isShown(feeds.graph) {
            for (upstream, nodes) in feeds.opened {
                names[upstream.number, default: []].append((feeds.graph.name, nodes.count))
            }
        }
        let open = list.filter { names[$0.number] != nil }
        out.member("upstreams", objects: open.prefix(Self.mostListed)) { upstream, out in
            shown(upstream, for: []).appendMembers(at: wallClock, to: &out)
            out.member("graphs", objects: names[upstream.number] ?? []) { each, out in
                out.member("graph", each.graph)
                out.member("nodes", each.nodes)
            }
        }
        if open.count > Self.mostListed { out.member("upstreamCount", open.count) }
    }

    /// The most upstreams of one answer.
    private static let mostListed = 1_000

    /// An upstream as it may be shown: without the path, which may have a secret.
    private func shown(_ upstream: Upstream, for names: [String]) -> OpenUpstream {
        let failure = upstream.failure.map {
            OpenUpstream.Failure(
                $0.reason.message,
                status: $0.reason.status,
                retryAt: $0.retryAt ?? wallClock
            )
        }
        let now = host.clock.now
        let due = failure == nil ? upstream.due : nil
        return OpenUpstream(
            number: upstream.number,
            origin: upstream.key.origin,
            state: upstream.state.rawValue,
            dueAt: due.map { wallClock + ($0 > now ? $0 - now : 0) },
            failure: failure,
            nodes: names
        )
    }
}

extension Upstreams: UpstreamSight {
    func upstreams(of graph: LiveGraph) -> [OpenUpstream] {
        guard let feeds = graphs[graph.name], feeds.graph === graph else { return [] }
        return feeds.opened.map { shown($0.upstream, for: $0.names) }
    }

    func upstream(of node: NamedNode) -> OpenUpstream? {
        guard let feeds = graphs[node.graph.name], feeds.graph === node.graph else { return nil }
        return feeds.upstream(of: node.name).map { shown($0, for: [node.name]) }
    }
}
