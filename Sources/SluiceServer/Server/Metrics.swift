internal import Commits
internal import Definitions
internal import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
internal import Support

/// The counters of a server in the text form of Prometheus (exposition format 0.0.4).
enum Metrics {
    /// Appends what the caller may see: the counters of its graphs, and those of the server with
    /// the right over everything.
    static func append(of server: Server, for access: Access, to out: inout ByteBuffer) {
        let shown = server.host.graphs.filter { access.has(.metrics, over: .graph($0.name)) }
        graphs(shown, &out)
        server.service.sinks.appendMetrics(of: Set(shown.map(\.name)), to: &out)
        guard access.has(.metrics, over: .everything) else { return }
        out.sample("sluice_orphans", "Graphs whose files are gone.", UInt64(server.host.orphans.count))
        out.sample(
            "sluice_graph_files_failed",
            "Graph files with problems when they were last read.",
            UInt64(server.service.files.failed.count)
        )
        connections(server, &out)
        server.service.upstreams.appendMetrics(to: &out)
        out.sample("sluice_log_ready", "Whether the log takes commits.", server.host.health == .ready ? 1 : 0)
        if server.host.isShared {
            out.sample(
                "sluice_log_leading",
                "Whether this server makes ticks and snapshots for all that share the log.",
                server.host.isLeading ? 1 : 0
            )
            out.sample(
                "sluice_log_behind_commits",
                "Commits in the log that this server had not applied when it looked last.",
                server.host.logStatistics?.behind ?? 0
            )
        }
        if let statistics = server.host.logStatistics { log(statistics, &out) }
        out.sample("sluice_internal_errors_total", "Internal faults of the server.", server.faults)
        times(server.turns.times, &out)
        sessions(server.clients.statistics, &out)
        pressure(server.host.statistics, &out)
        out.head("sluice_build_info", "The version of Sluice and its commit.")
        let commit = Build.commit ?? ""
        out.append(utf8: "sluice_build_info{version=\"\(Version.text)\",commit=\"\(commit)\"} 1\n")
        process(server, &out)
    }

    private static func log(_ statistics: LogStatistics, _ out: inout ByteBuffer) {
        out.sample("sluice_log_commits_total", "Commits that the log has made durable.", statistics.commits)
        out.sample(
            "sluice_log_writes_total",
            "Writes of the log, each of one commit or many.",
            statistics.writes
        )
        out.head("sluice_log_write_seconds", "summary", "Time that writes of the log take.")
        out.append(utf8: "sluice_log_write_seconds_sum \(statistics.writeTime / .seconds(1))\n")
        out.append(utf8: "sluice_log_write_seconds_count \(statistics.writes)\n")
        out.sample("sluice_log_failures_total", "Writes that failed.", statistics.failures)
        out.sample("sluice_log_snapshots_total", "Snapshots that were stored.", statistics.snapshots)
        out.sample("sluice_log_bytes", "Bytes of the database.", statistics.bytes)
    }

    private static func graphs(_ graphs: [LiveGraph], _ out: inout ByteBuffer) {
        let all = graphs.map { ($0, $0.statistics) }
        func family(
            _ name: StaticString,
            _ help: StaticString,
            _ value: (LiveGraph, GraphStatistics) -> UInt64
        ) {
            out.head(name, help)
            for (graph, statistics) in all {
                out.sample(name, of: "graph", graph.name, value(graph, statistics))
            }
        }
        family("sluice_nodes", "Nodes that exist now.") { UInt64($1.nodes) }
        family("sluice_edges", "Edges between nodes that exist now.") { UInt64($1.edges) }
        family("sluice_listeners", "Listen edges that exist now.") { UInt64($1.listeners) }
        family("sluice_subscriptions", "Subscriptions of clients.") { UInt64($1.subscriptions) }
        family("sluice_kept_chains", "Chains kept for clients whose connections have ended.") {
            UInt64($1.keptChains)
        }
        family("sluice_nodes_released_total", "Nodes freed since the start.") { $1.released }
        family("sluice_commits_total", "Commits applied since the start.") { $1.commits }
        family("sluice_commits_pending", "Commits the log has not answered yet.") { UInt64($1.pending) }
        family("sluice_unreachable_nodes", "Nodes that hold each other and that nothing else holds.") {
            UInt64($1.unreachable)
        }
        family("sluice_rev", "Rev of the last commit.") { graph, _ in graph.rev }
    }

