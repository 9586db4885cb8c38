/// What a load run found out.
public struct BenchReport: Sendable {
    /// `post` or `fanout`.
    public let kind: String
    /// How the run was set up, in order.
    public let settings: [(name: String, value: Int)]
    /// How long the measured part took.
    public let seconds: Double
    /// Answers to posts, failures not included.
    public let posts: Int
    /// Messages that subscribers received; 0 for `post`.
    public let deliveries: Int
    /// Answers other than 2xx, and connections lost.
    public let failures: Int
    /// From sending to the answer (`post`), or from sending to a subscriber's receiving it (`fanout`).
    public let latency: LatencyHistogram
    /// Processor time that the load itself used, in seconds: near `seconds`, it was the bound and not the
    /// server.
    public let ownProcessorSeconds: Double

    /// One object on one line.
    public var json: String {
        var members = ["\"kind\":\"\(kind)\""]
        members += settings.map { "\"\($0.name)\":\($0.value)" }
        members.append("\"seconds\":\(seconds)")
        members.append("\"posts\":\(posts)")
        members.append("\"posts_per_s\":\(rate(posts))")
        if kind == "fanout" {
            members.append("\"deliveries\":\(deliveries)")
            members.append("\"deliveries_per_s\":\(rate(deliveries))")
        }
        members.append("\"failures\":\(failures)")
        members += percentiles.map { "\"\($0.name)_us\":\(Double($0.nanoseconds) / 1000)" }
        members.append("\"own_cpu_s\":\(ownProcessorSeconds)")
        return "{" + members.joined(separator: ",") + "}"
    }

    /// A few lines for people.
    public var text: String {
        var lines = [kind + settings.map { "  \($0.name) \($0.value)" }.joined()]
        lines.append("  \(posts) posts in \(Self.short(seconds)) s: \(rate(posts)) posts/s")
        if kind == "fanout" { lines.append("  \(deliveries) deliveries: \(rate(deliveries)) deliveries/s") }
        let times = percentiles.map { "\($0.name) \(Self.short(Double($0.nanoseconds) / 1000))" }
        lines.append("  latency in µs: " + times.joined(separator: "  "))
        lines.append("  the load used \(Self.short(ownProcessorSeconds)) s of processor time")
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
