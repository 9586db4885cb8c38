internal import CLibuv
internal import Platform
public import Support

/// A connected stream: TCP, or a Unix socket.
///
/// Transcribes https://docs.libuv.org/en/v1.x/stream.html and tcp.html.
///
/// - Dropping the connection closes it, silently. ``close()`` and ``reset()`` do so while it is
///   still held, and notify the delegate.
/// - The delegate is not retained: it usually holds the connection, and both go together. One that
///   goes earlier must be taken off first.
/// - Bytes are read into one buffer per loop and lent to the delegate.
/// - Writing: first ``tryWrite(_:)``, which hands to the kernel what it takes at once; what is left
///   goes to ``write(_:)``, which queues it. Nothing overtakes the queue: as long as it is not
///   empty `tryWrite` takes nothing.
@safe public final class TCPConnection {
    /// Receives the events of this connection.
    ///
    /// `unowned`: a weak reference would cost each connection 48 bytes more, and each read three
    /// times the time to follow.
    public unowned var delegate: (any ConnectionDelegate)?

    /// Nil once it is closed.
    private var handle: Handle<uv_stream_t>?
    /// Of an open connection.
    private var stream: UnsafeMutablePointer<uv_stream_t> { unsafe (handle?.raw)! }
    private var loop: Loop { unsafe (handle?.loop)! }
    private let isUnix: Bool
    /// Whether the connection is neither closed nor broken.
    public private(set) var isOpen = true
    /// Whether bytes are being read.
    public private(set) var isReading = false
    /// Whether nothing more can be read: the peer has ended its side, or reading failed.
    public private(set) var isPeerClosed = false
    /// Whether ``shutdown()`` was called.
    public private(set) var isShutDown = false
    /// Whether libuv may still have bytes of ours.
    private var hasQueue = false
    /// The socket, once it was asked for; -1 before.
    private var knownDescriptor: Int32 = -1

    /// A connection without a descriptor yet.
    init(isUnix: Bool, on loop: Loop) throws(UVError) {
        let size = unsafe isUnix ? MemoryLayout<uv_pipe_t>.size : MemoryLayout<uv_tcp_t>.size
        let handle = unsafe try Handle<uv_stream_t>(
            on: loop,
            size: size,
            isUnix ? "uv_pipe_init" : "uv_tcp_init"
        ) {
            loop,
            raw in
            let memory = UnsafeMutableRawPointer(raw)
            return unsafe isUnix
                ? uv_pipe_init(loop, memory.assumingMemoryBound(to: uv_pipe_t.self), 0)
                : uv_tcp_init(loop, memory.assumingMemoryBound(to: uv_tcp_t.self))
        }
        self.isUnix = isUnix
        unsafe handle.belongs(to: self)
        unsafe self.handle = unsafe consume handle
    }

    /// Takes over a connected, non-blocking descriptor; it stays the caller's when this throws.
    convenience init(descriptor: Int32, isUnix: Bool, on loop: Loop) throws(UVError) {
        try self.init(isUnix: isUnix, on: loop)
        unsafe try check(
            isUnix ? uv_pipe_open(pipe, descriptor) : uv_tcp_open(tcp, descriptor),
            "uv_tcp_open"
        )
    }

    // MARK: Reading

    /// Starts or goes on reading.
    ///
    /// Without effect once the peer has closed or the connection is closed.
    public func resumeReading() {
        guard isOpen, !isReading, !isPeerClosed else { return }
        let status = unsafe uv_read_start(
            stream,
            { handle, _, buffer in unsafe handle!.pointee.loop.lendReadBuffer(buffer!) },
            { stream, count, buffer in
                guard count > 0 else {
                    if count < 0 { unsafe stream!.pointee.data.owner(TCPConnection.self).readFailed(count) }
                    return
                }
                // The delegate is retained for its call; nothing here uses the connection after it.
                unsafe stream!.pointee.data.lend(TCPConnection.self) { $0.delegate }?
                    .received(BorrowedBytes(start: buffer!.pointee.base, count: count))
            }
        )
        isReading = status == 0
    }

