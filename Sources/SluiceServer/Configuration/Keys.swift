internal import Definitions
public import EventLoop
public import HTTP
public import RedisLog
public import SQLiteLog

/// Every key of the configuration, one row each, in the order of the shipped file.
///
/// `Configuration` has a property for each row. The shipped file, the JSON Schema,
/// docs/configuration.md, the names in the environment and the error texts are made from the rows.
/// Limits that need no tuning are in ``FixedLimit``.
public struct Keys: Sendable {
    public let listen = Key("listen", .address, .tcp(host: "127.0.0.1", port: 8080)).means(
        """
        The address for HTTP and WebSocket: address:port, [address]:port or unix:path. Port 0 takes a free one. An address \
        other than loopback needs 'auth' or --insecure.
        """
    )
    public let adminListen = Key<Endpoint?>("admin.listen", .optionalAddress, nil).means(
        """
        An address of its own for definitions, /v1/reload, /v1/backup, /v1/connections and /metrics. '': they are served on \
        'listen'. Otherwise only here, and everything else only on 'listen'; /healthz, /readyz, /version and /openapi.json on \
        both. The page's list of clients is then not available.
        """
    )
    public let reusePort = Key("reusePort", .flag, false).means(
        """
        Whether several processes may listen at the same address, for example one for each core with a shared Redis. Give \
        each its own 'admin.listen'.
        """
    )
    public let graphs = Key("graphs", .path, "config/graphs")
        .means(
            "The folder of graph definitions (*.yaml, *.yml, *.json), one graph each. '': only graphs defined over HTTP."
        )
    public let watch = Key("watch", .flag, false).means(
        """
        Whether the server reads that folder again when a file in it changes, appears or goes. Otherwise use SIGHUP or \
        `sluice reload`.
        """
    )
    public let orphanExpiry = Key("orphanExpiry", .duration(.zero ... .seconds(86400 * 366)), .zero).means(
        """
        After how long a graph whose file is gone is removed for good, with its values. Only time during which this server \
        runs counts; it begins anew with each start. 0: never.
        """
    )
    public let dataDir = Key("dataDir", .path, "", shipped: "data").means(
        """
        The folder in which commits are kept, so that a restart loses nothing. It belongs to one server. '': everything is \
        lost with the process.
        """
    )
    public let durability = Key("durability", .word, Durability.written)
        .means(
            "What an answered commit survives: written, the end of the process (kill -9); fsync, also a power cut."
        )
    public let keepRevs = Key("keepRevs", .integer(1...1_000_000_000), 100_000)
        .means("How many revisions of each graph are kept for reading the past (values?at=, history).")
    public let redisURL = Key<RedisAddress?>("redis.url", .redis, nil).means(
        """
        The Redis (6.2 or newer) or Valkey that several servers share in place of 'dataDir': \
        redis://[[user]:password@]host[:port][/database], rediss://… for TLS, or unix:path. '': none. \
        docs/several-servers.md is the guide.
        """
    )
    public let redisAuthorities = Key("redis.ca", .path, "")
        .means(
            "With rediss://: the PEM file of the authorities that sign its certificate. '': those that the system trusts."
        )
    public let redisPrefix = Key("redis.prefix", .prefix, "sluice")
        .means("The prefix of all keys in Redis. Servers with the same prefix are one service.")
    public let redisReplicas = Key("redis.replicas", .integer(0...100), 0)
        .means("How many replicas of Redis must have a commit before it is answered.")
    public let service = Key("service", .optionalName, "").means(
        """
        The name of this service in the paths of values (docs/protocol.md, paths): the same on all servers that share a \
        Redis, and on no other. '': the epoch of each graph, which is unique.
        """
    )
    public let publicFolder = Key("public", .path, PageFolder.automatic).means(
        """
        The folder of static files. auto: the page that came with the program (share/sluice/public beside its folder bin, \
        else public in the working directory). '': none.
        """
    )
    public let mounts = Key(
        "mounts",
        .names(
            "/path=folder, not below /v1",
            pattern: MountText.pattern,
            isMapping: true,
            where: MountText.isWellFormed
        ),
        []
    )
    .means("Further folders of static files, each below a path: ['/firmware=/srv/firmware'].")
    public let contentPolicies = Key(
        "csp",
        .names("/path=policy", pattern: "^/[^=]*=.", isMapping: true, where: ContentPolicy.isWellFormed),
        []
    )
    .means(
        """
        What pages of such a folder may load, by its path, or / for 'public', in place of the strict policy they are sent \
        with (Content-Security-Policy).
        """
    )
    public let frameAncestors = Key(
        "frameAncestors",
        .names("\(Origin.expected), self or *", pattern: ".", where: ContentPolicy.isAncestor),
        []
    )
    .means(
        """
        Sites whose pages may embed those of this server in a frame: origins such as https://intranet.example.org, self, or \
        '*' for all. In a frame of another site browsers send no session cookie.
        """
    )
    public let dashboards = Key("dashboards", .path, "config/dashboards")
        .means(
            "The folder of the server's dashboards, which the page saves there; made where it is missing. The server must be able to write. '': none."
        )
    public let hosts = Key(
        "hosts",
        .names("host names, without port", pattern: "^[^/]+$", where: HostName.isWellFormed),
        []
    )
    .means(
        "Names of this server, besides loopback names and the listen address. A request for any other host gets 421."
    )
    public let origins = Key(
        "origins",
        .names(
            Origin.expected,
            pattern: Origin.pattern,
            where: Origin.isWellFormed,
            normalize: Origin.normalized,
            advice: Origin.advice
        ),
        []
    )
    .means("Other sites whose pages may connect and set values, such as https://example.org: without a path.")
    public let trustedProxies = Key(
        "trustedProxies",
        .names(
            "networks such as 10.0.0.0/8 or ::1, or unix",
            pattern: "^(unix|[0-9A-Fa-f:.]+(/[0-9]{1,3})?)$",
            where: TrustedProxies.isWellFormed
        ),
        []
    )
    .means(
        """
        Proxies that this server trusts about the client's address, scheme and host: networks such as 10.0.0.0/8, \
        addresses, or unix for every connection over a Unix socket.
        """
    )
    public let proxyHeaders = Key("proxyHeaders", .word, ProxyHeaders.xForwarded).means(
        """
        The header fields that those proxies write: x-forwarded (X-Forwarded-For, -Proto, -Host) or forwarded (RFC 7239). \
        The proxies must set or delete each of them, because clients can send these fields too.
        """
    )
    public let auth = Key("auth", .path, "").means(
        """
        The file of tokens (`sluice token` makes them). '': clients need none, and on loopback they may do everything. \
        SIGHUP reads it again.
        """
    )
    public let issuers = Key("issuers", .path, "").means(
        """
        The file of issuers whose signed tokens are accepted (JWT, OpenID Connect; docs/issuers.md), with 'auth' or without \
        it. SIGHUP reads it again.
        """
    )
    public let cors = Key(
        "cors",
        .names(
            "\(Origin.expected), or *",
            pattern: "^\\*$|" + Origin.pattern,
            where: { $0 == "*" || Origin.isWellFormed($0) },
            normalize: Origin.normalized,
            advice: Origin.advice
        ),
        []
    )
    .means(
        "Other sites whose pages may read answers (CORS), or '*' for all. To change something they also need 'origins'."
    )
    public let sinkHosts = Key(
        "sinkHosts",
        .names(
            "hosts, each with a port or without, and perhaps '=' and a network",
            pattern: ".",
            where: PermittedHosts.isWellFormed
        ),
        []
    )
    .means(
        """
        Hosts to which the sinks of graphs may send values, such as 'example.org' or 'example.org:8443'. A name stands for \
        public addresses only, unless a network follows it: 'hook.lan=192.168.0.0/16'. []: none. Secrets that sign what is \
        sent are in the environment only: SLUICE_SECRET_NAME.
        """
    )
    public let sourceHosts = Key(
        "sourceHosts",
        .names(
            "hosts, each with a port or without, and perhaps '=' and a network",
            pattern: ".",
            where: PermittedHosts.isWellFormed
        ),
        [],
        shipped: ["127.0.0.1:9191", "127.0.0.1:9193"]
    )
    .means(
        """
        Hosts from which the source nodes of graphs may take values, written as those of 'sinkHosts': 'api.example.org', \
        'sensors.lan:8080=192.168.0.0/16'. []: none. `sluice feed town` and a broker beside it play the two of the shipped file.
        """
    )
    public let secrets = Key(
        "secrets",
        .names(
            "NAME=graph, or a mapping of such names to lists of graphs",
            pattern: "^[A-Z][A-Z0-9_]*=.",
            isMapping: true,
            where: isSecretGrant
        ),
        []
    )
    .means(
        """
        Which secrets graphs defined over HTTP may use, by the names of the graphs or globs: { HOOK: [town, 'test-*'] }. \
        Graphs of files may use all.
        """
    )
    public let certificate = Key("tls.cert", .path, "").means(
        """
        The PEM file of the certificate, with intermediate certificates. With it and 'tls.key' the server speaks https and \
        wss instead of http and ws. SIGHUP reads both again.
        """
    )
    public let certificateKey = Key("tls.key", .path, "")
        .means("The PEM file of the certificate's private key, without a password.")
    public let strictTransport = Key(
        "tls.hsts",
        .duration(.zero ... .seconds(86400 * 731)),
        .zero
    )
    .means(
        """
        How long browsers that got a page over https may use only https for this name (Strict-Transport-Security), also if a \
        proxy ends TLS. 0: not said. Never said for localhost and addresses. Take care: until the time is over, the name \
        cannot be served over http.
        """
    )
    public let logLevel = Key("log.level", .word, LogLevel.info)
        .means(
            "The least important level that is logged to standard error: trace, debug, info, notice, warning, error, critical."
        )
    public let logFormat = Key("log.format", .word, LogFormat.text)
        .means("text: log entries are lines of text; json: JSON objects.")
    public let audit = Key("audit", .path, "log").means(
        """
        Where the audit goes: log, among the entries of the log; or a file, which SIGHUP opens again. It has a line for each \
        change of graphs and dashboards, each reload, backup and connection ended by an administrator, and each right that a \
        client lacked. '': none.
        """
    )
    public let auditAlso = Key(
        "auditAlso",
        .names(
            "sets or requests",
            pattern: "^(sets|requests)$",
            where: { AuditExtra(rawValue: $0) != nil }
        ),
        []
    )
    .means(
        """
        What the audit has besides: sets, each change of values, without the values; requests, each request over HTTP.
        """
    )
    public let drain = Key("drain", .duration(.zero ... .seconds(3600)), .seconds(30))
        .means("How long a server that is stopping waits for its clients.")
    public let heartbeat = Key(
        "heartbeat",
        .duration(.milliseconds(50) ... .seconds(3600)),
        .seconds(25)
    )
    .means(
        """
        The time between two pings of a WebSocket. After two unanswered pings it is closed (4508). Shorter than the idle \
        time-out of every proxy in between.
        """
    )
    public let compression = Key("compression", .word, CompressionMode.off).means(
        """
        Compression of WebSocket messages (permessage-deflate). off; on: messages from 1 KiB, each compressed by itself; \
        full: whatever the client offers, with up to 300 KiB of memory per connection.
        """
    )
    public let idle = Key(
        "times.idle",
        .duration(.milliseconds(50) ... .seconds(86400)),
        .seconds(75)
    )
    .means(
        "How long a connection may be idle between two requests. Longer than a proxy keeps its own connections."
    )
    public let session = Key(
        "times.session",
        .duration(.seconds(1) ... .seconds(86400 * 366)),
        .seconds(12 * 3600)
    )
    .means("How long a browser stays signed in after its last request.")
    public let connections = Key("limits.connections", .integer(1...10_000_000), 100_000)
        .means("Open connections; more get 503, or on a WebSocket 4529.")
    public let connectionsPerAddress = Key(
        "limits.connectionsPerAddress",
        .integer(0...10_000_000),
        0
    )
    .means("The same for one client address; 0: no limit. Behind a proxy set 'trustedProxies' as well.")
    public let body = Key("limits.body", .bytes(1...1 << 30), 64 * 1024)
        .means(
            """
            The largest body of a request (413). All clients wait while a graph's definition is applied, up to 50 ms for 64 KiB: \
            larger ones belong in files.
            """
        )
    public let message = Key("limits.message", .bytes(125...1 << 30), 64 * 1024)
        .means("The largest WebSocket message of a client (1009).")
    public let subscriptions = Key("limits.subs", .integer(1...1_000_000), 1000)
        .means("Subscriptions of one connection (sub_limit).")
    public let matches = Key("limits.matches", .integer(1...1_000_000), 1000)
        .means(
            """
            Nodes of one subscription by globs, and of one answer with values; the rest stay out, and `more` or `next` says so.
            """
        )
    public let setsPerSecond = Key("limits.sets", .integer(0...1_000_000_000), 0)
        .means(
            """
            Changes of graphs that one principal, or one address without a token (IPv6: /64), may ask for in a second \
            (429; 4429 when repeated); 0: no limit.
            """
        )
    public let messagesPerSecond = Key("limits.messages", .integer(0...1_000_000_000), 0)
        .means(
            """
            WebSocket messages that one principal, or one address without a token (IPv6: /64), may send in a second \
            (4429 when repeated); 0: no limit.
            """
        )
    public let unsentHard = Key("limits.unsentHard", .bytes(4096...1 << 30), 1024 * 1024)
        .means("How many bytes may wait for a client that does not read; above that it is closed (4580).")
    public let pipelineUnits = Key("limits.pipelines", .integer(1...1_000_000_000), 5_000_000).means(
        """
        Units of 20 ns that the pipelines of one principal may spend in a second; more work waits until others have been \
        served.
        """
    )
    public let held = Key("limits.held", .bytes(1...1 << 40), 16 << 20)
        .means(
            """
            Memory that the pipelines of one principal may hold (pipe_limit; slow). As much, or two of the largest requests, may \
            wait for its clients that do not read, with their incomplete or unanswered requests (without tokens: those of one \
            address); above that, the client that holds the most is disconnected (4580; 429). Members of families may hold twice \
            as much for the principal that set them last (429): values, contexts and histories. Histories are shortened first.
            """
        )
    public let members = Key("limits.members", .integer(1...100_000_000), 100_000).means(
        """
        Members of families that one graph may have (413). One principal may create as many in all graphs, and half as \
        many where clients need tokens (429), so that it cannot fill a graph alone.
        """
    )
    public let wanted = Key("limits.wanted", .integer(1...1_000_000), 1000).means(
        """
        Members of source families, in all graphs, that the listeners of one principal may keep wanted (429). Without \
        tokens all clients together count as one.
        """
    )
    public let echo = Key("diagnostics.echo", .flag, false)
        .means(
            "Whether /v1/diagnostics/echo returns every WebSocket message, to test what is between client and server."
        )

    static let all: [any AnyKey] = Mirror(reflecting: Keys()).children.map { child in
        guard let key = child.value as? any AnyKey else { preconditionFailure("Keys has only rows") }
        return key
    }
}

/// `example.org`, `example.org:8443`, `[::1]:80`: the part between the scheme and the path of a
/// URL.
@Sendable
private func isSecretGrant(_ text: String) -> Bool {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && DocumentReader.isSecretName(String(parts[0])) && !parts[1].isEmpty
}
