internal import COpenSSL
internal import Support

/// One TLS connection without a socket: ciphertext goes in and comes out, and so does plaintext.
///
/// Invariants:
/// - `input` is set only while ``receive(_:into:deliver:)`` runs, and is consumed by its end:
///   OpenSSL keeps an unfinished record.
/// - Ciphertext to send is in `output`, in order; the caller takes it with ``takeOutput()``.
@safe package final class TLSSession {
    enum ReadResult {
        /// All that came was used.
        case more
        /// The peer said that it will send nothing more (close_notify).
        case closed
        /// The connection is broken; an alert may stand in `output`.
        case failed(TLSFailure)
    }

    private let ssl: OpaquePointer
    private let context: TLSContext
    private var input = BorrowedBytes()
    /// Ciphertext to send; nil if there is none, so that a quiet connection holds no memory for it.
    private var output: SendBuffer?
    private let sendBuffers: SendBufferPool
    private var isFinished = false

    /// A connection before its handshake; `host`, for a client, is the name or address in the
    /// server's certificate.
    package init(_ context: TLSContext, host: String? = nil, sendBuffers: SendBufferPool) throws(TLSFailure) {
        guard let ssl = unsafe SSL_new(context.raw), let bio = unsafe BIO_new(Self.method) else {
            throw TLSFailure(during: "TLS")
        }
        unsafe self.ssl = unsafe ssl
        self.context = context
        self.sendBuffers = sendBuffers
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        // Both directions through one BIO, which the connection owns from now on.
        unsafe SSL_set_bio(ssl, bio, bio)
        if context.isServer {
            unsafe SSL_set_accept_state(ssl)
        } else {
            unsafe SSL_set_connect_state(ssl)
            if let host { try expect(host) }
        }
    }

    deinit {
        unsafe SSL_free(ssl)
    }

    /// Requires a certificate for that host, and sends its name in the handshake (RFC 6066 §3:
    /// names, not addresses).
    private func expect(_ host: String) throws(TLSFailure) {
        let parameters = unsafe SSL_get0_param(ssl)
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 { return }
        ERR_clear_error()
        guard unsafe SSL_set1_host(ssl, host) == 1 else { throw TLSFailure(during: "'\(host)'") }
        unsafe host.withCString { name in
            let name = unsafe UnsafeMutableRawPointer(mutating: name)
            _ = unsafe SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), name)
        }
    }

    /// Whether the handshake is over: from now on plaintext can be sent.
    var isEstablished: Bool { unsafe SSL_is_init_finished(ssl) == 1 }

    /// Starts or continues the handshake; for clients, which send first.
    func handshake() {
        ERR_clear_error()
        _ = unsafe SSL_do_handshake(ssl)
    }

    /// Decrypts ciphertext and delivers the plaintext in pieces, which are valid only during the
    /// call, until `deliver` returns false.
    ///
    /// A `room` of at least 16 KiB keeps a record in one piece.
    func receive(
        _ bytes: BorrowedBytes,
        into room: PlaintextRoom,
        deliver: (BorrowedBytes) -> Bool
    ) -> ReadResult {
        guard !isFinished else { return .closed }
        input = bytes
        defer { input = BorrowedBytes() }
        while true {
            var count = 0
            ERR_clear_error()
            let status = unsafe SSL_read_ex(ssl, room.bytes.baseAddress, room.bytes.count, &count)
            if status == 1 {
                guard unsafe deliver(BorrowedBytes(start: room.bytes.baseAddress, count: count)) else {
                    return .more
                }
                continue
            }
            switch unsafe SSL_get_error(ssl, status) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
                return .more
            case SSL_ERROR_ZERO_RETURN:
                return .closed
            default:
                isFinished = true
                return .failed(failure)
            }
        }
    }

    private var failure: TLSFailure {
        let result = unsafe SSL_get_verify_result(ssl)
        if !context.isServer, result != Int(X509_V_OK) {
            ERR_clear_error()
            return unsafe TLSFailure(
                "the server's certificate is not trusted: "
                    + String(cString: X509_verify_cert_error_string(result))
            )
        }
        return TLSFailure(during: isEstablished ? "TLS" : "TLS handshake")
    }

    /// Encrypts all of `plaintext` into `output`.
    ///
    /// - Returns: false if the connection cannot be written to any more, or not yet.
    func send(_ plaintext: BorrowedBytes) -> Bool {
        guard isEstablished, !isFinished else { return false }
        guard !plaintext.isEmpty else { return true }
        var count = 0
        ERR_clear_error()
        let status = unsafe SSL_write_ex(ssl, plaintext.baseAddress, plaintext.count, &count)
        if status != 1 { isFinished = true }
        return status == 1
    }

    /// Puts the close alert into `output` (RFC 8446 §6.1).
    func sendClose() {
        guard isEstablished, !isFinished else { return }
        ERR_clear_error()
        _ = unsafe SSL_shutdown(ssl)
    }

    func takeOutput() -> SendBuffer? {
        defer { output = nil }
        return output
    }

    // MARK: - The BIO that stands for the socket

    fileprivate func give(_ room: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
        let count = min(size, input.count)
        guard count > 0 else { return 0 }
        unsafe UnsafeMutableRawPointer(room).copyMemory(from: input.baseAddress!, byteCount: count)
        input = input.part(count...)
        return count
    }

    fileprivate func take(_ bytes: UnsafePointer<CChar>, _ count: Int) {
        let sendBuffer = output ?? sendBuffers.take()
        output = sendBuffer
        unsafe sendBuffer.buffer.append(BorrowedBytes(start: bytes, count: count))
    }

    /// Never written to after it is made.
    nonisolated(unsafe) private static let method: OpaquePointer = {
        let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "lent bytes")!
        unsafe BIO_meth_set_read(method) { bio, room, size in
            guard let bio = unsafe bio, let room = unsafe room, let session = unsafe BIO_get_data(bio) else {
                return -1
            }
            unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
            let count = unsafe Unmanaged<TLSSession>.fromOpaque(session)._withUnsafeGuaranteedRef {
                unsafe $0.give(room, Int(size))
            }
            guard count > 0 else {
                unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
                return -1
            }
            return Int32(count)
        }
        unsafe BIO_meth_set_write(method) { bio, bytes, size in
            guard let bio = unsafe bio, let bytes = unsafe bytes, let session = unsafe BIO_get_data(bio)
            else { return -1 }
            unsafe Unmanaged<TLSSession>.fromOpaque(session)._withUnsafeGuaranteedRef {
                unsafe $0.take(bytes, Int(size))
            }
            return size
        }
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        unsafe BIO_meth_set_create(method) { bio in
            unsafe BIO_set_init(bio, 1)
            return 1
        }
        return unsafe method
    }()
}
