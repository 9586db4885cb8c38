package import EventLoop
internal import HTTP
package import Support
package import TLS

/// One connection that receives server-sent events.
///
/// Belongs to its loop's thread. Dropping it closes the connection.
package final class EventStreamClient {
    /// What happens on it.
    package enum News {
        /// The server has begun a stream of events.
        case opened
        /// An event has come; `id` is the last one that was sent.
        case event(name: String, data: [UInt8], id: String)
        /// The server has answered with something else than a stream of events.
        case answered(HTTPClient.Answer)
        /// The connection has ended, or there was none; `retry` in milliseconds, where the server
        /// has said how long its clients wait.
        case ended(ClientFailure, retry: Int?)
    }

    private let receive: (News) -> Void
    private var attempt: ServiceConnector?
    private var connection: Transport?
    private var timer: LoopTimer?
    private let request: [UInt8]
    private let parser: ResponseParser
    private var events: EventStreamParser
    private var isStream = false
    private var isOver = false

    /// Connects and asks; `receive` is called with what comes, never before this returns.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - lastID: the id of the last event that was received before; empty: none.
    ///   - loop: its loop.
    ///   - trust: what secure connections share.
    ///   - limit: how long connecting and the head of the answer may take.
    ///   - mostBytes: the longest event, and the longest body of another answer.
    ///   - permits: at which addresses the server may be reached.
    ///   - receive: called with what comes; nothing comes after an answer and an end.
    package init(
        _ request: OutboundRequest,
        after lastID: String,
        on loop: Loop,
        trust: TLSContext?,
        limit: Duration,
        mostBytes: Int,
        permits: @escaping (IPAddress) -> Bool,
        receive: @escaping (News) -> Void
    ) {
        self.receive = receive
        events = EventStreamParser(mostBytes: mostBytes)
        parser = ResponseParser(limits: Limits(headerBytes: 64 * 1024, bodyBytes: mostBytes))
        var buffer = ByteBuffer()
        RequestEncoder.append(
            request.method,
            request.server.path + request.target,
            host: request.server.authority,
            to: &buffer
        ) {
            for header in request.headers { $0.append(utf8: "\(header.name): \(header.value)\r\n") }
            if !lastID.isEmpty { $0.field("Last-Event-ID", string: lastID) }
        }
        self.request = Array(buffer.bytes)
        timer = try? LoopTimer(on: loop) { [weak self] in self?.end(.timedOut) }
        timer?.start(after: limit)
        attempt = ServiceConnector(to: request.server, on: loop, trust: trust, permits: permits) {
            [weak self] result in
            self?.connected(result)
        }
    }

    deinit {
        connection?.setDelegate(nil)
        connection?.close()
    }

    /// Reads nothing until it may again: the server has to wait.
    package func pauseReading(_ paused: Bool) {
        if paused { connection?.pauseReading() } else { connection?.resumeReading() }
    }

    private func connected(_ result: Result<Transport, ClientFailure>) {
        attempt = nil
        switch result {
        case .success(let connection):
            self.connection = connection
            connection.setDelegate(self)
            connection.resumeReading()
            request.withBorrowedBytes { connection.send($0) }
        case .failure(let failure): end(failure)
        }
    }

    private func end(_ failure: ClientFailure) {
        guard finish() else { return }
        receive(.ended(failure, retry: events.retry))
    }

    /// - Returns: whether it was not over yet.
    private func finish() -> Bool {
        guard !isOver else { return false }
        isOver = true
        timer = nil
        attempt = nil
        connection?.setDelegate(nil)
        connection?.close()
        connection = nil
        return true
    }

    private func takeBody() {
        if !isStream {
            let head = parser.head
            let type = head.value(.contentType).map { String(decoding: $0, as: UTF8.self).lowercased() }
            let isCoded = head.value(.contentEncoding).map {
                String(decoding: $0, as: UTF8.self) != "identity"
            }
            guard head.status.rawValue == 200 else { return }
            guard type?.hasPrefix("text/event-stream") == true, isCoded != true else {
                return end(.notUnderstood("the answer is no stream of events"))
            }
            isStream = true
            timer = nil
            receive(.opened)
            guard !isOver else { return }
        }
        var failure: EventStreamParser.TooLong?
        parser.takeBody { bytes in
            var found: [EventStreamParser.Event] = []
            do throws(EventStreamParser.TooLong) {
                try events.parse(bytes) { found.append($0) }
            } catch {
                failure = error
            }
            for event in found where !isOver {
                receive(.event(name: event.name, data: event.data, id: events.lastID))
            }
        }
        if failure != nil { end(.notUnderstood("an event is too long")) }
    }
}

extension EventStreamClient: ConnectionDelegate {
    package func received(_ bytes: BorrowedBytes) {
        var rest = bytes
        while !isOver {
            let step = parser.parse(&rest)
            switch step {
            case .more:
                if parser.isReadingBody { takeBody() }
                return
            case .response:
                takeBody()
                if isStream { return end(.lost) }
                if finish() { receive(.answered(HTTPClient.Answer(parser))) }
                return
            case .upgrade: return end(.notUnderstood("an unexpected upgrade"))
            case .failed(let failure): return end(.notUnderstood(failure.reason.description))
            }
        }
    }

    package func peerClosed() { end(.lost) }
    package func wroteAll() {}
    package func closed(error: UVError?) { end(.lost) }
}
