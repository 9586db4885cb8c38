internal import Graphs
internal import Support

extension Upstreams {
    /// Appends the counters of all upstreams in the text form of Prometheus, by scheme, host and
    /// port.
    func appendMetrics(to out: inout ByteBuffer) {
        guard !counters.isEmpty else { return }
        let open = Dictionary(grouping: list(), by: \.key.origin)
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
        let open = list(of: graph)
        guard !open.isEmpty else { return }
        out.member("upstreams", objects: open) { upstream, out in
            // Without the path, which may have a secret.
            out.member("from", upstream.key.origin)
            out.member("nodes", upstream.nodes(of: graph))
            out.member("state", upstream.state.rawValue)
            if let failure = upstream.failure {
                out.member("failure", failure.reason.message)
                out.member("retryAt", failure.retryAt)
            } else if let due = upstream.due {
                out.member("dueIn", due > host.clock.now ? due - host.clock.now : 0)
            }
        }
    }
}
