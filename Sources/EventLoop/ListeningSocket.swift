internal import CLibuv
internal import Platform

/// A bound, listening, non-blocking descriptor; closed when dropped.
///
/// A Unix socket's file goes with it.
struct ListeningSocket: ~Copyable {
    let descriptor: Int32
    private let path: String?

    init(_ endpoint: Endpoint, on loop: Loop, backlog: Int32, reusePort: Bool) throws(UVError) {
        switch endpoint {
        case .tcp(let host, let port):
            let addresses = try AddressLookup.addresses(of: host, port: port, on: loop)
            descriptor = try Self.listen(on: addresses, backlog: backlog, reusePort: reusePort)
            path = nil
        case .unix(let path):
            guard let address = RawAddress(path: path) else {
                throw UVError(code: UVError.Code.invalidArgument.rawValue, call: "bind")
            }
            Self.removeLeftover(at: path, address)
            descriptor = try Self.listen(on: [address], backlog: backlog, reusePort: false)
            self.path = path
        }
    }

    deinit {
        // Before it is closed: a server that gets no answer takes the file for a stale one and
        // replaces it.
        if let path { unsafe unlink(path) }
        close(descriptor)
    }

    /// The first address that can be listened on (`localhost` may be two, and one of them switched
    /// off).
    private static func listen(
        on addresses: [RawAddress],
        backlog: Int32,
        reusePort: Bool
    ) throws(UVError) -> Int32 {
        var failure = UVError(code: UVError.Code.unknownHost.rawValue, call: "bind")
        for address in addresses {
            do throws(UVError) {
                return try listen(on: address, backlog: backlog, reusePort: reusePort)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func listen(
        on address: RawAddress,
        backlog: Int32,
        reusePort: Bool
    ) throws(UVError) -> Int32 {
        let descriptor = try openSocket(family: address.family)
        do throws(UVError) {
            if address.family != AF_UNIX {
                try setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
                if reusePort { try setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
            }
            unsafe try checkErrno(
                address.withSockaddr { unsafe bind(descriptor, $0, address.length) },
                "bind"
            )
            try checkErrno(Platform.listen(descriptor, backlog), "listen")
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Removes the stale socket file of a server that was killed: connecting to it gets no answer.
    ///
    /// Any other file stays: connecting to one is refused as well (unix(7)), and it belongs to
    /// another program.
    private static func removeLeftover(at path: String, _ address: RawAddress) {
        var kind = stat()
        guard unsafe lstat(path, &kind) == 0, kind.st_mode & S_IFMT == S_IFSOCK else { return }
        guard let probe = try? openSocket(family: AF_UNIX) else { return }
        defer { close(probe) }
        let status = unsafe address.withSockaddr { unsafe connect(probe, $0, address.length) }
        if status != 0, errno == ECONNREFUSED { unsafe unlink(path) }
    }
}

/// A new stream socket that does not block and is not inherited by child processes.
func openSocket(family: Int32) throws(UVError) -> Int32 {
    #if os(Linux)
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return try checkErrno(socket(family, streamSocket | flags, 0), "socket")
    #else
        let descriptor = try checkErrno(socket(family, streamSocket, 0), "socket")
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    #endif
}

/// The next waiting connection, non-blocking and not inherited by child processes; negative with
/// `errno` set when there is none.
func acceptConnection(_ listener: Int32) -> Int32 {
    #if os(Linux)
        return accept4(listener, nil, nil, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
    #else
        let descriptor = accept(listener, nil, nil)
        if descriptor >= 0 {
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        return descriptor
    #endif
}

func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) throws(UVError) {
    var value = value
    unsafe try checkErrno(
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size)),
        "setsockopt"
    )
}

/// Passes the result of a C library call on, or throws what it left in `errno`.
@discardableResult
func checkErrno(_ result: Int32, _ call: String) throws(UVError) -> Int32 {
    guard result >= 0 else { throw UVError(errno: errno, call: call) }
    return result
}
