internal import Definitions
internal import Graphs
internal import Support

extension Sinks {
    /// Appends the counters of these graphs' sinks in the text form of Prometheus.
    func appendMetrics(of graphs: Set<String>, to out: inout ByteBuffer) {
        let sinks = list().filter { graphs.contains($0.graph.name) }
        guard !sinks.isEmpty else { return }
        func family(_ name: StaticString, _ help: StaticString, _ value: (Sink) -> UInt64) {
            out.head(name, help)
            for sink in sinks {
                out.append(utf8: "\(name){\(Self.labels(of: sink))} \(value(sink))\n")
            }
        }
        family("sluice_sink_sent_total", "Values that receivers accepted.") { $0.counters.sent }
        family("sluice_sink_failed_total", "Failed attempts.") { $0.counters.failed }
        family("sluice_sink_retried_total", "Attempts that repeat a failed one.") { $0.counters.retried }
        family("sluice_sink_dropped_total", "Values that were given up.") { $0.counters.dropped }
        family("sluice_sink_waiting", "Values that have not arrived yet.") { UInt64($0.queued) }
        out.head("sluice_sink_seconds", "summary", "Duration of attempts.")
        for sink in sinks {
            let (counters, labels) = (sink.counters, Self.labels(of: sink))
            let seconds = Double(counters.milliseconds) / 1_000
            out.append(utf8: "sluice_sink_seconds_sum{\(labels)} \(seconds)\n")
            out.append(utf8: "sluice_sink_seconds_count{\(labels)} \(counters.attempts)\n")
        }
    }

    private static func labels(of sink: Sink) -> String {
        "graph=\"\(sink.graph.name)\",sink=\"\(sink.definition.name)\""
    }

    /// Appends `,"sinks":[…]` with a graph's sinks, for `GET /v1/graphs/{g}`; nothing if there are
    /// none.
    func append(of graph: LiveGraph, to out: inout ByteBuffer) {
        let sinks = list(of: graph)
        guard !sinks.isEmpty else { return }
        out.member("sinks", objects: sinks) { sink, out in
            out.member("name", sink.definition.name)
            out.member("from", sink.definition.from)
            // Without the path, which may be a secret.
            out.member("to", origin(of: sink))
            for (key, count) in [
                ("sent", sink.counters.sent), ("failed", sink.counters.failed),
                ("retried", sink.counters.retried), ("dropped", sink.counters.dropped),
                ("waiting", UInt64(sink.queued)),
            ] {
                out.append(utf8: ",\"\(key)\":\(count)")
            }
            if sink.leftOut > 0 { out.member("more", sink.leftOut) }
            for (key, time) in [("arrivedAt", sink.arrivedAt), ("failingSince", sink.failingSince)] {
                if let time { out.append(utf8: ",\"\(key)\":\(time)") }
            }
            out.member("failure", sink.failure)
        }
    }
}
