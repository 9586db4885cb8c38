public import EventLoop
public import HTTP
public import RedisLog
public import SQLiteLog

/// The settings of a server, with their defaults.
///
/// The names under which the keys stand in a file are in ``ConfigurationKey/all``; values are checked there.
public struct Configuration: Sendable {
    /// Where HTTP and WebSocket are served.
    public var listen = Endpoint.tcp(host: "127.0.0.1", port: 8080)
    /// Where the operations side is served (definitions, reload, connections, metrics); nil: where everything is.
    public var adminListen: Endpoint?
    /// The same, nil also where both are one address.
    var separateAdmin: Endpoint? {
        guard let adminListen else { return nil }
        if case .tcp(_, port: 0) = adminListen { return adminListen }
        return adminListen == listen ? nil : adminListen
    }
    /// Where a server of this configuration takes `reload`; nil where the system chooses the port.
    public var operations: ServiceURL? {
        let endpoint = separateAdmin ?? listen
        if case .tcp(_, port: 0) = endpoint { return nil }
        return ServiceURL(endpoint, isSecure: tls != nil)
    }
    /// Whether other processes of the service may listen at the same address; the system spreads the connections.
    public var reusePort = false
    /// The folder of graph definitions, `*.yaml`, `*.yml` and `*.json`.
    public var graphs = "config/graphs"
    /// Whether that folder is read again whenever something in it has changed.
    public var watch = false
    /// The folder in which commits are kept; empty: they are gone with the process.
    public var dataDir = ""
    /// How safe a commit is before it is answered.
    public var durability = Durability.written
    /// How many revs of each graph can be looked back at.
    public var keepRevs = 100_000
    /// The Redis in which commits are kept where several servers are one service.
    public var redis = Redis()
    /// The folder of static files; empty: none are served.
    public var publicFolder = PageFolder.automatic
    /// Further folders of static files, each `/path=folder`.
    public var mounts: [String] = []
    /// The folder of the server's dashboards; empty: there are none.
    public var dashboards = "config/dashboards"
    /// What pages of a mount (or `/`, the public folder) may load, each `/path=policy`.
    public var contentPolicies: [String] = []
    /// Sites whose pages may embed those of this server: origins, `self` or `*`.
    public var frameAncestors: [String] = []
    /// Names under which clients may reach the server, besides loopback names and the listen address.
    public var hosts: [String] = []
    /// Origins of other sites whose pages may connect and set values.
    public var origins: [String] = []
    /// Networks of proxies whose word about their clients counts; `unix`: all that connect over a Unix socket.
    public var trustedProxies: [String] = []
    /// Which header fields those proxies write.
    public var proxyHeaders = ProxyHeaders.xForwarded
    /// Origins of other sites whose pages may read answers (CORS); `*`: all.
    public var cors: [String] = []
    /// Where sinks may send to, each `host` or `host:port`; empty: graphs cannot have any.
    public var sinkHosts: [String] = []
    /// The secrets of sinks by their names, from the environment only.
    public var secrets: [String: String] = [:]
    /// Whether an address other than loopback may be listened on without authentication.
    public var insecure = false
    /// The file of tokens; empty: clients need none.
    public var auth = ""
    /// The PEM files of certificate and key; both or neither, and `nil` for plain HTTP.
    public var tls: TLSFiles? {
        certificate.isEmpty || key.isEmpty ? nil : TLSFiles(certificate: certificate, key: key)
    }
    /// Path of the PEM file of the certificate and those between it and the authority; empty: plain HTTP.
    public var certificate = ""
    /// Path of the PEM file of the private key.
    public var key = ""
    /// What is logged, and how.
    public var log = Log()
    /// How long a server that was told to stop waits for its clients.
    public var drain = Duration.seconds(30)
    /// How often a WebSocket peer is pinged; two missed answers end it.
    public var heartbeat = Duration.seconds(25)
    /// Whether WebSocket messages may be compressed (RFC 7692).
    public var compression = CompressionMode.off
    /// Where the kernel is asked about shortage of memory: `auto`, `off`, or the path of a pressure file.
    public var memoryPressure = "auto"
    /// How long peers may take.
    public var times = Times()
    /// How much peers may send and hold.
    public var limits = Limits()
    /// Whether `/v1/diagnostics/echo` sends every WebSocket message back.
    public var diagnosticsEcho = false

    /// The defaults.
    public init() {}

    /// Where certificate and key are.
    public struct TLSFiles: Sendable {
        /// Path of the certificate chain, PEM.
        public let certificate: String
        /// Path of the private key, PEM.
        public let key: String
    }

    /// The Redis that several servers share.
    public struct Redis: Sendable {
        /// Where it is; nil: there is none.
        public var address: RedisAddress?
        /// Path of a PEM file of the authorities that sign its certificate; empty: those that the system trusts.
        public var authorities = ""
        /// What the names of all keys begin with: servers with the same prefix are one service.
        public var prefix = "sluice"
        /// How many replicas must have a commit before it is answered.
        public var replicas = 0
    }

    /// What is logged, and how.
    public struct Log: Sendable {
        /// The least important level that is written.
        public var level = LogLevel.info
        /// One line of text, or one JSON object, per entry.
        public var format = LogFormat.text
    }

    /// How long peers may take.
    public struct Times: Sendable {
        /// From the acceptance of a connection to the end of its TLS handshake.
        public var handshake = Duration.seconds(10)
        /// From the first byte of a request to the end of its head.
        public var headers = Duration.seconds(10)
        /// From the end of a head to the end of the body; it must also come at 1 KiB/s.
        public var body = Duration.seconds(30)
        /// Between two requests.
        public var idle = Duration.seconds(75)
        /// For the `hello` of a client that has to show a token.
        public var hello = Duration.seconds(5)
        /// From the first byte of a WebSocket message to its last.
        public var frame = Duration.seconds(30)
        /// After the last use of a browser's session cookie.
        public var session = Duration.seconds(12 * 3600)
        /// For the other side's close frame.
        public var close = Duration.seconds(5)
        /// The longest that a read may wait for a change.
        public var wait = Duration.seconds(60)
        /// The longest that a chain is kept for a client whose connection has ended; 0: none is.
        public var keep = Duration.seconds(600)
        /// After which producers are asked again for a value that has not come.
        public var load = Duration.seconds(10)
        /// For a connection there is no room for to say what it speaks, and to go.
        public var refusal = Duration.seconds(1)
        /// After which a store that takes no commits makes the server not ready.
        public var outage = Duration.seconds(10)
        /// Within which so many refusals end a connection.
        public var breaches = Duration.seconds(60)
    }
}

/// How important a log entry must be.
public enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}

/// What log entries look like.
public enum LogFormat: String, Sendable, CaseIterable {
    case text, json
}
