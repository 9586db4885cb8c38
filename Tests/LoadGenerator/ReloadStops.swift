internal import EventLoop
internal import Logging
internal import SluiceServer

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// How long the loop of a server is blocked while it reloads a folder of changed graphs.
///
/// The server is in this process and the files are in a folder of their own, which is removed at
/// the end. A timer that is due every millisecond measures its delay.
public struct ReloadStops {
    /// Graph files, each with one node changed.
    public var files = 10
    /// Nodes of each.
    public var nodes = 1_000

    /// The usual size.
    public init() {}

    /// The figures, in milliseconds.
    public struct Report {
        /// From asking for the reload to its end.
        public let whole: Double
        /// The longest time in which the loop did nothing else.
        public let longest: Double
        /// Graphs that changed.
        public let changes: Int

        /// For people.
        public var text: String {
            "\(changes) graphs changed in \(whole.hundredths) ms, the longest stop \(longest.hundredths) ms"
        }

        /// One JSON object.
        public var json: String {
            "{\"changes\":\(changes),\"whole_ms\":\(whole.hundredths),\"stop_ms\":\(longest.hundredths)}"
        }
    }

    /// Starts a server, changes its files and has it read them.
    public func run() throws -> Report {
        var template = Array("/tmp/sluice-bench-XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ mkdtemp($0.baseAddress!) }) != nil else {
            throw StartFailure(["no folder can be made in /tmp"])
        }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let paths = (0..<files).map { "\(folder)/g\($0).yaml" }
        defer {
            for path in paths { unlink(path) }
            rmdir(folder)
        }
        var configuration = Configuration()
        configuration.listen = .unix(path: folder + "/s")
        configuration.graphs = folder
        configuration.publicFolder = ""
        configuration.dashboards = ""
        try write(paths, factor: 2)
        let loop = try Loop()
        var log = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        log.logLevel = .critical
        let server = try Server(configuration, on: loop, log: log)
        try server.start()
        try write(paths, factor: 3)

        let watch = ContinuousClock()
        var last = watch.now
        var longest = Duration.zero
        let timer = try LoopTimer(on: loop) {
            let now = watch.now
            longest = max(longest, now - last)
            last = now
        }
        // The time before the loop runs does not count.
        timer.start(after: .zero, every: .milliseconds(1))
        var report: ReloadReport?
        let start = watch.now
        last = start
        server.reload {
            report = $0
            timer.stop()
            longest = max(longest, watch.now - last)
            server.stop()
        }
        loop.run()
        if let problem = report?.problems.first { throw StartFailure([problem]) }
        return Report(
            whole: (watch.now - start).inMilliseconds,
            longest: longest.inMilliseconds,
            changes: report?.changes ?? 0
        )
    }

    private func write(_ paths: [String], factor: Int) throws {
        for (number, path) in paths.enumerated() {
            var text = "graph: bench\(number)\n" + ReloadBench.nodes(nodes, factor: factor)
            guard let file = fopen(path, "w") else { throw StartFailure(["\(path) cannot be written"]) }
            defer { fclose(file) }
            let count = text.withUTF8 { fwrite($0.baseAddress, 1, $0.count, file) }
            guard count == text.utf8.count else { throw StartFailure(["\(path) cannot be written"]) }
        }
    }
}

extension Double {
    /// With two digits behind the point.
    var hundredths: String {
        let hundredths = Int((self * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
