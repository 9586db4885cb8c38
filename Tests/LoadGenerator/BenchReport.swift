/// What a load run found out.
public struct BenchReport: Sendable {
    /// The server's use of resources during the run.
    public struct Server: Sendable {
        /// Processor time during the measured part, in seconds.
        public let processorSeconds: Double
        /// Memory resident before the first connection, when all stood, and at the end of the
        /// measured part.
        public let residentBefore: Int, residentConnected: Int, residentAfter: Int

        /// The differences of three readings; nil where one is missing.
        init?(
            _ before: ProcessGauge.Reading?,
            _ connected: ProcessGauge.Reading?,
            _ after: ProcessGauge.Reading?
        ) {
            guard let before, let connected, let after else { return nil }
            processorSeconds = after.processorSeconds - connected.processorSeconds
            residentBefore = before.residentBytes
            residentConnected = connected.residentBytes
            residentAfter = after.residentBytes
        }
    }

    /// `post`, `fanout`, `idle` or `churn`.
    public let kind: String
    /// The settings of the run, in order.
    public let settings: [(name: String, value: Int)]
    /// How long the measured part took.
    public let seconds: Double
    /// Answers to posts, failures not included.
    public let posts: Int
    /// Messages that subscribers received.
    public let deliveries: Int
    /// Clients that connected, subscribed and vanished.
    public let cycles: Int
    /// Answers other than 2xx, and connections lost.
    public let failures: Int
    /// From sending to the answer (`post`), from sending to a subscriber's receiving it (`fanout`),
    /// or from connecting to the snapshot (`churn`).
    public let latency: LatencyHistogram
    /// Processor time of the load itself, in seconds: if it is near `seconds`, the load was the
    /// bottleneck.
    public let ownProcessorSeconds: Double
    /// The server's use of resources; nil if its process is unknown.
    public let server: Server?

    /// The measured operations: their name and number.
    private var operations: (name: String, count: Int) {
        switch kind {
        case "post": ("post", posts)
        case "churn": ("cycle", cycles)
        default: ("delivery", deliveries)
        }
    }

    private var rates: [(name: String, count: Int)] {
        switch kind {
        case "post": [("posts", posts)]
        case "fanout": [("posts", posts), ("deliveries", deliveries)]
        case "churn": [("cycles", cycles)]
        default: []
        }
    }

    private var perConnection: Int? {
        let subscribers = settings.first { $0.name == "subscribers" }?.value
        guard let server, let count = subscribers, count > 0 else { return nil }
        return (server.residentConnected - server.residentBefore) / count
    }

    /// One object on one line.
    public var json: String {
        var members = ["\"kind\":\"\(kind)\""]
        members += settings.map { "\"\($0.name)\":\($0.value)" }
        members.append("\"seconds\":\(seconds)")
        for (name, count) in rates {
            members.append("\"\(name)\":\(count)")
            members.append("\"\(name)_per_s\":\(rate(count))")
        }
        members.append("\"failures\":\(failures)")
        members += percentiles.map { "\"\($0.name)_us\":\(Double($0.nanoseconds) / 1000)" }
        members.append("\"own_cpu_s\":\(ownProcessorSeconds)")
        if let server {
            members.append("\"server_cpu_s\":\(server.processorSeconds)")
            if operations.count > 0 {
                let each = server.processorSeconds * 1e6 / Double(operations.count)
                members.append("\"server_cpu_us_per_\(operations.name)\":\(each)")
            }
            members.append("\"server_resident_before\":\(server.residentBefore)")
            members.append("\"server_resident_connected\":\(server.residentConnected)")
            members.append("\"server_resident_after\":\(server.residentAfter)")
            if let perConnection { members.append("\"server_bytes_per_connection\":\(perConnection)") }
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// A few lines for people.
    public var text: String {
        var lines = [kind + settings.map { "  \($0.name) \($0.value)" }.joined()]
        for (name, count) in rates {
            lines.append("  \(count) \(name) in \(Self.short(seconds)) s: \(rate(count)) \(name)/s")
        }
        if latency.count > 0 {
            let times = percentiles.map { "\($0.name) \(Self.short(Double($0.nanoseconds) / 1000))" }
            lines.append("  latency in µs: " + times.joined(separator: "  "))
        }
        lines.append("  the load used \(Self.short(ownProcessorSeconds)) s of processor time")
        if let server {
            var line = "  the server used \(Self.short(server.processorSeconds)) s"
            if operations.count > 0 {
                let each = server.processorSeconds * 1e6 / Double(operations.count)
                line += ", \(Self.short(each)) µs per \(operations.name)"
            }
            lines.append(line)
            line = "  its memory: \(server.residentConnected / 1024) KiB with all connections"
            if let perConnection { line += ", \(perConnection) bytes each" }
            lines.append(line + "; \(server.residentAfter / 1024) KiB at the end")
        }
        if failures > 0 { lines.append("  FAILURES: \(failures)") }
        return lines.joined(separator: "\n")
    }

    private var percentiles: [(name: String, nanoseconds: UInt64)] {
        [
            ("p50", latency.percentile(0.5)), ("p90", latency.percentile(0.9)),
            ("p99", latency.percentile(0.99)),
            ("p999", latency.percentile(0.999)), ("max", latency.longest),
        ]
    }

    private func rate(_ count: Int) -> Int { seconds > 0 ? Int(Double(count) / seconds) : 0 }

    private static func short(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
