internal import EventLoop
internal import HTTP
internal import Outbound
internal import Support
internal import Values

/// Keeps one request alive over a WebSocket, reconnecting with growing pauses.
///
/// Belongs to its loop's thread. Dropping it closes the connection.
final class StandingRequest {
    /// Called with each message, which is valid only during the call.
    var onMessage: (_ op: String, _ message: JSONReader) -> Void = { _, _ in }
    /// Called when the connection was lost and a new attempt follows.
    var onNote: (String) -> Void = { _ in }
    /// Called when the server has ended the request: with the reason, or nil if the request is
    /// complete.
    var onEnd: (String?) -> Void = { _ in }

    private let service: ServiceURL
    private let client: String
    private let message: String
    private let loop: Loop
    private var socket: WebSocketClient?
    private var retry: LoopTimer?
    private var pause = firstPause

    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(10)

    /// A request that ``start()`` sends: a message with the id 1, under the client's name.
    init(_ message: String, as client: String, at service: ServiceURL, on loop: Loop) throws {
        self.message = message
        self.client = client
        self.service = service
        self.loop = loop
        retry = try LoopTimer(on: loop) { [weak self] in self?.start() }
    }

    func start() {
        let socket = WebSocketClient(service, "/v1/ws", on: loop)
        socket.onOpen = { [weak self] in
            guard let self else { return }
            pause = Self.firstPause
            self.socket?.send(#"{"op":"hello","id":2,"client":"\#(client)"}"#)
            self.socket?.send(message)
        }
        socket.onText = { [weak self] text in self?.heard(text) }
        socket.onEnd = { [weak self] result in self?.ended(result) }
        self.socket = socket
    }

    private func heard(_ text: BorrowedBytes) {
        guard let message = try? JSONReader(checking: text), let op = message["op"]?.string else { return }
        guard op == "err" || op == "end" else { return onMessage(op, message) }
        let code = message["code"]?.string ?? "ended"
        if message["retry"]?.bool == true { return again("\(code), trying again") }
        switch code {
        // The close frame follows, and then the next attempt.
        case "shutdown": break
        // A stage such as `prefix` is complete.
        case "complete": onEnd(nil)
        default: onEnd(message["msg"]?.string.map { "\(code): \($0)" } ?? code)
        }
    }

    private func ended(_ result: Result<(code: CloseCode, reason: String), ClientFailure>) {
        switch result {
        case .failure(.refused(let status, let body)) where status < 500:
            return onEnd(ClientFailure.refused(status: status, body: body).description)
        case .success(let (code, reason)) where (4000..<4500).contains(code.rawValue):
            return onEnd("closed with \(code.rawValue) \(reason)")
        case .success(let (code, _)): again("closed with \(code.rawValue), connecting again")
        case .failure(let failure): again("\(failure), trying again")
        }
    }

    private func again(_ note: String) {
        socket = nil
        onNote(note)
        retry?.start(after: pause)
        pause = min(pause * 2, Self.longestPause)
    }
}
