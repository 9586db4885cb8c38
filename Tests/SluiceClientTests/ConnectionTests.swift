import Foundation
import Synchronization
import Testing

@testable import SluiceClient

@Suite("Connection", .timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test("a client introduces itself, and reports what the server says of the connection")
    func hello() async throws {
        let scene = try Scene(token: .fixed("secret"))
        var events = scene.client.events().makeAsyncIterator()
        let server = try await scene.server.accept()
        #expect(server.url.absoluteString == "ws://127.0.0.1:8080/v1/ws")
        let hello = try await server.read("hello")
        #expect(hello["client"] == "test" && hello["token"] == "secret")
        server.say(["op": "hello", "session": "c:7", "server": "sluice/1", "hb": 25])
        let (first, second) = (await events.next(), await events.next())
        guard case .state(let connecting)? = first, case .state(let live)? = second else {
            Issue.record("no states: \(String(describing: (first, second)))")
            return
        }
        #expect(connecting.phase == .connecting)
        #expect(live.phase == .live && live.session == "c:7" && live.server == "sluice/1")
    }

    @Test("pauses before further tries are random and grow to ten seconds")
    func pauses() async throws {
        let scene = try Scene(isUp: false)
        // The random number is a half.
        for pause in [125, 250, 500, 1000, 2500, 5000, 5000] {
            await scene.clock.elapse(.milliseconds(pause))
        }
        while await scene.ask(\.backoff.tries) < 8 { await Task.yield() }
        scene.server.setUp(true)
        await scene.clock.elapse(.milliseconds(5000))
        _ = try await scene.server.welcome()
        try await scene.client.connected()
    }

    @Test("a server that stops says when to come back")
    func askedPause() async throws {
        let (scene, server) = try await Scene.connected()
        server.end(4503, #"{"after":1234}"#)
        await scene.clock.elapse(.milliseconds(1234))
        _ = try await scene.server.welcome()
    }

    @Test("after a refusal the client stays closed until it is told to try again")
    func refused() async throws {
        let scene = try Scene()
        let server = try await scene.server.accept()
        _ = try await server.read("hello")
        server.say(["op": "err", "code": "unauthenticated", "msg": "a token is needed"])
        let error = await #expect(throws: SluiceError.self) { try await scene.client.connected() }
        #expect(error?.message == "unauthenticated")
        let state = await scene.ask(\.state)
        #expect(state.phase == .closed && state.closeCode == 4401 && state.pause == nil)
        scene.client.retry()
        _ = try await scene.server.welcome()
        try await scene.client.connected()
    }

    @Test("a silent server is found by its heartbeat")
    func heartbeat() async throws {
        let (scene, server) = try await Scene.connected()
        // The heartbeat is two seconds: after it a ping, and an end after another.
        for _ in 1...2 { await scene.clock.elapse(.seconds(1)) }
        #expect(try await server.read("ping")["id"] != nil)
        for _ in 1...2 { await scene.clock.elapse(.seconds(1)) }
        #expect(await server.isClosed())
        #expect(await scene.ask(\.state).closeCode == 4508)
    }

    @Test("a server that answers stays connected")
    func answersPings() async throws {
        let (scene, server) = try await Scene.connected()
        for _ in 1...5 {
            for _ in 1...2 { await scene.clock.elapse(.seconds(1)) }
            server.answer(try await server.read("ping"), ["op": "ok"])
            while await scene.ask(\.ticksLeft) < 4 { await Task.yield() }
        }
        #expect(await scene.ask(\.state).phase == .live)
    }

    @Test("a connection that is never opened is given up")
    func neverOpened() async throws {
        let scene = try Scene()
        let server = try await scene.server.accept()
        _ = try await server.read("hello")
        for _ in 1...10 { await scene.clock.elapse(.seconds(1)) }
        #expect(await server.isClosed())
    }

    @Test(
        "malformed messages are reported and end the connection",
        arguments: ["{", "17", #"[{"op":"hb"},1]"#]
    )
    func malformed(text: String) async throws {
        let (scene, server) = try await Scene.connected()
        let problem = Task {
            for await case .problem(let error) in scene.client.events() { return "\(error)" }
            return ""
        }
        await scene.settle()
        while await scene.ask({ $0.listeners.count }) < 1 { await Task.yield() }
        server.toClient.put(.text(text))
        #expect(await server.isClosed())
        #expect(await !problem.value.isEmpty)
        await scene.clock.elapse(.milliseconds(125))
        _ = try await scene.server.welcome()
    }

    @Test("after a reconnect each subscription goes on where it was")
    func resume() async throws {
        let (scene, server) = try await Scene.connected()
        let reader = scene.client.node("g/x", as: Int.self).deliveries(.all(history: 5)).makeAsyncIterator()
        let sub = try await server.read("sub")
        #expect(sub["history"] == 5)
        server.snap(sub, rev: 1, ["v": 1, "local": "here"])
        #expect(await reader.next()?.value == 1)
        server.update(sub, rev: 2, ["v": 2])
        #expect(await reader.next()?.value == 2)
        let events = scene.client.events()
        scene.clock.pass(.seconds(60))
        server.end()
        while await scene.ask(\.isReady) { await Task.yield() }
        scene.clock.pass(.seconds(7))
        await scene.clock.elapse(.milliseconds(125))
        let again = try await scene.server.welcome()
        let second = try await again.read("sub")
        #expect(second["since"] == ["epoch": "e", "rev": 2, "local": "here"] && second["history"] == nil)
        again.snap(second, rev: 4, ["resumed": true, "d": [["rev": 3, "v": 3], ["rev": 4, "v": 4]]])
        let next = try #require(await reader.next())
        #expect(next.value == 3 && next.meta.gap == .milliseconds(7125) && !next.meta.isLost)
        let last = try #require(await reader.next())
        #expect(last.value == 4 && last.meta.gap == nil && !last.meta.isHistory)
        for await case .continued(let continuation) in events {
            #expect(continuation.graph == "g" && continuation.nodes == ["x"] && !continuation.isLost)
            #expect(continuation.gap == .milliseconds(7125) && continuation.cursor.rev == 4)
            break
        }
    }

    @Test("an equal value after a loss is no delivery; the next one reports the loss")
    func lostAndEqual() async throws {
        let (scene, server) = try await Scene.connected()
        let reader = scene.client.node("g/x", as: Int.self).deliveries().makeAsyncIterator()
        let sub = try await server.read("sub")
        server.snap(sub, rev: 1, ["v": 1])
        #expect(await reader.next()?.value == 1)
        server.end()
        await scene.clock.elapse(.milliseconds(125))
        let again = try await scene.server.welcome()
        let second = try await again.read("sub")
        again.answer(second, ["op": "snap", "epoch": "f", "rev": 1, "t": 1, "v": 1, "resumed": false])
        again.update(second, rev: 2, ["v": 2])
        let next = try #require(await reader.next())
        #expect(next.value == 2 && next.meta.isLost && next.meta.lostRevs == nil && next.meta.epoch == "f")
    }

    @Test("a pipeline is kept across a reconnect, and names its ticket")
    func ticket() async throws {
        let (scene, server) = try await Scene.connected()
        let average = scene.client.node("g/x", as: Int.self).pipe(
            [["window": ["last": "10m", "of": "avg"]]],
            as: Double.self
        )
        let reader = average.deliveries().makeAsyncIterator()
        let sub = try await server.read("sub")
        #expect(sub["keep"] == "auto")
        server.snap(sub, rev: 1, ["v": 1.5, "ticket": "q8", "keep": "30s"])
        #expect(await reader.next()?.value == 1.5)
        server.end()
        await scene.clock.elapse(.milliseconds(125))
        let second = try await scene.server.welcome().read("sub")
        #expect(second["since"] == ["epoch": "e", "rev": 1, "ticket": "q8"])
        var options = ListenOptions.latest
        options.keep = .none
        withExtendedLifetime(average.deliveries(options).makeAsyncIterator()) {}
    }

    @Test("what a connection says that was given up is ignored")
    func formerConnection() async throws {
        let (scene, server) = try await Scene.connected()
        for _ in 1...4 { await scene.clock.elapse(.seconds(1)) }
        await scene.clock.elapse(.milliseconds(125))
        let again = try await scene.server.welcome()
        try await scene.client.connected()
        server.say(["op": "hb"])
        server.end(4400)
        let reader = scene.client.node("g/x", as: Int.self).deliveries().makeAsyncIterator()
        again.snap(try await again.read("sub"), rev: 1, ["v": 1])
        #expect(await reader.next()?.value == 1)
    }

    @Test("a client that nobody holds closes its connection")
    func released() async throws {
        let server = ScriptedServer()
        var client: SluiceClient? = try SluiceClient("http://127.0.0.1:8080", transport: server)
        let connection = try await server.welcome()
        try await client?.connected()
        var node = client?.node("g/x", as: Int.self)
        client = nil
        #expect(node != nil)
        node = nil
        #expect(await connection.isClosed())
    }

    @Test("closing ends sequences and events go on; `retry` connects again")
    func close() async throws {
        let (scene, server) = try await Scene.connected()
        let reader = scene.client.node("g/x", as: Int.self).values().makeAsyncIterator()
        _ = try await server.read("sub")
        scene.client.close()
        #expect(try await reader.next() == nil)
        #expect(await server.isClosed())
        scene.client.retry()
        _ = try await scene.server.welcome()
        try await scene.client.connected()
    }

    // Tokens

    @Test("a provider gives a token for each connection, and the next before the last one ends")
    func renewal() async throws {
        let count = Mutex(0)
        let scene = try Scene(token: .provider { "token \(count.withLock { $0 += 1; return $0 })" })
        let server = try await scene.server.accept()
        #expect(try await server.read("hello")["token"] == "token 1")
        server.say(["op": "hello", "hb": 1000, "expires": 100])
        await scene.clock.elapse(.seconds(90))
        let auth = try await server.read("auth")
        #expect(auth["token"] == "token 2")
        server.answer(auth, ["op": "ok", "expires": 200])
        await scene.clock.elapse(.seconds(180))
        #expect(try await server.read("auth")["token"] == "token 3")
        server.end(4401, "token_expired")
        await scene.clock.elapse(.milliseconds(125))
        #expect(try await scene.server.accept().read("hello")["token"] == "token 4")
    }

    @Test("a provider that fails is asked again after a pause")
    func providerFails() async throws {
        let isDown = Mutex(true)
        let scene = try Scene(
            token: .provider {
                if isDown.withLock({ $0 }) { throw Unreachable() }
                return "token"
            }
        )
        while await scene.ask(\.backoff.tries) == 0 { await Task.yield() }
        isDown.withLock { $0 = false }
        await scene.clock.elapse(.milliseconds(125))
        #expect(try await scene.server.accept().read("hello")["token"] == "token")
    }

    @Test("a token that was shown is that of later connections, too")
    func authenticate() async throws {
        let (scene, server) = try await Scene.connected()
        let showing = Task { try await scene.client.authenticate("next") }
        let auth = try await server.read("auth")
        #expect(auth["token"] == "next")
        server.answer(auth, ["op": "ok", "expires": 60])
        #expect(try await showing.value == .seconds(60))
        server.end()
        await scene.clock.elapse(.milliseconds(125))
        #expect(try await scene.server.accept().read("hello")["token"] == "next")
    }
}
