internal import EventLoop
public import Outbound
internal import Values

/// Keeps one subscription alive over a WebSocket, reconnecting with growing pauses, until it is
/// interrupted.
public final class Watcher {
    /// What to watch.
    public struct Subject {
        let message: String

        /// A node and the options of the subscription.
        /// - Parameters:
        ///   - graph: the graph's name.
        ///   - node: the node's name.
        ///   - every: the shortest time between two deliveries, in milliseconds; 0 for none.
        ///   - wantsAll: every value, not only the newest when the connection is slow.
        ///   - wantsPath: also where each value has been, and what has made it.
        ///   - pipe: stages to run on the server, a JSON list; nil for none. The result is nil if
        ///     it is not JSON.
        public init?(
            graph: String,
            node: String,
            every: Int,
            wantsAll: Bool,
            wantsPath: Bool,
            pipe: String?
        ) {
            var message = #"{"op":"sub","id":1,"graph":"\#(graph)","node":"\#(node)""#
            if every > 0 { message += #","every":\#(every)"# }
            if wantsAll { message += #","mode":"all""# }
            if wantsPath { message += #","path":true"# }
            if let pipe {
                guard (try? Datum.parse(pipe)) != nil else { return nil }
                message += #","pipe":\#(pipe)"#
            }
            self.message = message + "}"
        }
    }

    /// Why watching ended without an interrupt; one sentence.
    public struct Ended: Error, CustomStringConvertible {
        /// The sentence.
        public let description: String
    }

    /// Called with each value, as JSON.
    public var onValue: (String) -> Void = { _ in }
    /// Called for other events: the node is empty, failed, or the connection was lost.
    public var onNote: (String) -> Void = { _ in }

    private let loop: Loop
    private let request: StandingRequest
    private var outcome: Ended?

    /// A watcher that starts with `run`.
    ///
    /// - Throws: if the system refuses a loop.
    public init(_ subject: Subject, at service: ServiceURL) throws {
        loop = try Loop()
        request = try StandingRequest(subject.message, as: "sluice watch", at: service, on: loop)
    }

    /// Watches until SIGINT or SIGTERM; throws `Ended` if the server ends the subscription.
    public func run() throws {
        request.onMessage = { [weak self] op, message in self?.heard(op, message) }
        request.onNote = onNote
        request.onEnd = { [weak self] reason in
            guard let self else { return }
            outcome = reason.map { Ended(description: $0) }
            loop.stop()
        }
        let watchers = try SignalWatcher.stopping(loop)
        request.start()
        withExtendedLifetime(watchers) { _ = loop.run() }
        if let outcome { throw outcome }
    }

    private func heard(_ op: String, _ message: JSONReader) {
        if op == "snap" {
            show(message)
        } else if op == "upd" {
            message["d"]?.elements.forEach(show)
        }
    }

    private func show(_ entry: JSONReader) {
        if let value = entry["v"] {
            onValue(String(decoding: value.bytes, as: UTF8.self))
            if let origin = entry["origin"]?.string { onNote(Self.provenance(entry, origin)) }
        } else if let fail = entry["fail"] {
            onNote("failed: \(fail["msg"]?.string ?? "")")
        } else if entry["empty"] != nil {
            onNote("empty")
        }
    }

    /// `house/a → house/b (set by ann)`, with the services in front.
    private static func provenance(_ entry: JSONReader, _ origin: String) -> String {
        let path = (entry["path"]?.elements).map(Array.init) ?? []
        let nodes = path.map { $0.string ?? "" }.joined(separator: " → ")
        return "\(nodes) (\(origin)\(entry["by"]?.string.map { " by \($0)" } ?? ""))"
    }
}
