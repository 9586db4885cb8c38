internal import Definitions
internal import EventLoop
internal import HTTP
internal import Outbound
internal import Values

/// A stream of server-sent events that source nodes share; its channels are the types of events.
///
/// It is connected again from the event on that came last.
final class EventSource: StreamUpstream {
    private var client: EventStreamClient?
    private var lastID = ""

    override var isConnected: Bool { client != nil }

    override func disconnect() { client = nil }

    override func pauseReading(_ paused: Bool) { client?.pauseReading(paused) }

    override func connect() throws(UpstreamFailure) {
        guard let server = ServiceURL(key.origin) else { throw UpstreamFailure(.address, "no address") }
        let headers = try headers(to: key.origin, accept: "text/event-stream")
        client = upstreams.connect(
            OutboundRequest(.get, server, key.target, headers: headers),
            after: lastID
        ) { [weak self] news in
            self?.upstreams.turns.begin()
            self?.heard(news)
        }
    }

    private func heard(_ news: EventStreamClient.News) {
        switch news {
        case .opened: opened()
        case .event(let type, let data, let id):
            lastID = id
            arrived(StreamMessage(data, on: type))
        case .answered(let answer):
            let pause = answer.retryPause(at: Int64(upstreams.wallClock))
            fail(
                UpstreamFailure(.status, "status \(answer.status)", status: answer.status, pause: pause)
            )
        case .ended(let reason, let retry): ended(reason, retry: retry)
        }
    }

    override func channel(of feed: OpenFeed) -> String {
        if case .events(let events) = feed.feed.kind { events.event } else { "" }
    }

    override func value(
        for feed: OpenFeed,
        from message: StreamMessage
    ) throws(UpstreamFailure) -> Datum? {
        guard case .events(let events) = feed.feed.kind else { return nil }
        return try feed.value(of: message.datum(isText: events.isText))
    }
}
