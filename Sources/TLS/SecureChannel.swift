package import EventLoop
package import Support

/// A TLS connection on a socket, with the interface of a ``TCPConnection``: writes and delegate
/// calls carry plaintext.
///
/// Invariants:
/// - Ciphertext leaves in the order in which it was made.
/// - What TLS says by itself to a peer that does not read is bounded (``mostOwed``); beyond that
///   the connection ends.
/// - Nothing is encrypted while the kernel has not taken all earlier ciphertext, so a peer that
///   does not read costs no more than what its owner had to say.
package final class SecureChannel: ConnectionDelegate {
    /// Receives the events of the connection.
    package weak var delegate: (any ConnectionDelegate)?
    /// Called before the delegate learns of the end, with the reason why TLS ended it.
    package var onFailure: (TLSFailure) -> Void = { _ in }
    /// The handshake is over.
    package var onEstablished: () -> Void = {}

    package let socket: TCPConnection
    private let session: TLSSession
    /// The buffer for decrypted data, shared by all channels of a loop.
    private let room: PlaintextRoom
    private let sendBuffers: SendBufferPool
    private var isEstablished = false
    package private(set) var isPeerClosed = false
    private var isShutDown = false
    private var isFailing = false
    /// Ciphertext made by TLS itself that the kernel did not take, since the queue was last empty.
    private var owed = 0
    /// Its limit in bytes: answers to requests for new keys (KeyUpdate, RFC 8446 §4.6.3).
    private static let mostOwed = 16 * 1024
    /// Spreads handshakes over turns; nil: each is done at once.
    private let handshakes: HandshakeQueue?
    /// The received bytes of a handshake that waits for its turn.
    private var held = ByteBuffer()
    /// Its limit in bytes: a client's first message has some hundred to two thousand.
    private static let mostHeld = 8 * 1024

    package init(
        _ socket: TCPConnection,
        _ session: TLSSession,
        room: PlaintextRoom,
        sendBuffers: SendBufferPool,
        handshakes: HandshakeQueue? = nil
    ) {
        self.handshakes = handshakes
        self.socket = socket
        self.session = session
        self.room = room
        self.sendBuffers = sendBuffers
        socket.delegate = self
    }

    /// Starts the handshake of a client.
    package func begin() {
        session.handshake()
        sendOutput()
    }

    // MARK: - Writing

    /// Encrypts bytes and passes them to the kernel, or queues what it does not take.
    ///
    /// - Returns: the number of bytes taken, all or none: none before the handshake is over and
    ///   while earlier ciphertext is queued.
    package func tryWrite(_ bytes: BorrowedBytes) -> Int {
        guard isEstablished, socket.queuedBytes == 0 else { return 0 }
        return encrypt(bytes) ? bytes.count : 0
    }

    /// Encrypts bytes and queues them.
    package func write(_ bytes: BorrowedBytes) {
        _ = encrypt(bytes)
    }

    private func encrypt(_ bytes: BorrowedBytes) -> Bool {
        guard !isFailing, session.send(bytes) else { return false }
        sendOutput()
        return true
    }

    private func sendOutput() {
        guard let sendBuffer = session.takeOutput() else { return }
        let bytes = sendBuffer.buffer.bytes
        let taken = socket.tryWrite(bytes)
        guard taken < bytes.count else { return sendBuffers.give(sendBuffer) }
        socket.write(bytes.part(taken...), keptBy: sendBuffer)
    }

    /// Closes TLS and then TCP, once everything queued is written.
    package func shutdown() {
        guard !isShutDown else { return }
        isShutDown = true
        session.sendClose()
        sendOutput()
        socket.shutdown()
    }

    /// Sends a close alert if the kernel takes it now, so that the end is not mistaken for a
    /// truncation (RFC 8446 §6.1), and closes.
    package func close() {
        if !isShutDown, !isFailing {
            session.sendClose()
            sendOutput()
        }
        socket.close()
    }

    // MARK: - Reading

    package func received(_ bytes: BorrowedBytes) {
        guard !isFailing else { return }
        if !isEstablished, let handshakes, !held.isEmpty || !handshakes.takesStep() {
            return wait(with: bytes, in: handshakes)
        }
        read(bytes)
    }

    /// Keeps a part of a handshake until its turn comes, and stops reading meanwhile.
    private func wait(with bytes: BorrowedBytes, in handshakes: HandshakeQueue) {
        guard held.count + bytes.count <= Self.mostHeld else {
            return fail(TLSFailure("the first message of the handshake is too long"))
        }
        if held.isEmpty {
            handshakes.add { [weak self] in self?.goOn() }
        }
        held.append(bytes)
        socket.pauseReading()
    }

    private func goOn() {
        guard socket.isOpen, !isFailing else { return }
        var bytes = ByteBuffer()
        swap(&bytes, &held)
        socket.resumeReading()
        read(bytes.bytes)
    }

    private func read(_ bytes: BorrowedBytes) {
        let reading = session.receive(bytes, into: room) { plaintext in
            noticeHandshake()
            delegate?.received(plaintext)
            return socket.isOpen
        }
        guard socket.isOpen else { return }
        noticeHandshake()
        answerPeer()
        switch reading {
        case .more where owed > Self.mostOwed:
            fail(TLSFailure("the peer asks for new keys and does not read the answers"))
        case .more: break
        case .closed: peerClosed()
        case .failed(let failure): fail(failure)
        }
    }

    /// Sends the answers that TLS made itself.
    private func answerPeer() {
        let before = socket.queuedBytes
        sendOutput()
        owed = (before == 0 ? 0 : owed) + max(0, socket.queuedBytes - before)
    }

    private func noticeHandshake() {
        guard !isEstablished, session.isEstablished else { return }
        isEstablished = true
        sendOutput()
        onEstablished()
    }

    private func fail(_ failure: TLSFailure) {
        isFailing = true
        onFailure(failure)
        socket.close()
    }

    package func peerClosed() {
        guard !isPeerClosed else { return }
        isPeerClosed = true
        delegate?.peerClosed()
    }

    package func wroteAll() {
        delegate?.wroteAll()
    }

    package func closed(error: UVError?) {
        guard let delegate else { return }
        self.delegate = nil
        delegate.closed(error: error)
    }
}
