internal import GraphHost

/// One thing that can be configured: its name, what it means, how a value is read and shown.
///
/// A key `log.level` stands in a file as `log: { level: debug }`, in the environment as `SLUICE_LOG_LEVEL`,
/// on the command line as `--set log.level=debug`.
public struct ConfigurationKey {
    /// The name with dots.
    public let name: String
    /// What it means, in one line.
    public let summary: String
    /// What a value must look like.
    public let expects: String
    let apply: (inout Configuration, ConfigurationValue) -> Bool
    /// What is wrong with a value that is not taken, where that can be said.
    let hint: (ConfigurationValue) -> String?
    let show: (Configuration) -> String

    init<Value>(
        _ name: String,
        _ field: WritableKeyPath<Configuration, Value>,
        _ kind: ValueKind<Value>,
        _ summary: String
    ) {
        self.name = name
        self.summary = summary
        expects = kind.expects
        apply = { configuration, value in
            guard let value = kind.read(value) else { return false }
            configuration[keyPath: field] = value
            return true
        }
        hint = kind.hint
        show = { kind.show($0[keyPath: field]) }
    }

    /// The name of the environment variable: `limits.connectionsPerAddress` is
    /// `SLUICE_LIMITS_CONNECTIONS_PER_ADDRESS`.
    public var environmentName: String {
        var name = "SLUICE_"
        for character in self.name {
            if character == "." {
                name += "_"
            } else {
                if character.isUppercase { name += "_" }
                name += character.uppercased()
            }
        }
        return name
    }

