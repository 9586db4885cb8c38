internal import CLibuv
internal import Platform
public import Support

/// One attempt to connect as a client: looks the name up, then tries the addresses in turn.
///
/// The answer comes exactly once and never from within the initialiser. Dropping the connector
/// gives the attempt up without an answer; so hold it, and set a timer beside it where the kernel's
/// patience (minutes) is too long.
public final class TCPConnector {
    private let loop: Loop
    private let permits: (IPAddress) -> Bool
    private var answer: ((Result<TCPConnection, UVError>) -> Void)?
    private var remaining: [RawAddress] = []
    private var attempt: TCPConnection?

    /// Starts connecting to `endpoint`, at those of its addresses that `permits` is true for.
    ///
    /// If it is true for none, the answer is ``UVError/Code/permissionDenied``. A connection that
    /// `answer` receives has no other holder: keep it, or it closes.
    public init(
        to endpoint: Endpoint,
        on loop: Loop,
        permits: @escaping (IPAddress) -> Bool = { _ in true },
        answer: @escaping (Result<TCPConnection, UVError>) -> Void
    ) {
        self.loop = loop
        self.permits = permits
        self.answer = answer
        switch endpoint {
        case .tcp(let host, let port):
            if let address = RawAddress(numeric: host, port: port) {
                loop.soon { [weak self] in self?.tryAll(of: [address]) }
            } else {
                lookUp(host, port)
            }
        case .unix(let path):
            loop.soon { [weak self] in self?.connect(path: path) }
        }
    }

    private func lookUp(_ host: String, _ port: UInt16) {
        do throws(UVError) {
            try AddressLookup.addresses(of: host, port: port, on: loop) { [weak self] result in
                switch result {
                case .success(let addresses):
                    self?.tryAll(of: addresses)
                case .failure(let error):
                    self?.finish(.failure(error))
                }
            }
        } catch {
            loop.soon { [weak self] in self?.finish(.failure(error)) }
        }
    }

    private func tryAll(of addresses: [RawAddress]) {
        remaining = addresses.filter { $0.number.map(permits) == true }.reversed()
        guard !remaining.isEmpty else {
            return finish(.failure(UVError(code: UVError.Code.permissionDenied.rawValue, call: "connect")))
        }
        tryNext(after: nil)
    }

    private func tryNext(after failure: UVError?) {
        attempt = nil
        guard let address = remaining.popLast() else {
            finish(.failure(failure ?? UVError(code: UVError.Code.unknownHost.rawValue, call: "connect")))
            return
        }
        do throws(UVError) {
            let connection = try TCPConnection(isUnix: false, on: loop)
            unsafe try start(connection) { request in
                unsafe address.withSockaddr {
                    unsafe uv_tcp_connect(request, connection.tcp, $0, onConnected)
                }
            }
        } catch {
            tryNext(after: error)
        }
    }

    private func connect(path: String) {
        do throws(UVError) {
            let connection = try TCPConnection(isUnix: true, on: loop)
            unsafe try start(connection) { request in
                unsafe uv_pipe_connect(request, connection.pipe, path, onConnected)
                return 0
            }
        } catch {
            finish(.failure(error))
        }
    }

    private func start(
        _ connection: TCPConnection,
        _ connect: (UnsafeMutablePointer<uv_connect_t>) -> Int32
    ) throws(UVError) {
        let request = ConnectRequest(owner: self)
        unsafe request.raw.pointee.data = unsafe Unmanaged.passRetained(request).toOpaque()
        let status = unsafe connect(request.raw)
        if status < 0 { unsafe Unmanaged.passUnretained(request).release() }
        try check(status, "connect")
        attempt = connection
    }

    fileprivate func connected(_ status: Int32) {
        if status >= 0, let connection = attempt {
            attempt = nil
            finish(.success(connection))
        } else {
            tryNext(after: UVError(code: status, call: "connect"))
        }
    }

    private func finish(_ result: Result<TCPConnection, UVError>) {
        let answer = self.answer
        self.answer = nil
        answer?(result)
    }
}

/// libuv's request; lives until its callback, which comes also when the handle was closed.
@safe private final class ConnectRequest {
    let raw = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    weak var owner: TCPConnector?

    init(owner: TCPConnector) { self.owner = owner }

    deinit { unsafe raw.deallocate() }
}

private let onConnected: uv_connect_cb = { request, status in
    let request = unsafe Unmanaged<ConnectRequest>.fromOpaque(request!.pointee.data).takeRetainedValue()
    request.owner?.connected(status)
}