    private static func connections(_ server: Server, _ out: inout ByteBuffer) {
        out.head("sluice_connections", "Open connections by what is spoken on them.")
        // One pass without strings, because there may be a hundred thousand connections.
        var counts: [SpokenTransport: UInt64] = [:]
        for connection in server.hub.connections { counts[connection.transport, default: 0] += 1 }
        for transport in SpokenTransport.allCases {
            out.sample("sluice_connections", of: "transport", transport.rawValue, counts[transport] ?? 0)
        }
        out.sample(
            "sluice_connections_total",
            "Connections accepted since the start.",
            server.acceptor.accepted
        )
        out.sample(
            "sluice_connections_refused_total",
            "Connections refused for lack of room.",
            server.acceptor.turnedAway
        )
        out.sample("sluice_tls_failures_total", "Connections that TLS ended.", server.acceptor.tlsFailures)
        out.sample(
            "sluice_wrong_tokens_total",
            "Unknown tokens received.",
            server.hub.credentials.wrongTokens.shown
        )
        out.sample(
            "sluice_wrong_tokens_limited_total",
            "Unknown tokens above the limit of their address.",
            server.hub.credentials.wrongTokens.limited
        )
        if let issued = server.hub.credentials.authenticator?.issued {
            out.sample(
                "sluice_issued_tokens_checked_total",
                "Signatures of issuers' tokens checked.",
                issued.checked
            )
            out.sample(
                "sluice_issuers_down",
                "Issuers whose keys could not be fetched at the last attempt.",
                UInt64(issued.downCount)
            )
        }
        out.sample(
            "sluice_slow_peers_reset_total",
            "Connections ended because those of one principal or address held too much.",
            server.hub.slowPeers.resets
        )
        requests(server.hub.traffic.answers, &out)
        out.sample(
            "sluice_received_bytes_total",
            "Bytes received from peers.",
            server.hub.traffic.receivedBytes
        )
        out.sample("sluice_sent_bytes_total", "Bytes sent to peers.", server.hub.traffic.sentBytes)
        out.sample(
            "sluice_deflated_messages_total",
            "WebSocket messages that were compressed.",
            server.hub.codec.compression.counters.runs
        )
        out.sample(
            "sluice_deflated_frames_total",
            "WebSocket frames sent of them; frames of the same content are compressed once.",
            server.hub.codec.compression.counters.frames
        )
        out.sample(
            "sluice_compression_context_bytes",
            "Memory of connections' own compression contexts.",
            UInt64(server.hub.codec.compression.counters.contextBytes)
        )
    }

    private static func sessions(_ statistics: ClientStatistics, _ out: inout ByteBuffer) {
        out.sample("sluice_sessions", "Open sessions.", UInt64(statistics.sessions))
        out.sample("sluice_messages_received_total", "Messages of clients.", statistics.messagesIn)
        out.sample("sluice_messages_sent_total", "Messages to clients.", statistics.messagesOut)
        out.sample(
            "sluice_values_folded_total",
            "Values that a slow listener, or one with an interval, did not get because a newer one came.",
            statistics.folded
        )
    }

    private static func pressure(_ statistics: HostStatistics, _ out: inout ByteBuffer) {
        out.sample(
            "sluice_memory_pressure_total",
            "Times that unused nodes were released because memory was short.",
            statistics.pressureEvents
        )
        out.sample(
            "sluice_memory_pressure_released_nodes_total",
            "Nodes freed by that.",
            statistics.pressureReleased
        )
    }

