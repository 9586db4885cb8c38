extension ConfigurationKey {
    /// The keys `limits.…`, in the order of the shipped file.
    static var limits: [ConfigurationKey] {
        [
            Self("limits.connections", \.limits.connections, .integer(1...10_000_000), "open connections"),
            Self(
                "limits.connectionsPerAddress",
                \.limits.connectionsPerAddress,
                .integer(0...10_000_000),
                "open connections of one address; 0: no bound"
            ),
            Self(
                "limits.sessions",
                \.limits.sessions,
                .integer(1...10_000_000),
                "sessions of browsers in all, each principal its share"
            ),
            Self(
                "limits.wrongTokens",
                \.limits.wrongTokens,
                .integer(0...1_000_000),
                "wrong tokens one address may show in a second; 0: no bound"
            ),
            Self("limits.target", \.limits.target, .bytes(64...1 << 20), "a request's target"),
            Self("limits.headers", \.limits.headers, .bytes(256...1 << 20), "a request's header block"),
            Self("limits.fields", \.limits.fields, .integer(4...1000), "a request's header fields"),
            Self("limits.body", \.limits.body, .bytes(1...1 << 30), "a request's body"),
            Self(
                "limits.definition",
                \.limits.definition,
                .bytes(1...1 << 30),
                "a graph's definition by HTTP"
            ),
            Self("limits.message", \.limits.message, .bytes(125...1 << 30), "a WebSocket message"),
            Self(
                "limits.sets",
                \.limits.sets,
                .integer(0...1_000_000_000),
                "sets of one connection per second; 0: no bound"
            ),
            Self(
                "limits.messages",
                \.limits.messages,
                .integer(0...1_000_000_000),
                "WebSocket messages of one connection per second; 0: no bound"
            ),
            Self("limits.subs", \.limits.subs, .integer(1...1_000_000), "subscriptions of one connection"),
            Self(
                "limits.matches",
                \.limits.matches,
                .integer(1...1_000_000),
                "nodes one subscription's globs may match"
            ),
            Self("limits.stages", \.limits.stages, .integer(0...1000), "stages of one client pipeline"),
            Self(
                "limits.expression",
                \.limits.expression,
                .integer(1...1_000_000_000),
                "units one evaluation of an expression may spend"
            ),
            Self(
                "limits.idempotencyKeys",
                \.limits.idempotencyKeys,
                .integer(1...100_000_000),
                "idempotency keys in all, each principal its share"
            ),
            Self(
                "limits.pipelines",
                \.limits.pipelines,
                .integer(1...1_000_000_000),
                "units a second that the pipelines of one principal may spend at once"
            ),
            Self(
                "limits.held",
                \.limits.held,
                .bytes(1...1 << 40),
                "bytes that the pipelines of one principal hold"
            ),
            Self(
                "limits.keptChains",
                \.limits.keptChains,
                .integer(0...10_000_000),
                "tickets of one principal, for chains that are kept when its connections end"
            ),
            Self(
                "limits.work",
                \.limits.work,
                .integer(1...1_000_000_000),
                "nodes one client's requests may build in one turn; the rest waits for the next"
            ),
            Self(
                "limits.patterns",
                \.limits.patterns,
                .integer(0...1_000_000),
                "different regular expressions in the pipelines of one principal, or in a definition by HTTP"
            ),
            Self(
                "limits.historyBytes",
                \.limits.historyBytes,
                .bytes(1024...1 << 40),
                "the history of one node; older values are let go of"
            ),
            Self(
                "limits.graphs",
                \.limits.graphs,
                .integer(1...1_000_000),
                "graphs, of files and of the API"
            ),
            Self(
                "limits.dashboards",
                \.limits.dashboards,
                .integer(0...100_000),
                "dashboards that the server keeps"
            ),
            Self("limits.nodes", \.limits.nodes, .integer(1...10_000_000), "nodes of one graph"),
            Self(
                "limits.members",
                \.limits.members,
                .integer(1...100_000_000),
                "members of families that one graph has at once"
            ),
            Self(
                "limits.membersPerPrincipal",
                \.limits.membersPerPrincipal,
                .integer(1...100_000_000),
                "members of families, of all graphs, that one principal may have brought to life"
            ),
            Self(
                "limits.kept",
                \.limits.kept,
                .integer(1...10_000_000),
                "nodes of one graph kept until memory is short"
            ),
            Self(
                "limits.zipBuffer",
                \.limits.zipBuffer,
                .integer(1...10_000_000),
                "values of one node that a zip lets wait for the others"
            ),
            Self("limits.switchKeys", \.limits.switchKeys, .integer(1...100_000), "cases of one switch"),
            Self("limits.delayed", \.limits.delayed, .integer(1...10_000_000), "values that one delay holds"),
            Self(
                "limits.windowValues",
                \.limits.windowValues,
                .integer(1...10_000_000),
                "values that one window looks at"
            ),
            Self(
                "limits.unsent",
                \.limits.unsent,
                .bytes(1024...1 << 30),
                "unsent bytes above which values are folded"
            ),
            Self(
                "limits.unsentHard",
                \.limits.unsentHard,
                .bytes(4096...1 << 30),
                "unsent bytes above which a connection is closed"
            ),
            Self(
                "limits.pending",
                \.limits.pending,
                .integer(1...100_000),
                "requests of a connection that wait for the log"
            ),
            Self("limits.pendingBytes", \.limits.pendingBytes, .bytes(1024...1 << 30), "their bytes"),
            Self(
                "limits.breaches",
                \.limits.breaches,
                .integer(1...100_000),
                "refusals within times.breaches that end a connection"
            ),
            Self(
                "limits.contextBytes",
                \.limits.contextBytes,
                .bytes(1...1 << 40),
                "memory of compression contexts in mode full"
            ),
        ]
    }
}