    /// Reads nothing until ``resumeReading()``: the kernel's buffers fill and the peer has to wait.
    ///
    /// The peer's end is not noticed in the meantime, unless bytes are waiting to be written.
    public func pauseReading() {
        guard isOpen, isReading else { return }
        isReading = false
        unsafe uv_read_stop(stream)
    }

    private func readFailed(_ code: Int) {
        isReading = false
        isPeerClosed = true
        let error = code == Int(UV_EOF.rawValue) ? nil : UVError(code: Int32(code), call: "read")
        guard let endings = loop.endings, !endings.takesEnding() else { return readEnded(error) }
        endings.postpone(self, error)
    }

    /// The peer has ended the connection, or its direction of it: `error` is nil then.
    func readEnded(_ error: UVError?) {
        guard isOpen else { return }
        if let error {
            fail(error)
        } else {
            delegate?.peerClosed()
        }
    }

    // MARK: Writing

    /// Hands bytes to the kernel and returns how many it took, 0 … all; none while earlier bytes
    /// are queued.
    ///
    /// On a broken connection it takes none either: queue them as usual, and the delegate receives
    /// the reason.
    public func tryWrite(_ bytes: BorrowedBytes) -> Int {
        guard isOpen, !isShutDown, bytes.count > 0, !hasQueue || isQueueEmpty() else { return 0 }
        if knownDescriptor < 0 {
            guard let descriptor else { return 0 }
            knownDescriptor = descriptor
        }
        return sendNow(bytes, on: knownDescriptor)
    }

    /// Whether libuv has written everything.
    private func isQueueEmpty() -> Bool {
        hasQueue = unsafe uv_stream_get_write_queue_size(stream) > 0
        return !hasQueue
    }

    /// Queues a copy of bytes; the delegate receives `wroteAll` when the queue has become empty.
    public func write(_ bytes: BorrowedBytes) {
        queue(bytes) { request in unsafe request.start(on: stream, copying: bytes) }
    }

    /// Queues bytes without copying them; `keeper` keeps them in place and is held until they are
    /// written or given up.
    public func write(_ bytes: BorrowedBytes, keptBy keeper: AnyObject) {
        queue(bytes) { request in unsafe request.start(on: stream, bytes, keptBy: keeper) }
    }

    /// Hands to the kernel what it takes at once and queues a copy of the rest.
    ///
    /// Returns whether all of it is gone.
    @discardableResult
    public func send(_ bytes: BorrowedBytes) -> Bool {
        let taken = tryWrite(bytes)
        guard taken < bytes.count else { return true }
        write(bytes.part(taken...))
        return false
    }

    /// How many bytes are queued, not yet in the kernel's hands.
    public var queuedBytes: Int { unsafe isOpen ? uv_stream_get_write_queue_size(stream) : 0 }

    private func queue(_ bytes: BorrowedBytes, _ start: (WriteRequest) -> Int32) {
        guard isOpen, bytes.count > 0 else { return }
        hasQueue = true
        let status = start(loop.writeRequests.next())
        if status < 0 { failSoon(UVError(code: status, call: "write")) }
    }

    /// The end of one queued write; called while the connection is open only.
    func wrote(_ status: Int32) {
        if status < 0 {
            fail(UVError(code: status, call: "write"))
        } else if unsafe uv_stream_get_write_queue_size(stream) == 0 {
            delegate?.wroteAll()
        }
    }

    // MARK: Ending

    /// Says that we will send nothing more (FIN) once all queued bytes are written.
    ///
    /// Reading goes on.
    public func shutdown() {
        guard isOpen, !isShutDown else { return }
        isShutDown = true
        let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
        let status = unsafe uv_shutdown(request, stream) { request, _ in unsafe request!.deallocate() }
        if status < 0 { unsafe request.deallocate() }
    }

