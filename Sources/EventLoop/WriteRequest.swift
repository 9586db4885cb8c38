internal import CLibuv
internal import Support

/// One `uv_write` in flight: libuv's request and the bytes it writes.
///
/// It is retained from the start of the write until libuv's callback, which comes exactly once,
/// also when the connection was closed in the meantime. Then it goes back to its loop's pool.
@safe final class WriteRequest {
    let raw = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
    private var storage = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var keeper: AnyObject?

    deinit {
        unsafe storage.deallocate()
        unsafe raw.deallocate()
    }

    /// Takes a copy of the bytes and writes it.
    func start(on stream: UnsafeMutablePointer<uv_stream_t>, copying bytes: BorrowedBytes) -> Int32 {
        if unsafe storage.count < bytes.count {
            unsafe storage.deallocate()
            unsafe storage = .allocate(byteCount: max(bytes.count, 4096), alignment: 16)
        }
        unsafe storage.copyMemory(from: bytes.buffer)
        return unsafe start(on: stream, BorrowedBytes(start: storage.baseAddress, count: bytes.count))
    }

    /// Writes bytes that `keeper` keeps in place for as long as it lives.
    func start(
        on stream: UnsafeMutablePointer<uv_stream_t>,
        _ bytes: BorrowedBytes,
        keptBy keeper: AnyObject
    ) -> Int32 {
        self.keeper = keeper
        return unsafe start(on: stream, bytes)
    }

    private func start(on stream: UnsafeMutablePointer<uv_stream_t>, _ bytes: BorrowedBytes) -> Int32 {
        var vector = unsafe uv_buf_t(bytes)
        unsafe raw.pointee.data = unsafe Unmanaged.passRetained(self).toOpaque()
        let status = unsafe uv_write(raw, stream, &vector, 1) { request, status in
            unsafe Unmanaged<WriteRequest>.fromOpaque(request!.pointee.data).takeRetainedValue().finish(
                status
            )
        }
        if status < 0 {
            unsafe Unmanaged.passUnretained(self).release()
            keeper = nil
        }
        return status
    }

    private func finish(_ status: Int32) {
        keeper = nil
        let stream = unsafe raw.pointee.handle!
        unsafe stream.pointee.loop.object?.writeRequests.take(back: self)
        unsafe stream.pointee.data?.owner(TCPConnection.self).wrote(status)
    }

    /// What is worth keeping in the pool.
    var isSmall: Bool { unsafe storage.count <= 64 * 1024 }
}

/// Write requests at rest.
///
/// Writes that have to wait are rare (slow readers), so a short list is enough.
struct WriteRequestPool {
    private var idle: [WriteRequest] = []

    mutating func next() -> WriteRequest { idle.popLast() ?? WriteRequest() }

    mutating func take(back request: WriteRequest) {
        if idle.count < 64, request.isSmall { idle.append(request) }
    }

    mutating func removeAll() { idle = [] }
}

extension uv_buf_t {
    /// libuv's piece of memory; it only reads from it when writing to a socket.
    @inline(__always)
    init(_ bytes: BorrowedBytes) {
        unsafe self.init(
            base: UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
            len: bytes.count
        )
    }
}
