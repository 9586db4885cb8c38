internal import Platform
internal import Support

/// Hands bytes to the kernel and returns how many it took; 0 where it takes none now, or never
/// again.
///
/// Does what `uv_try_write` does, which is a `write`. A `send` is some 200 ns (4 %) cheaper for a
/// small message: the kernel need not find out that the descriptor is a socket. And libuv's own
/// record of the stream stays untouched: a delivery to one of thousands of sockets has two cache
/// lines less to wait for.
@inline(__always)
func sendNow(_ bytes: BorrowedBytes, on descriptor: Int32) -> Int {
    while true {
        let taken = unsafe send(descriptor, bytes.baseAddress, bytes.count, sendFlags)
        if taken >= 0 { return taken }
        guard errno == EINTR else { return 0 }
    }
}

#if os(Linux)
    /// Neither wait nor raise SIGPIPE.
    private let sendFlags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
#else
    private let sendFlags = MSG_DONTWAIT
#endif
