internal import ArgumentParser
internal import EventLoop
internal import GraphHost
internal import HTTP
internal import SluiceServer

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a node's value now and whenever it changes, until interrupted.",
        discussion: """
            One line per value. A lost connection is made again, with growing pauses.

            EXAMPLES
              sluice watch host/cpu_percent
              sluice watch house/indoor_c --pipe '[{"map":"value * 9 / 5 + 32"},"distinct"]'
              sluice watch host/summary --every 5000
            """
    )

    @Argument(help: "graph/node, or a node's URL.")
    var node: String

    @Option(help: "Milliseconds between two values at the least.")
    var every = 0

    @Option(help: "Stages to run on the server, as a JSON list.")
    var pipe: String?

    @Flag(help: "Every value, not only the newest when the connection is slow.")
    var all = false

    @OptionGroup var options: ServiceOptions

    func run() throws {
        let address = try NodeAddress(node, options)
        guard let name = address.node else { throw ValidationError("'\(node)' names a graph, not a node") }
        guard every >= 0 else { throw ValidationError("--every is a number of milliseconds, 0 or more") }
        if let pipe, (try? Datum.parse(pipe)) == nil { throw ValidationError("--pipe is not JSON") }
        var message = #"{"op":"sub","id":1,"graph":"\#(address.graph)","node":"\#(name)""#
        if every > 0 { message += #","every":\#(every)"# }
        if all { message += #","mode":"all""# }
        if let pipe { message += #","pipe":\#(pipe)"# }
        try Watcher(address.service, subscribing: message + "}").run()
    }
}

/// Keeps one subscription up and prints what it brings.
private final class Watcher {
    private let service: ServiceURL
    private let message: String
    private let loop: Loop
    private var socket: WebSocketClient?
    private var retry: Timer?
    private var pause = Duration.milliseconds(250)
    private var outcome: ExitCode?

    init(_ service: ServiceURL, subscribing message: String) throws {
        self.service = service
        self.message = message
        loop = try Loop()
    }

    func run() throws {
        retry = try Timer(on: loop) { [weak self] in self?.connect() }
        let watchers = try [SignalWatcher.Signal.interrupt, .terminate].map { signal in
            try SignalWatcher(on: loop, signal) { [loop] in loop.stop() }
        }
        connect()
        _ = withExtendedLifetime(watchers) { loop.run() }
        if let outcome { throw outcome }
    }

    private func connect() {
        let socket = WebSocketClient(service, "/v1/ws", on: loop)
        socket.onOpen = { [weak self] in
            guard let self else { return }
            pause = .milliseconds(250)
            self.socket?.send(message)
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
            let code = message["code"]?.string ?? "ended"
            outcome = Terminal.failure(message["msg"]?.string.map { "\(code): \($0)" } ?? code)
            loop.stop()
        }
    }

    private func show(_ entry: JSONReader) {
        if let value = entry["v"] {
            Terminal.print(String(decoding: value.bytes, as: UTF8.self))
        } else if let fail = entry["fail"] {
            Terminal.note("failed: \(fail["msg"]?.string ?? "")")
        } else if entry["empty"] != nil {
            Terminal.note("empty")
        }
    }

    private func ended(_ result: Result<(code: CloseCode, reason: String), ClientFailure>) {
        socket = nil
        switch result {
        case .failure(.refused(let status, let body)) where status < 500:
            outcome = Terminal.failure(ClientFailure.refused(status: status, body: body))
            return loop.stop()
        case .success(let (code, reason)) where (4000..<4500).contains(code.rawValue):
            outcome = Terminal.failure("closed with \(code.rawValue) \(reason)")
            return loop.stop()
        case .success(let (code, _)): Terminal.note("closed with \(code.rawValue), connecting again")
        case .failure(let failure): Terminal.note("\(failure), trying again")
        }
        retry?.start(after: pause)
        pause = min(pause * 2, .seconds(10))
    }
}
