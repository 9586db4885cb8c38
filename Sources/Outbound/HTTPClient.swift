public import EventLoop
public import HTTP
public import Support
package import TLS

/// A client of one server: sends requests one after the other over one kept connection, which is
/// made again when needed.
///
/// Belongs to its loop's thread. Dropping it closes the connection and forgets its requests.
public final class HTTPClient {
    /// What a server answered.
    public struct Answer {
        /// The status code, 200 … 599.
        public let status: Int
        /// The body, as sent.
        public let body: [UInt8]
        /// The entity tag, if the answer has one.
        public let entityTag: String?
        /// When to ask again (`Retry-After`), where the answer says it.
        public let retryAfter: String?
        /// When it was sent (`Date`), by the clock of the server that sent it.
        public let date: String?
        /// Where a redirect leads (`Location`).
        public let location: String?
        /// When what was asked for changed last (`Last-Modified`).
        public let lastModified: String?
        /// How long it may be kept (`Cache-Control`).
        public let cacheControl: String?
        /// How the body is coded (`Content-Encoding`); nil: as it is.
        public let coding: String?

        /// Whether the status is 2xx.
        public var isSuccess: Bool { (200..<300).contains(status) }
    }

    /// Called once with the result of a request.
    public typealias Handler = (Result<Answer, ClientFailure>) -> Void

    private struct Request {
        let bytes: [UInt8]
        /// Performing it twice does no harm: the method says so, or a key.
        let isRepeatable: Bool
        let handler: Handler
    }

    private let loop: Loop
    private let url: ServiceURL
    private let limit: Duration
    private var timer: LoopTimer?
    private var attempt: ServiceConnector?
    private var connection: Transport?
    /// The connection has carried an answer, so the server may be about to close it.
    private var isReused = false
    /// Bytes of the current answer have come.
    private var hasAnswerBegun = false
    private let mostBytes: Int
    /// What the secure connections of many clients share; nil: each makes its own.
    package var trust: TLSContext?
    /// At which addresses the server may be reached.
    package var permits: (IPAddress) -> Bool = { _ in true }
    private var parser: ResponseParser
    private var current: Request?
    private var waiting: [Request] = []

    /// A client that connects with its first request.
    /// - Parameters:
    ///   - url: the server.
    ///   - loop: its loop.
    ///   - limit: how long connecting and the answer may take together.
    ///   - mostBytes: the longest body of an answer.
    public init(
        _ url: ServiceURL,
        on loop: Loop,
        limit: Duration = .seconds(10),
        mostBytes: Int = 16 << 20
    ) {
        self.mostBytes = mostBytes
        parser = Self.parser(mostBytes)
        self.url = url
        self.loop = loop
        self.limit = limit
    }

    deinit {
        connection?.setDelegate(nil)
    }

    /// Sends a request.
    ///
    /// If a kept connection ends before a byte of the answer has come, the request is sent again on
    /// a new one (RFC 9112 §9.3.1): only if its method is idempotent or it has an
    /// `Idempotency-Key`, because the server may have performed it.
    /// - Parameters:
    ///   - method: the request's method.
    ///   - target: path and query, escaped already; the URL's own path goes before it.
    ///   - body: nil for none; sent as `application/json`.
    ///   - fields: further header fields.
    ///   - headers: the same with names that are not known here.
    ///   - handler: called with the result, never before this returns.
    public func send(
        _ method: HTTP.Method,
        _ target: String,
        body: [UInt8]? = nil,
        fields: [(name: StaticString, value: String)] = [],
        headers: [(name: String, value: String)] = [],
        handler: @escaping Handler
    ) {
        var buffer = ByteBuffer()
        let write = { (body: BorrowedBytes?) in
            RequestEncoder.append(
                method,
                self.url.path + target,
                host: self.url.authority,
                type: body == nil ? nil : "application/json",
                body: body,
                to: &buffer
            ) {
                self.url.authorize(&$0)
                for field in fields { $0.field(field.name, string: field.value) }
                for header in headers { $0.append(utf8: "\(header.name): \(header.value)\r\n") }
            }
        }
        if let body { body.withBorrowedBytes { write($0) } } else { write(nil) }
        let isRepeatable = method.isIdempotent || fields.contains { $0.name.description == "Idempotency-Key" }
        waiting.append(Request(bytes: Array(buffer.bytes), isRepeatable: isRepeatable, handler: handler))
        loop.soon { [weak self] in self?.next() }
    }

