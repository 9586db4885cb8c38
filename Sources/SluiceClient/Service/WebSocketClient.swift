public import EventLoop
public import HTTP
public import Outbound
public import Support
package import TLS

/// A WebSocket to a server, for the command line and load tests.
///
/// Belongs to its loop's thread. It answers pings by itself. Dropping it closes the connection.
public final class WebSocketClient {
    /// Called when the connection is upgraded.
    public var onOpen: () -> Void = {}
    /// Called with each text message; its bytes are valid only during the call.
    public var onText: (BorrowedBytes) -> Void = { _ in }
    /// Called once when the connection is over: with the code and reason of the server's close
    /// frame, or with the failure.
    public var onEnd: (Result<(code: CloseCode, reason: String), ClientFailure>) -> Void = { _ in }

    private let url: ServiceURL
    private var attempt: ServiceConnector?
    private var connection: Transport?
    private let parser = ResponseParser()
    private var assembler = MessageAssembler(role: .client, limitBytes: 16 * 1024 * 1024)
    private var random = SystemRandomNumberGenerator()
    private let key: String
    private let subprotocol: String?
    private var isUpgraded = false
    private var isClosing = false
    private var isOver = false

    /// Starts to connect; without a subprotocol the stream is bare.
    ///
    /// The URL's own path goes before `target`, path and query, which are escaped already. `trust`
    /// is what many sockets to one server share; nil: the authorities of the URL are read.
    package init(
        _ url: ServiceURL,
        _ target: String,
        subprotocol: String? = "sluice.v1.json",
        on loop: Loop,
        trust: TLSContext? = nil
    ) {
        self.url = url
        self.subprotocol = subprotocol
        key = Base64.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        attempt = ServiceConnector(to: url, on: loop, trust: trust) { [weak self] result in
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
            to: &buffer,
            fields: url.authorize
        )
        connection.send(buffer.bytes)
    }

    public func send(_ text: String) {
        text.withBorrowedBytes { transmit(.text, $0) }
    }

    /// Sends a close frame; `onEnd` is called when the server has answered.
    public func close(_ code: CloseCode = .normal) {
        guard isUpgraded, !isClosing else { return }
        isClosing = true
        let bytes = [UInt8(truncatingIfNeeded: code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)]
        bytes.withBorrowedBytes { transmit(.close, $0) }
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
        connection?.setDelegate(nil)
        connection?.close()
        connection = nil
        onEnd(result)
    }
}

extension WebSocketClient: ConnectionDelegate {
    public func received(_ bytes: BorrowedBytes) {
        var rest = bytes
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
