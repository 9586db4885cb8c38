internal import EventLoop
internal import GraphHost
internal import HTTP

/// Keeps one subscription up over a WebSocket, connecting again with growing pauses, until it is interrupted.
public final class Watcher {
    /// What to watch.
    public struct Subject {
        let message: String

        /// Names a node and how to listen to it.
        /// - Parameters:
        ///   - graph: the graph's name.
        ///   - node: the node's name.
        ///   - every: milliseconds between two deliveries at the least; 0 for none.
        ///   - wantsAll: every value, not only the newest when the connection is slow.
        ///   - pipe: stages to run on the server, a JSON list; nil for none. Nil results when it is not JSON.
        public init?(graph: String, node: String, every: Int, wantsAll: Bool, pipe: String?) {
            var message = #"{"op":"sub","id":1,"graph":"\#(graph)","node":"\#(node)""#
            if every > 0 { message += #","every":\#(every)"# }
            if wantsAll { message += #","mode":"all""# }
            if let pipe {
                guard (try? Datum.parse(pipe)) != nil else { return nil }
                message += #","pipe":\#(pipe)"#
            }
            self.message = message + "}"
        }
    }

    /// Why watching ended although nobody interrupted it; one sentence.
    public struct Ended: Error, CustomStringConvertible {
        /// The sentence.
        public let description: String
    }

    /// A value came, as JSON.
    public var onValue: (String) -> Void = { _ in }
    /// Something else happened: the node is empty, failed, or the connection was lost.
    public var onNote: (String) -> Void = { _ in }

    private let service: ServiceURL
    private let subject: Subject
    private let loop: Loop
    private var socket: WebSocketClient?
    private var retry: Timer?
    private var pause = firstPause
    private var outcome: Ended?

    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(10)

    /// Makes a watcher that does nothing yet.
    public init(_ subject: Subject, at service: ServiceURL) throws {
        self.service = service
        self.subject = subject
        loop = try Loop()
    }

    /// Watches until SIGINT or SIGTERM; throws `Ended` when the server will not go on.
    public func run() throws {
        retry = try Timer(on: loop) { [weak self] in self?.connect() }
        let watchers = try [SignalWatcher.Signal.interrupt, .terminate].map { signal in
            try SignalWatcher(on: loop, signal) { [loop] in loop.stop() }
        }
        connect()
        withExtendedLifetime(watchers) { _ = loop.run() }
        if let outcome { throw outcome }
    }

    private func connect() {
        let socket = WebSocketClient(service, "/v1/ws", on: loop)
        socket.onOpen = { [weak self] in
            guard let self else { return }
            pause = Self.firstPause
            // Lists of clients show who this is.
            self.socket?.send(#"{"op":"hello","id":2,"client":"sluice watch"}"#)
            self.socket?.send(subject.message)
        }
        socket.onText = { [weak self] text in self?.heard(text) }
        socket.onEnd = { [weak self] result in self?.ended(result) }
        self.socket = socket
    }

    private func heard(_ text: UnsafeRawBufferPointer) {
        guard let message = try? JSONReader(checking: text), let op = message["op"]?.text else { return }
        if op == "snap" {
            show(message)
        } else if op == "upd" {
            message["d"]?.elements.forEach(show)
        } else if op == "err" || op == "end" {
            ended(with: message["code"]?.string ?? "ended", message["msg"]?.string)
        }
    }

    private func ended(with code: String, _ reason: String?) {
        switch code {
        // The close frame comes next, and with it the next try.
        case "shutdown": break
        // A stage such as `prefix` had what it wanted.
        case "complete": loop.stop()
        default: stop(reason.map { "\(code): \($0)" } ?? code)
        }
    }

    private func show(_ entry: JSONReader) {
        if let value = entry["v"] {
            onValue(String(decoding: value.bytes, as: UTF8.self))
        } else if let fail = entry["fail"] {
            onNote("failed: \(fail["msg"]?.string ?? "")")
        } else if entry["empty"] != nil {
            onNote("empty")
        }
    }

    private func ended(_ result: Result<(code: CloseCode, reason: String), ClientFailure>) {
        socket = nil
        switch result {
        case .failure(.refused(let status, let body)) where status < 500:
            return stop(ClientFailure.refused(status: status, body: body).description)
        case .success(let (code, reason)) where (4000..<4500).contains(code.rawValue):
            return stop("closed with \(code.rawValue) \(reason)")
        case .success(let (code, _)): onNote("closed with \(code.rawValue), connecting again")
        case .failure(let failure): onNote("\(failure), trying again")
        }
        retry?.start(after: pause)
        pause = min(pause * 2, Self.longestPause)
    }

    private func stop(_ reason: String) {
        outcome = Ended(description: reason)
        loop.stop()
    }
}
