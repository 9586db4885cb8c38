import FlyingFox
import FlyingSocks
import Foundation
import PeerMessages

/// A minimal server on FlyingFox: what is posted goes to every WebSocket that has sent a text.
@main
struct FlyingFoxPeer {
    static func main() async throws {
        let hub = Hub()
        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
        await server.appendRoute("POST /v1/graphs/:graph/nodes/:node") { request in
            let value = String(decoding: try await request.bodyData, as: UTF8.self)
            let rev = await hub.publish(value)
            return HTTPResponse(
                statusCode: .ok,
                headers: [.eTag: Messages.tag(rev), .contentType: "application/json"],
                body: Data(Messages.answer(rev).utf8)
            )
        }
        let sockets = WebSocketHTTPHandler(handler: MessageFrameWSHandler(handler: Subscriptions(hub: hub)))
        await server.appendRoute("GET /v1/ws") { request in
            var response = try await sockets.handleRequest(request)
            response.headers[HTTPHeader("Sec-WebSocket-Protocol")] = "sluice.v1.json"
            return response
        }
        let run = Task { try await server.run() }
        try await server.waitUntilListening()
        guard case .ip4(_, let port) = await server.listeningAddress else { fatalError("not listening") }
        print("listening on http://127.0.0.1:\(port)")
        fflush(nil)
        try await run.value
    }
}

/// The value's revision and those who subscribe to it.
actor Hub {
    private var rev = 0
    private var subscribers: [Int: AsyncStream<WSMessage>.Continuation] = [:]
    private var nextSubscriber = 0

    /// Sends a value to all subscribers; its revision.
    func publish(_ value: String) -> Int {
        rev += 1
        if !subscribers.isEmpty {
            let message = WSMessage.text(Messages.update(rev, value))
            for subscriber in subscribers.values { subscriber.yield(message) }
        }
        return rev
    }

    /// Adds a subscriber; its number.
    func subscribe(_ subscriber: AsyncStream<WSMessage>.Continuation) -> Int {
        nextSubscriber += 1
        subscribers[nextSubscriber] = subscriber
        subscriber.yield(.text(Messages.snapshot(rev)))
        return nextSubscriber
    }

    func unsubscribe(_ number: Int) { subscribers[number] = nil }
}

/// Subscribes each WebSocket with its first text.
struct Subscriptions: WSMessageHandler {
    let hub: Hub

    func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
        let (messages, continuation) = AsyncStream.makeStream(of: WSMessage.self)
        Task {
            var number: Int?
            for await case .text in client where number == nil { number = await hub.subscribe(continuation) }
            if let number { await hub.unsubscribe(number) }
            continuation.finish()
        }
        return messages
    }
}
