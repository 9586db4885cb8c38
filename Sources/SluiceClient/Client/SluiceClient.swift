/// A client of a Sluice server.
///
/// ```swift
/// let client = try SluiceClient("http://127.0.0.1:8080")
/// let indoors = client.node("house/indoor_c", as: Double.self)
/// for try await celsius in indoors.values() { print(celsius) }
/// ```
///
/// The client connects at once, and again whenever the connection is lost. It lives as long as the
/// program holds it, or one of its nodes, live values and sequences. It may be used from any task
/// and any actor; calls of one task take effect in their order.
public final class SluiceClient: Sendable {
    let loop: ClientLoop
    /// Where a view reads the connection's state; made when it is first asked for.
    @MainActor private var statusIfMade: ConnectionStatus?

    /// Makes a client and begins to connect.
    ///
    /// - Parameters:
    ///   - address: the server's address with the scheme `http`, `https`, `ws` or `wss`. Without a
    ///     path it is `/v1/ws`.
    ///   - name: the client's name in the server's lists.
    ///   - token: a token, if the server needs one.
    ///   - every: the least time between two values of a subscription that does not say otherwise.
    ///   - transport: what speaks WebSocket, if not `NIOTransport` or `URLSessionTransport`.
    /// - Throws: `bad-address`, and `no-transport` if the package was built without one.
    public convenience init(
        _ address: String,
        name: String? = nil,
        token: String? = nil,
        every: Duration? = nil,
        transport: (any Transport)? = nil
    ) throws {
        let source = token.map(TokenSource.fixed) ?? .none
        try self.init(address, name: name, source: source, every: every, transport: transport)
    }

    /// Makes a client whose token is renewed, and begins to connect.
    ///
    /// `renewingToken` gives a token that is valid now. It is called at every connection and
    /// shortly before the last token ends. If it throws, the client tries again after a pause.
    public convenience init(
        _ address: String,
        name: String? = nil,
        every: Duration? = nil,
        transport: (any Transport)? = nil,
        renewingToken: @escaping @Sendable () async throws -> String
    ) throws {
        let source = TokenSource.provider(renewingToken)
        try self.init(address, name: name, source: source, every: every, transport: transport)
    }

    private convenience init(
        _ address: String,
        name: String?,
        source: TokenSource,
        every: Duration?,
        transport: (any Transport)?
    ) throws {
        let url = try socketURL(address)
        guard let transport = transport ?? systemTransport() else {
            throw SluiceError(
                "no-transport",
                "this build has no WebSocket: enable the trait NIO of the package sluice, or give a transport"
            )
        }
        // A computer that sleeps is not waiting for its server.
        self.init(
            ClientSettings(
                url: url,
                transport: transport,
                time: Timekeeper(SuspendingClock()),
                name: name,
                token: source,
                every: every
            )
        )
    }

    init(_ settings: ClientSettings) {
        loop = ClientLoop(settings)
        retry()
    }

    deinit {
        close()
        loop.finish()
    }

    // The connection

    /// What happens to the client: first its present state, then every event from now on.
    ///
    /// A reader that is slow gets the newest thousand.
    public func events() -> AsyncStream<ClientEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ClientEvent.self,
            bufferingPolicy: .bufferingNewest(1000)
        )
        loop.send { $0.listen(continuation) }
        return stream
    }

    /// The connection's state, for views.
    @MainActor public var status: ConnectionStatus {
        if let statusIfMade { return statusIfMade }
        let status = ConnectionStatus(of: self)
        statusIfMade = status
        return status
    }

    /// Waits until the server has accepted the client.
    ///
    /// - Throws: `CancellationError`, and the reason as a ``SluiceError`` if the server refuses the
    ///   client.
    public func connected() async throws {
        for await case .state(let state) in events() {
            if state.phase == .live { return }
            if state.phase == .closed, state.closeCode != nil {
                throw SluiceError("closed", state.reason ?? "the client is closed")
            }
        }
        try Task.checkCancellation()
        throw SluiceError("closed", "the client is closed")
    }

    /// Connects now, also after the state `closed`.
    ///
    /// A client that is connected checks whether the server still answers.
    public func retry() {
        loop.send { $0.retry() }
    }

    /// Ends all subscriptions and the connection.
    public func close() {
        loop.send { $0.close() }
    }

    /// Checks whether the server answers.
    ///
    /// - Parameter patience: how long to wait. Without an answer the connection then counts as
    ///   lost.
    /// - Returns: the round trip; `nil` without an answer.
    public func ping(patience: Duration = .seconds(4)) async -> Duration? {
        let seconds = patience.components.seconds + (patience.components.attoseconds > 0 ? 1 : 0)
        let start = loop.time.now()
        loop.send { $0.hurry(within: Int(max(1, seconds))) }
        guard (try? await loop.request(["op": "ping"], path: nil)) != nil else { return nil }
        return loop.time.now() - start
    }

    /// Shows another token, now and with every connection that comes.
    ///
    /// - Returns: how long the token is valid, if it ends.
    /// - Throws: `not-connected` without a connection; the next one shows the token.
    @discardableResult
    public func authenticate(_ token: String) async throws -> Duration? {
        loop.send { $0.token = .fixed(token) }
        let answer = try await loop.request(["op": "auth", "token": .string(token)], path: nil)
        return answer["expires"]?.double.map { .seconds($0) }
    }
}