    private static func times(_ times: LoopTimes, _ out: inout ByteBuffer) {
        out.histogram("sluice_turn_seconds", "How long turns of the loop last.", times.turn)
        out.histogram(
            "sluice_propagation_seconds",
            "From the beginning of a turn with commits until all of them are applied.",
            times.propagation
        )
        out.histogram(
            "sluice_delivery_seconds",
            "From then until everything that clients receive of it has been passed to the kernel.",
            times.delivery
        )
        out.histogram(
            "sluice_commit_seconds",
            "From the submission of a commit until it is applied and delivered.",
            times.commit
        )
        out.histogram(
            "sluice_http_request_seconds",
            "From the reading of a request to its answer, without those that ask to wait.",
            times.request
        )
    }

    private static func requests(_ answers: ContiguousArray<UInt64>, _ out: inout ByteBuffer) {
        out.head("sluice_http_requests_total", "Requests answered since the start, by status.")
        for (status, count) in answers.enumerated() where count > 0 {
            out.sample("sluice_http_requests_total", of: "code", String(status), count)
        }
    }

    /// Microseconds as seconds with six decimal places.
    fileprivate static func seconds(_ microseconds: UInt64) -> String {
        "\(microseconds / 1_000_000).\(String(Int(microseconds % 1_000_000), width: 6))"
    }

    private static func process(_ server: Server, _ out: inout ByteBuffer) {
        let start = UInt64(max(0, server.since) / 1000)
        out.sample("process_start_time_seconds", "When the server began, since 1970.", start)
        let resident = UInt64(OwnProcess.residentBytes)
        out.sample("process_resident_memory_bytes", "Resident memory.", resident)
        if let open = OwnProcess.openDescriptors {
            out.sample("process_open_fds", "Open descriptors.", UInt64(open))
        }
        let most = UInt64(OwnProcess.descriptorLimit)
        out.sample("process_max_fds", "The limit of descriptors.", most)
        let time = OwnProcess.processorTime
        out.head("process_cpu_seconds_total", "Processor time used.")
        let seconds = seconds(UInt64((time.user + time.system).milliseconds) * 1000)
        out.append(utf8: "process_cpu_seconds_total \(seconds)\n")
    }
}

extension ByteBuffer {
    fileprivate mutating func histogram(_ name: StaticString, _ help: StaticString, _ times: TimeHistogram) {
        head(name, "histogram", help)
        var below: UInt64 = 0
        for (place, count) in times.counts.enumerated() {
            below += count
            let bound = place < TimeHistogram.bounds.count ? TimeHistogram.bounds[place].seconds : "+Inf"
            append(utf8: "\(name)_bucket{le=\"\(bound)\"} \(below)\n")
        }
        append(utf8: "\(name)_sum \(Metrics.seconds(times.sum / 1000))\n")
        append(utf8: "\(name)_count \(below)\n")
    }

    mutating func head(_ name: StaticString, _ kind: StaticString, _ help: StaticString) {
        append(utf8: "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n")
    }

    /// A counter if the name ends in `_total`, as Prometheus asks for; otherwise a gauge.
    mutating func head(_ name: StaticString, _ help: StaticString) {
        head(name, name.description.hasSuffix("_total") ? "counter" : "gauge", help)
    }

    fileprivate mutating func sample(_ name: StaticString, _ help: StaticString, _ value: UInt64) {
        head(name, help)
        append(utf8: "\(name) \(value)\n")
    }

    /// One sample of several; without strings, because there may be ten thousand graphs.
    fileprivate mutating func sample(
        _ name: StaticString,
        of label: StaticString,
        _ text: String,
        _ value: UInt64
    ) {
        append(name)
        append("{")
        append(label)
        append("=\"")
        append(utf8: text)
        append("\"} ")
        append(decimal: value)
        append("\n")
    }
}