    /// Forgets its requests, and closes the connection if one is under way.
    package func cancel() {
        waiting = []
        guard current != nil else { return }
        current = nil
        timer?.stop()
        attempt = nil
        drop()
    }

    private func next() {
        guard current == nil, !waiting.isEmpty else { return }
        current = waiting.removeFirst()
        arm()
        if connection != nil { return transmit() }
        connect()
    }

    private func arm() {
        if timer == nil {
            timer = try? LoopTimer(on: loop) { [weak self] in self?.fail(.timedOut) }
        }
        timer?.start(after: limit)
    }

    private static func parser(_ mostBytes: Int) -> ResponseParser {
        ResponseParser(limits: Limits(headerBytes: 64 * 1024, bodyBytes: mostBytes))
    }

    private func connect() {
        parser = Self.parser(mostBytes)
        isReused = false
        attempt = ServiceConnector(to: url, on: loop, trust: trust, permits: permits) { [weak self] result in
            guard let self else { return }
            attempt = nil
            switch result {
            case .success(let connection):
                self.connection = connection
                connection.setDelegate(self)
                connection.resumeReading()
                transmit()
            case .failure(let failure):
                fail(failure)
            }
        }
    }

    private func transmit() {
        guard let connection, let current else { return }
        hasAnswerBegun = false
        current.bytes.withBorrowedBytes { connection.send($0) }
    }

    private func fail(_ failure: ClientFailure) {
        attempt = nil
        drop()
        finish(.failure(failure))
    }

    private func finish(_ result: Result<Answer, ClientFailure>) {
        timer?.stop()
        guard let request = current else { return }
        current = nil
        request.handler(result)
        next()
    }

    private func drop() {
        connection?.setDelegate(nil)
        connection?.close()
        connection = nil
    }

    /// - Parameter isLast: the connection has ended, or has bytes that belong to no request.
    private func answered(isLast: Bool) {
        let answer = Answer(parser)
        isReused = true
        if isLast || !parser.keepsAlive { drop() }
        finish(.success(answer))
    }
}

extension HTTPClient: ConnectionDelegate {
    public func received(_ bytes: BorrowedBytes) {
        guard current != nil else { return drop() }
        hasAnswerBegun = true
        var rest = bytes
        while connection != nil {
            switch parser.parse(&rest) {
            case .more: return
            case .response: answered(isLast: !rest.isEmpty)
            case .upgrade: return fail(.notUnderstood("an unexpected upgrade"))
            case .failed(let failure): return fail(.notUnderstood(failure.reason.description))
            }
        }
    }

    public func peerClosed() {
        // An answer without a length ends with its connection. The next request then has begun to
        // connect already.
        if case .response = parser.finish() { return answered(isLast: true) }
        closed(error: nil)
    }

    public func wroteAll() {}

    public func closed(error: UVError?) {
        let isUnheard = isReused && !hasAnswerBegun
        drop()
        guard let current else { return }
        if isUnheard, current.isRepeatable { connect() } else { fail(.lost) }
    }
}

extension HTTPClient.Answer {
    /// The response at hand.
    init(_ parser: ResponseParser) {
        let head = parser.head
        func text(_ name: HeaderName) -> String? {
            head.value(name).map { String(decoding: $0, as: UTF8.self) }
        }
        self.init(
            status: Int(head.status.rawValue),
            body: Array(parser.body),
            entityTag: text(.entityTag),
            retryAfter: text(.retryAfter),
            date: text(.date),
            location: text(.location),
            lastModified: text(.lastModified),
            cacheControl: text(.cacheControl),
            coding: text(.contentEncoding)
        )
    }
}
