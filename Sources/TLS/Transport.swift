package import EventLoop
package import Support

/// The transport of bytes: a plain socket, or one with TLS.
///
/// Two cases instead of a protocol, because the plain one is on the way of every delivery.
package enum Transport {
    case plain(TCPConnection)
    case secure(SecureChannel)

    /// The socket itself, for what does not concern bytes.
    package var socket: TCPConnection {
        switch self {
        case .plain(let socket): socket
        case .secure(let channel): channel.socket
        }
    }

    /// The socket, where nothing is spoken on it but what passes through here.
    package var plain: TCPConnection? {
        if case .plain(let socket) = self { socket } else { nil }
    }

    /// Whether TLS is spoken.
    package var isSecure: Bool {
        if case .secure = self { true } else { false }
    }

    /// Sets the receiver of the connection's events; it is not retained.
    package func setDelegate(_ delegate: (any ConnectionDelegate)?) {
        switch self {
        case .plain(let socket): socket.delegate = delegate
        case .secure(let channel): channel.delegate = delegate
        }
    }

    /// Writes bytes and returns how many were taken; see ``TCPConnection/tryWrite(_:)``.
    @inlinable
    package func tryWrite(_ bytes: BorrowedBytes) -> Int {
        switch self {
        case .plain(let socket): socket.tryWrite(bytes)
        case .secure(let channel): channel.tryWrite(bytes)
        }
    }

    /// Whether bytes that ``tryWrite(_:)`` took have not reached the kernel yet; then `wroteAll`
    /// follows.
    @inlinable
    package var holdsBytes: Bool {
        switch self {
        case .plain: false
        case .secure(let channel): channel.socket.queuedBytes > 0
        }
    }

    /// Queues bytes after all others; the delegate is called with `wroteAll`.
    ///
    /// `keeper` keeps the bytes in place until they are written.
    package func write(_ bytes: BorrowedBytes, keptBy keeper: AnyObject) {
        switch self {
        case .plain(let socket): socket.write(bytes, keptBy: keeper)
        case .secure(let channel): channel.write(bytes)
        }
    }

    /// Hands over bytes and queues what was not taken.
    package func send(_ bytes: BorrowedBytes) {
        switch self {
        case .plain(let socket): socket.send(bytes)
        case .secure(let channel): channel.write(bytes)
        }
    }

    /// Says that nothing more will be sent, once all is written.
    package func shutdown() {
        switch self {
        case .plain(let socket): socket.shutdown()
        case .secure(let channel): channel.shutdown()
        }
    }

    /// Whether the peer has said that it will send nothing more.
    package var isPeerClosed: Bool {
        switch self {
        case .plain(let socket): socket.isPeerClosed
        case .secure(let channel): channel.isPeerClosed || channel.socket.isPeerClosed
        }
    }

    package var queuedBytes: Int { socket.queuedBytes }
    package var isReading: Bool { socket.isReading }
    package func resumeReading() { socket.resumeReading() }
    package func pauseReading() { socket.pauseReading() }
    package func setUserTimeout(_ limit: Duration) { socket.setUserTimeout(limit) }

    /// Closes at once; what the kernel has not taken is given up.
    package func close() {
        switch self {
        case .plain(let socket): socket.close()
        case .secure(let channel): channel.close()
        }
    }

    package func reset() { socket.reset() }
}
