internal import CLibuv
internal import Platform

/// Accepts connections on a TCP port or a Unix socket.
///
/// Dropping it stops listening; accepted connections live on.
///
/// Running out of descriptors never stops it for good. It keeps one descriptor in reserve: when
/// `accept` answers `EMFILE` or `ENFILE` the reserve is given up for a moment to accept the waiting
/// connections and close them, so that these clients learn at once that there is no room. Where not
/// even that works, or the reason is another than the connection's own, the listener rests for
/// ``retryDelay`` and then tries again.
///
/// libuv's own `uv_listen` spins in this case once its internal reserve is lost, therefore the
/// listening descriptor is watched with `uv_poll_t` (https://docs.libuv.org/en/v1.x/poll.html) and
/// accepted from here.
@safe public final class TCPListener {
    /// How long the listener rests when the system cannot accept.
    public static let retryDelay: Duration = .milliseconds(100)

    /// Where it listens, with the port that the system chose for port 0.
    public let address: SocketAddress

    /// The port it listens on; 0 for a Unix socket.
    public var boundPort: UInt16 { address.port }

    /// Called with each new connection, which has no other holder: keep it, or it closes.
    ///
    /// Reading starts when ``TCPConnection/resumeReading()`` is called.
    public var onConnection: ((TCPConnection) -> Void)?

    /// Called when connections cannot be accepted, with the reason, and with how many were turned
    /// away for lack of descriptors (0: the listener rests and tries again).
    public var onShortage: ((Int, UVError) -> Void)?

    /// How many connections were accepted since the start, those turned away not included.
    public private(set) var acceptedConnections = 0

    private let socket: ListeningSocket
    private let handle: Handle<uv_poll_t>
    private var reserve: Int32
    private var retry: LoopTimer?
    private var isPaused = false
    /// A turn accepts at most this many connections, so that those already open have their say.
    static let batch = 64

    /// Listens on `endpoint` and calls `onConnection` from then on.
    ///
    /// - Parameters:
    ///   - endpoint: where; a host name is looked up at once, blocking. `::` takes IPv4 connections
    ///     too.
    ///   - loop: the loop that the listener and its connections belong to.
    ///   - backlog: how many connections the kernel keeps waiting (it has an upper limit of its
    ///     own).
    ///   - reusePort: lets several processes listen on the same port, each with its own queue
    ///     (`SO_REUSEPORT`).
    ///   - onConnection: see ``onConnection``.
    /// - Throws: what the system says, `bind: address already in use (EADDRINUSE)` for example.
    public init(
        _ endpoint: Endpoint,
        on loop: Loop,
        backlog: Int = 4096,
        reusePort: Bool = false,
        onConnection: ((TCPConnection) -> Void)? = nil
    ) throws(UVError) {
        self.onConnection = onConnection
        let socket = try ListeningSocket(
            endpoint,
            on: loop,
            backlog: Int32(clamping: backlog),
            reusePort: reusePort
        )
        let descriptor = socket.descriptor
        guard let address = SocketAddress(of: descriptor) else {
            throw UVError(errno: errno, call: "getsockname")
        }
        self.address = address
        self.socket = socket
        unsafe handle = unsafe try Handle(on: loop, "uv_poll_init") {
            unsafe uv_poll_init($0, $1, descriptor)
        }
        reserve = Self.openReserve()
        unsafe handle.belongs(to: self)
        retry = try LoopTimer(on: loop) { [unowned self] in tryAgain() }
        listen()
    }

    deinit {
        if reserve >= 0 { close(reserve) }
    }

    /// Leaves new connections waiting in the kernel's queue until ``resume()``.
    public func pause() {
        isPaused = true
        retry?.stop()
        unsafe uv_poll_stop(handle.raw)
    }

    /// Accepts again after ``pause()``.
    public func resume() {
        isPaused = false
        listen()
    }

    private func listen() {
        unsafe uv_poll_start(handle.raw, Int32(UV_READABLE.rawValue)) { handle, _, _ in
            unsafe handle!.pointee.data.owner(TCPListener.self).acceptWaiting()
        }
    }

    private func acceptWaiting() {
        for _ in 0..<Self.batch where !isPaused {
            let descriptor = acceptConnection(socket.descriptor)
            if descriptor >= 0 {
                adopt(descriptor)
                continue
            }
            let error = errno
            switch AcceptFailure(errno: error) {
            case .connection: continue
            case .empty: return
            case .descriptors: return turnAway(because: UVError(errno: error, call: "accept"))
            case .system:
                rest()
                onShortage?(0, UVError(errno: error, call: "accept"))
                return
            }
        }
        waitForNextTurn()
    }

    /// Leaves what still waits to the next turn: libuv polls up to 48 times in one where many
    /// sockets are ready.
    private func waitForNextTurn() {
        guard !isPaused else { return }
        unsafe uv_poll_stop(handle.raw)
        unsafe handle.loop.soon { [weak self] in
            guard let self, !isPaused else { return }
            listen()
        }
    }

    private func adopt(_ descriptor: Int32) {
        do throws(UVError) {
            let connection = unsafe try TCPConnection(
                descriptor: descriptor,
                isUnix: address.family == .unix,
                on: handle.loop
            )
            acceptedConnections += 1
            onConnection?(connection)
        } catch {
            close(descriptor)
        }
    }

    /// Accepts and closes what waits, by means of the reserve; rests when there is none.
    private func turnAway(because reason: UVError) {
        var count = 0
        while reserve >= 0, count < Self.batch {
            close(reserve)
            let descriptor = acceptConnection(socket.descriptor)
            let isEmpty = descriptor < 0
            if !isEmpty {
                close(descriptor)
                count += 1
            }
            reserve = Self.openReserve()
            if isEmpty { break }
        }
        if count == 0 { rest() }
        onShortage?(count, reason)
    }

    /// Stops watching, else the loop would spin on the connection that cannot be taken.
    private func rest() {
        unsafe uv_poll_stop(handle.raw)
        retry?.start(after: Self.retryDelay)
    }

    private func tryAgain() {
        if reserve < 0 { reserve = Self.openReserve() }
        listen()
    }

    private static func openReserve() -> Int32 { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