    /// Every key, in the order of the shipped file.
    public static func all() -> [ConfigurationKey] {
        let second = Duration.seconds(1)
        let short = Duration.milliseconds(50)
        return [
            Self("listen", \.listen, .address, "where HTTP and WebSocket are served"),
            Self(
                "admin.listen",
                \.adminListen,
                .optionalAddress,
                "where definitions, reload, connections and metrics are served; empty: there too"
            ),
            Self(
                "reusePort",
                \.reusePort,
                .flag,
                "whether other processes of the service may listen at the same address; needs redis.url"
            ),
            Self("graphs", \.graphs, .path, "folder of graph definitions"),
            Self("watch", \.watch, .flag, "whether that folder is read again whenever it has changed"),
            Self(
                "dataDir",
                \.dataDir,
                .path,
                "folder in which commits are kept; empty: they are gone with the process"
            ),
            Self("durability", \.durability, .word, "how safe a commit is before it is answered"),
            Self(
                "keepRevs",
                \.keepRevs,
                .integer(1...1_000_000_000),
                "revs of each graph that can be looked back at"
            ),
            Self(
                "redis.url",
                \.redis.address,
                .redis,
                "Redis in which commits are kept where several servers are one service; empty: none"
            ),
            Self(
                "redis.ca",
                \.redis.authorities,
                .path,
                "PEM file of the authorities that sign its certificate; empty: those that the system trusts"
            ),
            Self(
                "redis.prefix",
                \.redis.prefix,
                .prefix,
                "what the names of its keys begin with; servers with the same prefix are one service"
            ),
            Self(
                "redis.replicas",
                \.redis.replicas,
                .integer(0...100),
                "replicas that must have a commit before it is answered"
            ),
            Self(
                "public",
                \.publicFolder,
                .path,
                "folder of static files; auto: the page that came with the program; empty: none"
            ),
            Self(
                "mounts",
                \.mounts,
                .names("/path=folder, not below /v1", where: Mount.isWellFormed),
                "further folders of static files, each below a path"
            ),
            Self(
                "csp",
                \.contentPolicies,
                .names("/path=policy", where: ContentPolicy.isWellFormed),
                "what pages below a path may load (Content-Security-Policy), in place of the usual policy"
            ),
            Self(
                "frameAncestors",
                \.frameAncestors,
                .names("\(Origin.expected), self or *", where: ContentPolicy.isAncestor),
                "sites whose pages may embed those of this server"
            ),
            Self("dashboards", \.dashboards, .path, "folder of the server's dashboards; empty: none"),
            Self(
                "hosts",
                \.hosts,
                .names("host names, without port", where: HostName.isWellFormed),
                "names of this server besides loopback and the listen address"
            ),
            Self(
                "origins",
                \.origins,
                .names(Origin.expected, where: Origin.isWellFormed, suggest: Origin.suggestion),
                "other sites whose pages may connect and set values"
            ),
            Self(
                "trustedProxies",
                \.trustedProxies,
                .names("networks such as 10.0.0.0/8 or ::1, or unix", where: TrustedProxies.isWellFormed),
                "proxies whose word about their clients counts"
            ),
            Self("proxyHeaders", \.proxyHeaders, .word, "header fields that those proxies write"),
            Self("auth", \.auth, .path, "file of tokens; empty: nobody has to show one"),
            Self(
                "cors",
                \.cors,
                .names(
                    "\(Origin.expected), or *",
                    where: { $0 == "*" || Origin.isWellFormed($0) },
                    suggest: Origin.suggestion
                ),
                "other sites whose pages may read answers (CORS); *: all"
            ),
            Self(
                "sinkHosts",
                \.sinkHosts,
                .names("hosts, each with a port or without", where: Self.isSinkHost),
                "hosts to which the sinks of graphs may send; empty: none"
            ),
            Self(
                "tls.cert",
                \.certificate,
                .path,
                "PEM file of the certificate and those up to the authority; empty: plain HTTP"
            ),
            Self("tls.key", \.key, .path, "PEM file of its private key"),
            Self("log.level", \.log.level, .word, "least important level that is logged"),
            Self("log.format", \.log.format, .word, "log entries as text or as JSON"),
            Self(
                "drain",
                \.drain,
                .duration(.zero...second * 3600),
                "how long a stopping server waits for its clients"
            ),
            Self(
                "heartbeat",
                \.heartbeat,
                .duration(short...second * 3600),
                "between two pings of a WebSocket"
            ),
            Self("compression", \.compression, .word, "whether WebSocket messages may be compressed"),
            Self(
                "memory.pressure",
                \.memoryPressure,
                .path,
                "auto, off, or the pressure file that says when memory is short"
            ),
            Self(
                "times.handshake",
                \.times.handshake,
                .duration(short...second * 3600),
                "for the TLS handshake"
            ),
            Self(
                "times.headers",
                \.times.headers,
                .duration(short...second * 3600),
                "for the head of a request"
            ),
            Self("times.body", \.times.body, .duration(short...second * 3600), "for the body of a request"),
            Self("times.idle", \.times.idle, .duration(short...second * 86400), "between two requests"),
            Self(
                "times.hello",
                \.times.hello,
                .duration(short...second * 3600),
                "for the hello that shows a token"
            ),
            Self("times.frame", \.times.frame, .duration(short...second * 3600), "for one WebSocket message"),
            Self(
                "times.session",
                \.times.session,
                .duration(second...second * 86400 * 366),
                "after the last use of a session cookie"
            ),
            Self(
                "times.close",
                \.times.close,
                .duration(short...second * 3600),
                "for the other side's close frame"
            ),
            Self(
                "times.wait",
                \.times.wait,
                .duration(second...second * 3600),
                "the longest that a read may wait for a change (Prefer: wait)"
            ),
            Self(
                "times.keep",
                \.times.keep,
                .duration(.zero...second * 86400),
                "the longest that a chain is kept for a client whose connection has ended"
            ),
            Self(
                "times.load",
                \.times.load,
                .duration(short...second * 3600),
                "after which producers are asked again for a value that has not come"
            ),
            Self(
                "times.refusal",
                \.times.refusal,
                .duration(short...second * 60),
                "for a connection there is no room for to say what it speaks"
            ),
            Self(
                "times.outage",
                \.times.outage,
                .duration(.zero...second * 3600),
                "after which a store that takes no commits makes /readyz say so"
            ),
            Self(
                "times.breaches",
                \.times.breaches,
                .duration(second...second * 3600),
                "within which limits.breaches refusals end a connection"
            ),
        ] + limits + [
            Self(
                "diagnostics.echo",
                \.diagnosticsEcho,
                .flag,
                "whether /v1/diagnostics/echo returns every WebSocket message"
            )
        ]
    }

    /// `example.org`, `example.org:8443`, `[::1]:80`: what stands between the scheme and the path of a URL.
    private static func isSinkHost(_ text: String) -> Bool { SinkURL("http://\(text)")?.target == "/" }
}