    /// Closes both directions at once and gives up what is queued.
    ///
    /// Unread bytes of the peer make the kernel send a reset, which may cost the peer the end of
    /// the last answer: to end politely call ``shutdown()``, read until `peerClosed`, then close.
    public func close() { end(with: nil) }

    /// Closes with a reset (RST, `SO_LINGER` 0): the peer sees an error at once and nothing lingers
    /// in the kernel.
    public func reset() {
        guard isOpen else { return }
        if !isUnix, let descriptor {
            var linger = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(
                descriptor,
                SOL_SOCKET,
                SO_LINGER,
                &linger,
                socklen_t(MemoryLayout.size(ofValue: linger))
            )
        }
        end(with: nil)
    }

    private func fail(_ error: UVError) { end(with: error) }

    private func end(with error: UVError?) {
        guard isOpen else { return }
        isOpen = false
        isReading = false
        unsafe handle = nil
        guard let delegate else { return }
        self.delegate = nil
        delegate.closed(error: error)
    }

    /// For failures found inside a call of the delegate's own, where a call back would surprise it.
    private func failSoon(_ error: UVError) {
        loop.soon { [weak self] in self?.fail(error) }
    }

    // MARK: The socket

    /// Sends small pieces at once (`TCP_NODELAY`), the right setting when everything of a turn is
    /// written in one call.
    public func setNoDelay(_ on: Bool) {
        if isOpen, !isUnix { unsafe uv_tcp_nodelay(tcp, on ? 1 : 0) }
    }

    /// Breaks the connection when sent bytes stay unacknowledged for `limit` (`TCP_USER_TIMEOUT`,
    /// RFC 5482).
    ///
    /// Linux only; nothing elsewhere.
    public func setUserTimeout(_ limit: Duration) {
        #if os(Linux)
            guard isOpen, !isUnix, let descriptor else { return }
            try? setOption(
                descriptor,
                Int32(IPPROTO_TCP),
                TCP_USER_TIMEOUT,
                Int32(clamping: limit.milliseconds)
            )
        #endif
    }

    /// Asks the kernel for a send buffer of about this size.
    ///
    /// The kernel doubles it and has limits of its own.
    public func setSendBuffer(bytes: Int) {
        guard isOpen, let descriptor else { return }
        try? setOption(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(clamping: bytes))
    }

    /// The peer's address; nil when the connection is closed or already broken.
    public var peerAddress: SocketAddress? {
        descriptor.flatMap { unsafe SocketAddress(descriptor: $0, by: getpeername) }
    }

    /// Our address; nil when the connection is closed.
    public var localAddress: SocketAddress? {
        descriptor.flatMap(SocketAddress.init(of:))
    }

    private var descriptor: Int32? {
        guard isOpen else { return nil }
        var descriptor = uv_os_fd_t()
        let base = unsafe UnsafeMutableRawPointer(stream).assumingMemoryBound(to: uv_handle_t.self)
        return unsafe uv_fileno(base, &descriptor) == 0 ? descriptor : nil
    }

    var tcp: UnsafeMutablePointer<uv_tcp_t> {
        unsafe UnsafeMutableRawPointer(stream).assumingMemoryBound(to: uv_tcp_t.self)
    }

    var pipe: UnsafeMutablePointer<uv_pipe_t> {
        unsafe UnsafeMutableRawPointer(stream).assumingMemoryBound(to: uv_pipe_t.self)
    }
}

extension UnsafeMutablePointer<uv_loop_t> {
    /// Lends the loop's read buffer to libuv; nothing, which libuv reports as ENOBUFS, while the
    /// loop is being taken down.
    func lendReadBuffer(_ buffer: UnsafeMutablePointer<uv_buf_t>) {
        guard let room = unsafe object?.readBuffer else { return }
        unsafe buffer.pointee = unsafe uv_buf_t(BorrowedBytes(UnsafeRawBufferPointer(room)))
    }
}
