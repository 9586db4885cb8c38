public import EventLoop
public import HTTP
public import Support
package import TLS

/// A WebSocket to a server.
///
/// Belongs to its loop's thread. It answers pings by itself. Dropping it closes the connection.
public final class WebSocketClient {
    /// Called when the connection is upgraded.
    public var onOpen: () -> Void = {}
    /// Called with each text message; its bytes are valid only during the call.
    public var onText: (BorrowedBytes) -> Void = { _ in }
    /// Called once when the connection is over.
    ///
    /// With the code and reason of the server's close frame, or with the failure; a refused upgrade
    /// is ``ClientFailure/refused(status:body:)``.
    public var onEnd: (Result<(code: CloseCode, reason: String), ClientFailure>) -> Void = { _ in }

    private let url: ServiceURL
    private var attempt: ServiceConnector?
    private var connection: Transport?
    private let parser = ResponseParser()
    private var assembler: MessageAssembler
    private let headers: [(name: String, value: String)]
    private var timer: LoopTimer?
    private let patience: Patience?
    /// Bytes have come since the timer was set.
    private var isAlive = false
    private var isPinged = false
    private var isPaused = false
    private var random = SystemRandomNumberGenerator()
    private let key: String
    private let subprotocol: String?
    private var isUpgraded = false
    private var isClosing = false
    private var isOver = false

    /// How long the server may be silent.
    package struct Patience {
        /// How long connecting and the upgrade may take together.
        let upgrade: Duration
        /// After so long a silence the server is pinged; after as long again the connection ends.
        let silence: Duration

        package init(upgrade: Duration, silence: Duration) {
            (self.upgrade, self.silence) = (upgrade, silence)
        }
    }

    /// Starts to connect; without a subprotocol the stream is bare.
    ///
    /// The URL's own path goes before `target`, path and query, which are escaped already.
    ///
    /// - Parameters:
    ///   - url: the server.
    ///   - target: path and query.
    ///   - subprotocol: nil: none is asked for.
    ///   - headers: further header fields of the upgrade.
    ///   - loop: its loop.
    ///   - trust: what many sockets to one server share; nil: the authorities of the URL are read.
    ///   - patience: nil: for ever.
    ///   - mostBytes: the longest message.
    ///   - permits: at which addresses the server may be reached.
    package init(
        _ url: ServiceURL,
        _ target: String,
        subprotocol: String? = "sluice.v1.json",
        headers: [(name: String, value: String)] = [],
        on loop: Loop,
        trust: TLSContext? = nil,
        patience: Patience? = nil,
        mostBytes: Int = 16 << 20,
        permits: @escaping (IPAddress) -> Bool = { _ in true }
    ) {
        self.url = url
        self.subprotocol = subprotocol
        self.headers = headers
        self.patience = patience
        assembler = MessageAssembler(role: .client, limitBytes: mostBytes)
        key = Base64.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        if let patience {
            timer = try? LoopTimer(on: loop) { [weak self] in self?.timeHasCome() }
            timer?.start(after: patience.upgrade)
        }
        attempt = ServiceConnector(to: url, on: loop, trust: trust, permits: permits) { [weak self] result in
            guard let self else { return }
            attempt = nil
            switch result {
            case .success(let connection): upgrade(connection, target)
            case .failure(let failure): end(.failure(failure))
            }
        }
    }

    deinit {
        connection?.setDelegate(nil)
        guard isUpgraded, !isClosing else { return }
        transmit(.close, .normal)
        connection?.close()
    }

    private func upgrade(_ connection: Transport, _ target: String) {
        self.connection = connection
        connection.setDelegate(self)
        connection.resumeReading()
        var buffer = ByteBuffer()
        RequestEncoder.appendUpgrade(
            url.path + target,
            host: url.authority,
            key: key,
            subprotocol: subprotocol,
            to: &buffer
        ) { buffer in
            url.authorize(&buffer)
            for header in headers { buffer.append(utf8: "\(header.name): \(header.value)\r\n") }
        }
        connection.send(buffer.bytes)
    }

    public func send(_ text: String) {
        text.withBorrowedBytes { send(text: $0) }
    }

    /// Sends a text message, which is UTF-8.
    package func send(text: BorrowedBytes) { transmit(.text, text) }

    /// Sends a close frame; `onEnd` is called when the server has answered.
    public func close(_ code: CloseCode = .normal) {
        guard isUpgraded, !isClosing else { return }
        isClosing = true
        transmit(.close, code)
    }

    private func transmit(_ opcode: Opcode, _ code: CloseCode) {
        let bytes = [UInt8(truncatingIfNeeded: code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)]
        bytes.withBorrowedBytes { transmit(opcode, $0) }
    }

    /// Reads nothing until it may again: the server has to wait.
    package func pauseReading(_ paused: Bool) {
        isPaused = paused
        if paused { connection?.pauseReading() } else { connection?.resumeReading() }
    }

    private func timeHasCome() {
        guard isUpgraded, let patience else { return end(.failure(.timedOut)) }
        if isAlive || isPaused {
            isAlive = false
        } else if isPinged {
            return end(.failure(.timedOut))
        } else {
            isPinged = true
            [UInt8]().withBorrowedBytes { transmit(.ping, $0) }
        }
        timer?.start(after: patience.silence)
    }

    /// Ends the connection with a reset, like a client that crashes; no callback follows.
    package func vanish() {
        isOver = true
        connection?.setDelegate(nil)
        connection?.reset()
        connection = nil
    }

    private func transmit(_ opcode: Opcode, _ payload: BorrowedBytes) {
        guard let connection else { return }
        var buffer = ByteBuffer()
        FrameEncoder.append(opcode, payload, mask: random.next(), to: &buffer)
        connection.send(buffer.bytes)
    }

    private func end(_ result: Result<(code: CloseCode, reason: String), ClientFailure>) {
        guard !isOver else { return }
        isOver = true
        timer = nil
        connection?.setDelegate(nil)
        connection?.close()
        connection = nil
        onEnd(result)
    }
}

extension WebSocketClient: ConnectionDelegate {
    public func received(_ bytes: BorrowedBytes) {
        var rest = bytes
        (isAlive, isPinged) = (true, false)
        if !isUpgraded {
            switch parser.parse(&rest) {
            case .more: return
            case .failed(let failure): return end(.failure(.notUnderstood(failure.reason.description)))
            case .response:
                let status = Int(parser.head.status.rawValue)
                return end(.failure(.refused(status: status, body: Array(parser.body))))
            case .upgrade:
                let offer = Handshake.Offer(key: key, subprotocol: subprotocol)
                if let sentence = Handshake.judge(parser.head, answering: offer, sha1: SHA1.digest) {
                    return end(.failure(.notUnderstood(sentence)))
                }
                isUpgraded = true
                if let patience { timer?.start(after: patience.silence) }
                onOpen()
            }
        }
        while !isOver {
            switch assembler.parse(fromServer: &rest) {
            case .more: return
            case .text(let text): onText(text)
            case .binary, .pong: break
            case .ping(let payload): transmit(.pong, payload)
            case .close(let code, let reason):
                if !isClosing { close(code.mayBeSent ? code : .normal) }
                end(.success((code, String(decoding: reason, as: UTF8.self))))
            case .failed(let failure): end(.failure(.notUnderstood(failure.reason)))
            }
        }
    }

    public func peerClosed() { end(isClosing ? .success((.normal, "")) : .failure(.lost)) }

    public func wroteAll() {}

    public func closed(error: UVError?) { end(.failure(.lost)) }
}
