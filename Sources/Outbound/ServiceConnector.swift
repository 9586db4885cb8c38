package import EventLoop
package import Support
package import TLS

/// One attempt to connect to a server, including TLS if the address is `https`.
///
/// The answer comes once, never from within the initialiser. Dropping the connector gives the
/// attempt up.
package final class ServiceConnector {
    private let url: ServiceURL
    private let trust: TLSContext?
    private var attempt: TCPConnector?
    private var channel: SecureChannel?
    private var failure: TLSFailure?
    /// The last address that was not permitted.
    private var refused: IPAddress?
    private var answer: ((Result<Transport, ClientFailure>) -> Void)?

    /// Starts to connect.
    ///
    /// `trust` is what many connections share; nil makes one for this connection. Only addresses
    /// are tried that `permits` is true for.
    package init(
        to url: ServiceURL,
        on loop: Loop,
        trust: TLSContext? = nil,
        permits: @escaping (IPAddress) -> Bool = { _ in true },
        answer: @escaping (Result<Transport, ClientFailure>) -> Void
    ) {
        self.url = url
        self.trust = trust
        self.answer = answer
        attempt = TCPConnector(to: url.endpoint, on: loop) { [weak self] address in
            if permits(address) { return true }
            self?.refused = address
            return false
        } answer: { [weak self] result in
            self?.connected(result)
        }
    }

    private func connected(_ result: Result<TCPConnection, UVError>) {
        attempt = nil
        switch result {
        case .failure(let error):
            if let refused, error.is(.permissionDenied) {
                finish(.failure(.notPermitted(url, refused)))
            } else {
                finish(.failure(.unreachable(url, error)))
            }
        case .success(let socket):
            socket.setNoDelay(true)
            if url.isSecure { secure(socket) } else { finish(.success(.plain(socket))) }
        }
    }

    private func secure(_ socket: TCPConnection) {
        do throws(TLSFailure) {
            let pool = SendBufferPool()
            let context = if let trust { trust } else { try TLSContext.client(authorities: url.authorities) }
            let session = try TLSSession(context, host: url.host, sendBuffers: pool)
            let channel = SecureChannel(socket, session, room: PlaintextRoom(), sendBuffers: pool)
            channel.delegate = self
            channel.onFailure = { [weak self] in self?.failure = $0 }
            channel.onEstablished = { [weak self] in self?.established() }
            self.channel = channel
            socket.resumeReading()
            channel.begin()
        } catch {
            finish(.failure(.untrusted(url, error.description)))
        }
    }

    private func established() {
        guard let channel else { return }
        self.channel = nil
        finish(.success(.secure(channel)))
    }

    private func finish(_ result: Result<Transport, ClientFailure>) {
        let answer = self.answer
        self.answer = nil
        answer?(result)
    }
}

extension ServiceConnector: ConnectionDelegate {
    package func received(_ bytes: BorrowedBytes) {}

    package func peerClosed() { closed(error: nil) }

    package func wroteAll() {}

    package func closed(error: UVError?) {
        channel = nil
        finish(.failure(failure.map { .untrusted(url, $0.description) } ?? .lost))
    }
}
