import Foundation
import Synchronization
import Testing

@testable import SluiceClient

/// A transport whose other end is the test.
final class ScriptedServer: Transport {
    /// The connections that the client makes, in order.
    private let connections: Inbox<ScriptedConnection> = Inbox()
    private let isUp: Mutex<Bool>

    init(isUp: Bool = true) {
        self.isUp = Mutex(isUp)
    }

    /// Whether connections come about.
    func setUp(_ up: Bool) {
        isUp.withLock { $0 = up }
    }

    func run(
        _ url: URL,
        opened: @Sendable (any TransportConnection) async -> Void,
        received: @Sendable (String) async -> Void
    ) async throws -> ConnectionEnd {
        guard isUp.withLock({ $0 }) else { throw Unreachable() }
        let connection = ScriptedConnection(url: url)
        await opened(connection)
        connections.put(connection)
        return await withTaskCancellationHandler {
            while let event = await connection.toClient.next() {
                switch event {
                case .text(let text): await received(text)
                case .end(let end): return end
                }
            }
            return ConnectionEnd()
        } onCancel: {
            connection.toClient.finish()
            connection.fromClient.finish()
        }
    }

    /// The next connection.
    func accept() async throws -> ScriptedConnection {
        try #require(await connections.next())
    }

    /// The next connection, once the client has introduced itself and was welcomed.
    func welcome(_ more: JSONObject = [:]) async throws -> ScriptedConnection {
        let connection = try await accept()
        #expect(try await connection.read()["op"] == "hello")
        connection.say(["op": "hello", "session": "c:1", "server": "sluice/1", "hb": 2].merging(more) { $1 })
        return connection
    }
}

struct Unreachable: Error {}

/// The server's end of a connection.
final class ScriptedConnection: TransportConnection {
    enum Event {
        case text(String)
        case end(ConnectionEnd)
    }

    let url: URL
    let toClient = Inbox<Event>()
    let fromClient = Inbox<String>()

    init(url: URL) {
        self.url = url
    }

    func send(_ text: String) {
        fromClient.put(text)
    }

    /// What the client has sent next.
    func read() async throws -> JSONObject {
        let text = try #require(await fromClient.next(), "the client has closed the connection")
        return try #require(try JSONText.decode(text).object)
    }

    /// What the client has sent next, which must be that.
    func read(_ op: String) async throws -> JSONObject {
        let message = try await read()
        #expect(message["op"]?.string == op, "\(message)")
        return message
    }

    func say(_ message: JSONObject) {
        guard let text = try? JSONText.encode(message) else { return }
        toClient.put(.text(text))
    }

    /// Answers a request or a subscription.
    func answer(_ message: JSONObject, _ fields: JSONObject) {
        say(fields.merging(["id": message["id"] ?? .null]) { $1 })
    }

    /// Answers a subscription with a value.
    func snap(_ message: JSONObject, rev: Int64, _ more: JSONObject) {
        answer(message, ["op": "snap", "epoch": "e", "rev": .integer(rev), "t": 1000].merging(more) { $1 })
    }

    /// Reports a change to a subscription.
    func update(_ subscription: JSONObject, rev: Int64, _ entry: JSONObject) {
        let entry = entry.merging(["id": subscription["id"] ?? .null]) { $1 }
        say(["op": "upd", "graph": "g", "rev": .integer(rev), "t": 2000, "d": [.object(entry)]])
    }

    func end(_ code: Int = 1006, _ reason: String = "") {
        toClient.put(.end(ConnectionEnd(code: code, reason: reason)))
    }

    /// Whether the client has closed the connection; waits until it has sent something or closed
    /// it.
    func isClosed() async -> Bool {
        await fromClient.next() == nil
    }
}

/// A queue from any task to one task.
final class Inbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var reader: CheckedContinuation<Element?, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())

    func put(_ element: Element) {
        let reader = state.withLock { state in
            let reader = state.reader.take()
            if reader == nil { state.elements.append(element) }
            return reader
        }
        reader?.resume(returning: element)
    }

    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume(returning: nil)
    }

    /// The next element; `nil` once it is finished and empty.
    func next() async -> Element? {
        await withCheckedContinuation { continuation in
            let found: Element?? = state.withLock { state in
                if !state.elements.isEmpty { return state.elements.removeFirst() }
                if state.isFinished { return .some(nil) }
                state.reader = continuation
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
    }
}

/// A client, its server and its clock.
struct Scene {
    let server: ScriptedServer
    let clock = ManualClock()
    let client: SluiceClient

    init(token: TokenSource = .none, isUp: Bool = true) throws {
        server = ScriptedServer(isUp: isUp)
        client = SluiceClient(
            ClientSettings(
                url: try socketURL("http://127.0.0.1:8080"),
                transport: server,
                time: Timekeeper(clock),
                name: "test",
                token: token,
                random: { 0.5 }
            )
        )
    }

    /// Waits until the client's jobs so far are done.
    func settle() async {
        await client.loop.perform { _ in }
    }

    /// A client that is connected.
    static func connected() async throws -> (Scene, ScriptedConnection) {
        let scene = try Scene()
        let connection = try await scene.server.welcome()
        try await scene.client.connected()
        return (scene, connection)
    }
}
