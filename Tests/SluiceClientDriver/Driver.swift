// Plays what tests ask for on standard input. Tests/EndToEnd/clients/README.md has the messages.
import Foundation
import SluiceClient

@main
struct Program {
    static func main() async {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        // `readLine` waits, which a task must not.
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        let driver = Driver()
        for await line in lines { await driver.perform(line) }
        await driver.close()
        exit(0)
    }
}

/// One client at a time, and what tests have asked of it.
actor Driver {
    private var client: SluiceClient?
    private var reporting: Task<Void, Never>?
    /// What ends each handle.
    private var handles: [String: @Sendable () -> Void] = [:]
    /// The errors of requests, for `repeat`.
    private var errors: [Int: SluiceError] = [:]

    func perform(_ line: String) {
        guard let command = try? JSONDecoder().decode(JSONObject.self, from: Data(line.utf8)),
            let id = command["id"]?.int
        else { fatalError("no request: \(line)") }
        Task {
            do {
                write(["id": .integer(Int64(id)), "ok": try await answer(command)])
            } catch let error as SluiceError {
                errors[id] = error
                write(["id": .integer(Int64(id)), "error": error.json])
            } catch {
                write(["id": .integer(Int64(id)), "error": ["code": "bug", "message": "\(error)"]])
            }
        }
    }

    func close() {
        client?.close()
    }

    private func answer(_ command: JSONObject) async throws -> JSONValue {
        switch command["do"] {
        case "connect": try connect(command)
        case "close": client?.close()
        case "retry": try connected.retry()
        case "release": try connected.owner(command["owner"]?.string ?? "").release()
        case "unwatch": handles.removeValue(forKey: command["handle"]?.string ?? "")?()
        case "repeat":
            guard let error = errors[command["of"]?.int ?? 0] else { throw Misuse(command) }
            return try await error.repeat().json
        case "watch", "stream", "demand", "observe": try await listen(command)
        case "link", "sync": try await link(command)
        default: return try await connected.answer(command)
        }
        return .null
    }

    private var connected: SluiceClient {
        get throws {
            guard let client else { throw Misuse([:]) }
            return client
        }
    }

    private func connect(_ command: JSONObject) throws {
        let client = try SluiceClient(
            command["url"]?.string ?? "",
            name: command["client"]?.string,
            token: command["token"]?.string,
            transport: transport(command["trust"]?.string)
        )
        self.client = client
        reporting?.cancel()
        reporting = Task { [events = client.events()] in
            var phase: ConnectionState.Phase?
            for await event in events {
                if case .state(let state) = event {
                    // A try that fails changes the state, and not its name.
                    if state.phase == phase { continue }
                    phase = state.phase
                }
                write(event.json)
            }
        }
    }

    // Subscriptions

    private func listen(_ command: JSONObject) async throws {
        let client = try connected
        switch command["do"] {
        case "observe":
            let events = client.observe(
                command.graph,
                every: command["every"]?.int.map { .milliseconds($0) } ?? .milliseconds(250),
                around: command["around"]?.string,
                depth: command["depth"]?.int
            ).events()
            await play(command) { await stream(events, to: $0, $1) }
        case "demand":
            let demands = client.demand(command.graph, command.names("nodes")).deliveries()
            await play(command) { handle, begun in
                await watch(demands, to: handle, begun) { .object($0.mapValues(\.json)) }
            }
        default:
            if let nodes = command.nodes {
                await play(command, of: client.nodes(command.graph, nodes, as: JSONValue.self)) {
                    .object($0)
                }
            } else {
                await play(command, of: client.single(command)) { $0 }
            }
        }
    }

    private func play<Value>(
        _ command: JSONObject,
        of source: some Subscribable<Value>,
        _ json: @escaping @Sendable (Value) -> JSONValue
    ) async {
        let options = command.listenOptions
        if command["do"] == "stream" {
            let values = source.values(options)
            await play(command) { await stream(values, to: $0, $1, json) }
        } else {
            let deliveries = source.deliveries(options)
            await play(command) { await watch(deliveries, to: $0, $1, json) }
        }
    }

    /// Runs what a handle names, and returns when the client has taken it.
    private func play(
        _ command: JSONObject,
        _ body: @escaping @Sendable (_ handle: String, _ begun: @escaping @Sendable () -> Void) async -> Void
    ) async {
        let handle = command["handle"]?.string ?? ""
        await withCheckedContinuation { continuation in
            let task = Task { await body(handle) { continuation.resume() } }
            handles[handle] = { task.cancel() }
        }
    }

    private func link(_ command: JSONObject) async throws {
        let client = try connected
        let owners = command.owners
        let link =
            if command["do"] == "link" {
                client.link(
                    command.graph,
                    from: command["from"]?.string ?? "",
                    to: command["to"]?.string ?? "",
                    pipe: command["pipe"]?.array ?? [],
                    owners: owners
                )
            } else {
                client.sync(
                    command.graph,
                    command["a"]?.string ?? "",
                    command["b"]?.string ?? "",
                    toB: command["to_b"]?.string,
                    toA: command["to_a"]?.string,
                    owners: owners
                )
            }
        let handle = command["handle"]?.string ?? ""
        handles[handle] = { link.close() }
        Task {
            for await report in link.reports { write(event(handle, report) { $0 }) }
        }
    }
}

/// Writes each delivery.
private func watch<Value>(
    _ deliveries: Deliveries<Value>,
    to handle: String,
    _ begun: () -> Void,
    _ json: (Value) -> JSONValue
) async {
    let iterator = deliveries.makeAsyncIterator()
    begun()
    while let delivery = await iterator.next() { write(event(handle, delivery, json)) }
}

/// Writes each value, and how the stream ends.
private func stream<Value>(
    _ values: Values<Value>,
    to handle: String,
    _ begun: () -> Void,
    _ json: (Value) -> JSONValue
) async {
    let iterator = values.makeAsyncIterator()
    begun()
    do {
        while let value = try await iterator.next() { write(["on": .string(handle), "value": json(value)]) }
        write(["on": .string(handle), "end": .null])
    } catch {
        write(["on": .string(handle), "end": .string((error as? SluiceError)?.code ?? "bug")])
    }
}

private func stream(_ events: Values<JSONValue>, to handle: String, _ begun: () -> Void) async {
    await stream(events, to: handle, begun) { $0 }
}

/// What trusts the authorities in that file; without one, what the system has.
private func transport(_ trust: String?) -> (any Transport)? {
    #if NIO
        trust.map { NIOTransport(trustRoots: .file($0)) }
    #else
        nil
    #endif
}
