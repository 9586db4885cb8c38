import ReactiveGraph
import Support
import Testing

@testable import Graphs
@testable import SluiceServer

@Suite("Metrics and logs")
struct MetricsTests {
    @Test("samples are well formed, described once, and count what happens")
    func metrics() throws {
        let server = try TestServer()
        _ = try server.request("POST", "/v1/graphs/g/nodes/x", body: "3")
        _ = try server.request("GET", "/v1/graphs/g/nodes/nowhere")
        let body = try server.request("GET", "/metrics").body
        var described: Set<String> = []
        var samples: [String: Double] = [:]
        for line in body.split(separator: "\n") {
            if line.hasPrefix("# TYPE ") {
                #expect(described.insert(String(line.split(separator: " ")[2])).inserted)
            } else if !line.hasPrefix("#") {
                let parts = line.split(separator: " ")
                #expect(parts.count == 2)
                let name = String(parts[0].prefix { $0 != "{" })
                let histogram = ["_bucket", "_sum", "_count"].first { name.hasSuffix($0) }
                #expect(described.contains(histogram.map { String(name.dropLast($0.count)) } ?? name))
                samples[String(parts[0])] = Double(parts[1])
            }
        }
        #expect(samples["sluice_commits_total{graph=\"g\"}"] == 2)
        #expect(samples["sluice_listeners{graph=\"g\"}"] == 0)
        #expect(samples["sluice_nodes_released_total{graph=\"g\"}"] != nil)
        #expect(samples["sluice_http_requests_total{code=\"200\"}"] == 1)
        #expect(samples["sluice_http_requests_total{code=\"404\"}"] == 1)
        for (name, count) in [("http_request", 2), ("commit", 1), ("propagation", 1), ("delivery", 1)] {
            #expect(samples["sluice_\(name)_seconds_count"] ?? 0 >= Double(count), "\(name)")
        }
        for name in ["turn", "http_request", "commit", "propagation", "delivery"] {
            let whole = samples["sluice_\(name)_seconds_bucket{le=\"+Inf\"}"]
            #expect(whole == samples["sluice_\(name)_seconds_count"] && whole ?? 0 >= 1, "\(name)")
        }
        #expect(samples["process_resident_memory_bytes"] ?? 0 > 1_000_000)
        #expect(samples["process_start_time_seconds"] == Double(server.server.since / 1000))
        let build = "version=\"\(Version.text)\",commit=\"\(Build.commit ?? "")\""
        #expect(samples["sluice_build_info{\(build)}"] == 1)
    }

    @Test("I-3: lost nodes are counted when the metrics are read, at once or in steps until the next reading")
    func unreachable() throws {
        let server = try TestServer()
        func count() throws -> Int? {
            let lines = try server.request("GET", "/metrics").body.split(separator: "\n")
            let line = lines.first { $0.hasPrefix("sluice_unreachable_nodes{graph=\"g\"} ") }
            return line.flatMap { Int($0.split(separator: " ")[1]) }
        }
        #expect(try count() == 0)
        let graph = try #require(server.server.host["g"])
        let repairs = [leak(3, in: graph), leak(20_000, in: graph)]
        // The search goes on while the server is quiet, which readings without a pause prevent.
        func becomes(_ expected: Int) -> Bool {
            server.until {
                let next = ContinuousClock.now + .milliseconds(200)
                _ = server.until { ContinuousClock.now > next }
                return (try? count()) == expected
            }
        }
        #expect(becomes(20_003))
        for repair in repairs { repair() }
        #expect(becomes(0))
    }

    /// So many nodes that hold each other, in place of a fault of the server.
    private func leak(_ count: Int, in graph: LiveGraph) -> () -> Void {
        let first = graph.core.mutable(1)
        var last: Node<Int> = first
        for _ in 1..<count { last = last.map { $0 } }
        let link = first.link(to: last)
        return { link?.cancel() }
    }

    @Test("a log entry is one line, whatever it says")
    func logLines() {
        #expect(
            LogLine.text("T", "info", "a", [.init("k", "v"), .init("l", "a b")]) == "T info a k=v l=\"a b\"\n"
        )
        #expect(LogLine.text("T", "info", "a\nb", []) == "T info \"a\\nb\"\n")
        // Names and reasons come from strangers: nothing of theirs moves a cursor or turns the
        // writing round.
        #expect(
            LogLine.text("T", "info", "a", [.init("k", "\u{1B}[2J"), .init("l", "\u{9B}1m\u{202E}")])
                == "T info a k=\"\\u001b[2J\" l=\"\\u009b1m\\u202e\"\n"
        )
        #expect(LogLine.text("T", "info", "\r", [.init("k", "°C é")]) == "T info \"\\r\" k=\"°C é\"\n")
        #expect(
            LogLine.json("T", "info", "a\"", [.init("k", "\u{1}"), .init("n", 7), .init("s", "7")])
                == "{\"time\":\"T\",\"level\":\"info\",\"message\":\"a\\\"\",\"k\":\"\\u0001\",\"n\":7,\"s\":\"7\"}\n"
        )
    }
}
