internal import DequeModule
package import EventLoop
internal import HTTP
package import Support
package import TLS

/// Requests to many servers, so many at once to one of them and so many in all.
///
/// Others wait in the order in which they were made, and those to one server hold up none to
/// another. Connections are kept for a while after an answer (RFC 9112 section 9.3).
///
/// Belongs to its loop's thread.
package final class RequestPool {
    /// How many requests are under way at once.
    package struct Room: Sendable {
        package var perServer = 4
        package var inAll = 64

        package init() {}
    }

    /// A request that waits or is under way.
    package final class Call {
        fileprivate let request: OutboundRequest
        fileprivate let handler: HTTPClient.Handler
        fileprivate weak var pool: RequestPool?
        fileprivate var client: HTTPClient?
        fileprivate var isOver = false

        fileprivate init(
            _ request: OutboundRequest,
            _ pool: RequestPool,
            _ handler: @escaping HTTPClient.Handler
        ) {
            (self.request, self.pool, self.handler) = (request, pool, handler)
        }

        /// Ends it without an answer: the connection is closed if it is under way.
        package func cancel() {
            guard !isOver else { return }
            forget()
            pool?.ended(self)
        }

        fileprivate func forget() {
            isOver = true
            client.take()?.cancel()
        }
    }

    /// The clients of one server.
    private struct Server {
        var waiting: Deque<Call> = []
        /// The requests under way.
        var calls: [Call] = []
        /// Those without a request, the last used one last.
        var idle: [HTTPClient] = []

        var isEmpty: Bool { waiting.isEmpty && calls.isEmpty && idle.isEmpty }
    }

    private let loop: Loop
    private let room: Room
    private let limit: Duration
    private let mostBytes: Int
    private let permits: (ServiceURL) -> (IPAddress) -> Bool
    /// What secure connections share.
    package var trust: TLSContext?
    private var servers: [ServiceURL: Server] = [:]
    /// The servers with calls that wait, longest first.
    private var queue: Deque<ServiceURL> = []
    private var running = 0
    private var sweep: LoopTimer?

    /// How long a connection without a request is kept.
    private static let idleTime = Duration.seconds(15)

    /// A pool without requests.
    ///
    /// - Parameters:
    ///   - loop: its loop.
    ///   - room: how many requests are under way at once.
    ///   - limit: how long connecting and the answer may take together.
    ///   - mostBytes: the longest body of an answer.
    ///   - permits: at which addresses a server may be reached.
    package init(
        on loop: Loop,
        room: Room = Room(),
        limit: Duration = .seconds(30),
        mostBytes: Int,
        permits: @escaping (ServiceURL) -> (IPAddress) -> Bool
    ) {
        (self.loop, self.room, self.limit) = (loop, room, limit)
        (self.mostBytes, self.permits) = (mostBytes, permits)
    }

    /// How many requests wait or are under way.
    package var count: Int { running + servers.values.reduce(0) { $0 + $1.waiting.count } }

    /// Makes a request; `handler` is called with the result, never before this returns, and never
    /// after ``Call/cancel()``.
    package func send(_ request: OutboundRequest, handler: @escaping HTTPClient.Handler) -> Call {
        let call = Call(request, self, handler)
        let server = request.server
        if servers[server]?.waiting.isEmpty != false { queue.append(server) }
        servers[server, default: Server()].waiting.append(call)
        startWaiting()
        return call
    }

    /// Closes all connections, and forgets all requests.
    package func close() {
        for server in servers.values {
            for call in server.waiting + server.calls { call.forget() }
        }
        (servers, queue, running, sweep) = ([:], [], 0, nil)
    }

    /// Starts what there is room for, one request of each server in turn.
    private func startWaiting() {
        var looked = 0
        while running < room.inAll, looked < queue.count, let url = queue.popFirst() {
            guard var server = servers[url] else { continue }
            guard server.calls.count < room.perServer else {
                queue.append(url)
                looked += 1
                continue
            }
            looked = 0
            guard let call = server.waiting.popFirst() else { continue }
            let client = server.idle.popLast() ?? makeClient(url)
            server.calls.append(call)
            running += 1
            servers[url] = server
            if !server.waiting.isEmpty { queue.append(url) }
            start(call, with: client)
        }
    }

    private func makeClient(_ url: ServiceURL) -> HTTPClient {
        let client = HTTPClient(url, on: loop, limit: limit, mostBytes: mostBytes)
        client.trust = trust
        client.permits = permits(url)
        return client
    }

    private func start(_ call: Call, with client: HTTPClient) {
        call.client = client
        let request = call.request
        client.send(
            request.method,
            request.target,
            body: request.body,
            headers: request.headers
        ) { result in
            guard !call.isOver else { return }
            call.isOver = true
            call.pool?.ended(call, client: call.client.take())
            call.handler(result)
        }
    }

    /// A call is over; its client, if it has one still, may serve another.
    private func ended(_ call: Call, client: HTTPClient? = nil) {
        let url = call.request.server
        guard var server = servers[url] else { return }
        if let place = server.waiting.firstIndex(where: { $0 === call }) {
            server.waiting.remove(at: place)
            if server.waiting.isEmpty { queue.removeAll { $0 == url } }
        } else {
            server.calls.removeAll { $0 === call }
            running -= 1
            if let client { server.idle.append(client) }
        }
        servers[url] = server.isEmpty ? nil : server
        startWaiting()
        sweepLater()
    }

    /// Closes connections that have had no request for a while.
    private func sweepLater() {
        if sweep == nil {
            sweep = try? LoopTimer(on: loop) { [weak self] in self?.dropIdle() }
            sweep?.keepsLoopAlive = false
        }
        sweep?.start(after: Self.idleTime)
    }

    private func dropIdle() {
        for (url, var server) in servers where !server.idle.isEmpty {
            server.idle = []
            servers[url] = server.isEmpty ? nil : server
        }
    }
}
