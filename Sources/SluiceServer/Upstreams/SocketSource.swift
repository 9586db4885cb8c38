internal import Definitions
internal import Graphs
internal import HTTP
internal import Outbound
internal import Values

/// A WebSocket whose messages source nodes share.
final class SocketSource: StreamUpstream {
    private let greeting: String?
    private var client: WebSocketClient?

    /// A socket for no nodes yet; `greeting` is sent when it is open.
    init(_ key: UpstreamKey, greeting: String?, _ upstreams: Upstreams, askedAt: UInt64?) {
        self.greeting = greeting
        super.init(key, upstreams, askedAt: askedAt)
    }

    override var isConnected: Bool { client != nil }

    override func disconnect() { client = nil }

    override func pauseReading(_ paused: Bool) { client?.pauseReading(paused) }

    override func connect() throws(UpstreamFailure) {
        let client = try upstreams.connect(
            key.origin,
            key.target,
            headers: headers(to: key.origin, accept: nil)
        )
        client.onOpen = { [weak self] in
            guard let self else { return }
            upstreams.turns.begin()
            if let greeting { self.client?.send(greeting) }
            opened()
        }
        client.onText = { [weak self] text in
            self?.upstreams.turns.begin()
            self?.arrived(StreamMessage(Array(text), on: ""))
        }
        client.onEnd = { [weak self] result in
            guard let self else { return }
            upstreams.turns.begin()
            switch result {
            case .success: ended(.lost)
            case .failure(let failure): ended(failure)
            }
        }
        self.client = client
    }

    override func value(
        for feed: OpenFeed,
        from message: StreamMessage
    ) throws(UpstreamFailure) -> Datum? {
        guard case .socket(let socket) = feed.feed.kind else { return nil }
        let datum = try message.datum(isText: socket.isText)
        if let filter = socket.filter, try !feed.takes(datum, by: filter) { return nil }
        return try feed.value(of: datum)
    }
}
