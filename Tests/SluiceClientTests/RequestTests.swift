import Testing

@testable import SluiceClient

@Suite("Requests", .timeLimit(.minutes(1)))
struct RequestTests {
    @Test("a set has a key, and returns the commit")
    func set() async throws {
        let (scene, server) = try await Scene.connected()
        let setting = Task { try await scene.client.node("g/x", as: Int.self).set(21) }
        let set = try await server.read("set")
        #expect(set["graph"] == "g" && set["set"] == ["x": 21] && set["key"]?.string?.isEmpty == false)
        server.answer(set, ["op": "ok", "epoch": "e", "rev": 7])
        #expect(try await setting.value.cursor == Cursor(epoch: "e", rev: 7))
    }

    @Test("a set with everything that goes with it")
    func options() async throws {
        let (scene, server) = try await Scene.connected()
        var options = SetOptions.if(
            .nodes(["mode": .value("auto"), "x": .unchanged(since: Cursor(epoch: "e", rev: 3))])
        )
        options.clear = ["note"]
        options.context = ["src": "wall"]
        options.byHand = true
        options.path = ["e/g/y"]
        options.key = "t-1"
        let setting = Task { [options] in try await scene.client.set("g", ["x": 1], options: options) }
        let set = try await server.read("set")
        #expect(
            set.filter { $0.key != "id" } == [
                "op": "set", "graph": "g", "set": ["x": 1], "clear": ["note"], "ctx": ["src": "wall"],
                "hand": true, "path": ["e/g/y"], "key": "t-1",
                "if": ["mode": ["v": "auto"], "x": ["rev": 3], "epoch": "e"],
            ]
        )
        server.answer(set, ["op": "ok", "skipped": ["x"]])
        let applied = try await setting.value
        #expect(applied.cursor == nil && applied.skipped == ["x"])
    }

    @Test("a refusal has its code, node, problems and pause")
    func refusal() async throws {
        let (scene, server) = try await Scene.connected()
        let updating = Task { try await scene.client.update("g", ["x": "valeu + 1"]) }
        let set = try await server.read("set")
        #expect(set["update"] == ["x": "valeu + 1"])
        server.answer(
            set,
            [
                "op": "err", "code": "expr_type", "msg": "unknown name", "node": "x", "retry": true,
                "after": 50,
                "problems": [["pointer": "/update/x"]],
            ]
        )
        let error = await #expect(throws: SluiceError.self) { _ = try await updating.value }
        #expect(error?.code == "expr_type" && error?.path == "g/x" && error?.problems.count == 1)
        #expect(error?.canRetry == true && error?.retryAfter == .milliseconds(50))
        // There is nothing to repeat.
        let again = await #expect(throws: SluiceError.self) { try await error?.repeat() }
        #expect(again?.code == "expr_type")
    }

    @Test("an error without an id is that of the oldest request")
    func errorWithoutID() async throws {
        let (scene, server) = try await Scene.connected()
        let setting = Task { try await scene.client.node("g/x", as: Int.self).set(1) }
        _ = try await server.read("set")
        server.say(["op": "err", "code": "too_large", "msg": "the message is too large"])
        let error = await #expect(throws: SluiceError.self) { _ = try await setting.value }
        #expect(error?.code == "too_large")
    }

    @Test("before the first connection reads wait, and sets are refused")
    func before() async throws {
        let scene = try Scene()
        let node = scene.client.node("g/x", as: Int.self)
        let reading = Task { try await node.get() }
        while await scene.ask(\.reads.count) == 0 { await Task.yield() }
        let error = await #expect(throws: SluiceError.self) { try await node.set(1) }
        #expect(error?.code == "not-connected" && error?.path == "g/x")
        let server = try await scene.server.welcome()
        let get = try await server.read("get")
        #expect(get["nodes"] == ["x"])
        server.answer(get, ["op": "ok", "epoch": "e", "rev": 1, "m": ["x": ["v": 5]]])
        #expect(try await reading.value == 5)
    }

    @Test("what a node holds: a value, nothing, a failure, another type")
    func get() async throws {
        let (scene, server) = try await Scene.connected()
        let node = scene.client.node("g/x", as: Int.self)
        for (held, code) in [
            (["empty": true], nil), (["fail": ["code": "expr_divide", "msg": "…"]], "expr_divide"),
            (["v": "many"], "type_mismatch"),
        ] as [(JSONValue, String?)] {
            let reading = Task { try await node.get(after: Cursor(epoch: "e", rev: 1)) }
            let get = try await server.read("get")
            #expect(get["after"] == ["epoch": "e", "rev": 1])
            server.answer(get, ["op": "ok", "epoch": "e", "rev": 1, "m": ["x": held]])
            do {
                #expect(try await reading.value == nil && code == nil)
            } catch let error as SluiceError {
                #expect(error.code == code && error.path == "g/x")
            }
        }
    }

    @Test("a set whose answer was lost is repeated under its key, for ten minutes")
    func unknownOutcome() async throws {
        let (scene, server) = try await Scene.connected()
        let setting = Task { try await scene.client.node("g/x", as: Int.self).update("value + 1") }
        let first = try await server.read("set")
        server.end()
        let error = try #require(await #expect(throws: SluiceError.self) { _ = try await setting.value })
        #expect(error.code == "unknown-outcome" && error.key == first["key"]?.string && error.path == "g/x")
        let offline = await #expect(throws: SluiceError.self) { try await error.repeat() }
        #expect(offline?.code == "not-connected")
        await scene.clock.elapse(.milliseconds(125))
        let again = try await scene.server.welcome()
        try await scene.client.connected()
        let repeating = Task { try await error.repeat() }
        let second = try await again.read("set")
        #expect(second["key"] == first["key"] && second["update"] == first["update"])
        again.answer(second, ["op": "ok", "epoch": "e", "rev": 7, "replayed": true, "values": ["x": 1]])
        let applied = try await repeating.value
        #expect(applied.isReplayed && applied.values == ["x": 1])
        scene.clock.pass(.seconds(601))
        let late = await #expect(throws: SluiceError.self) { try await error.repeat() }
        #expect(late?.code == "key-expired")
    }

    @Test("a cancelled task no longer waits for its answer")
    func cancelled() async throws {
        let (scene, server) = try await Scene.connected()
        let setting = Task { try await scene.client.node("g/x", as: Int.self).set(1) }
        let set = try await server.read("set")
        setting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await setting.value }
        // Its answer harms nothing.
        server.answer(set, ["op": "ok", "epoch": "e", "rev": 1])
        let other = Task { try await scene.client.node("g/x", as: Int.self).set(2) }
        server.answer(try await server.read("set"), ["op": "ok", "epoch": "e", "rev": 2])
        #expect(try await other.value.cursor?.rev == 2)
    }

    @Test("what cannot be sent is refused before it is")
    func unsendable() async throws {
        let (scene, server) = try await Scene.connected()
        let error = await #expect(throws: SluiceError.self) {
            try await scene.client.node("g/x").set(Double.nan)
        }
        #expect(error?.code == "type_mismatch" && error?.path == "g/x")
        let long = String(repeating: "x", count: 70_000)
        let tooLong = await #expect(throws: SluiceError.self) { try await scene.client.node("g/x").set(long) }
        #expect(tooLong?.code == "too_large")
        let pinging = Task { await scene.client.ping() }
        server.answer(try await server.read("ping"), ["op": "ok"])
        #expect(await pinging.value == .zero)
    }

    @Test("a presence is set again with each connection, until it is let go")
    func presence() async throws {
        let (scene, server) = try await Scene.connected()
        let seat = scene.client.node("g/seat.1", as: String.self)
        let holding = Task { try await seat.hold("Ada") }
        let set = try await server.read("set")
        #expect(set["presence"] == true && set["set"] == ["seat.1": "Ada"])
        server.answer(set, ["op": "ok", "epoch": "e", "rev": 1])
        #expect(try await holding.value?.cursor?.rev == 1)
        server.end()
        #expect(await scene.ask(\.claims.count) == 1)
        await scene.clock.elapse(.milliseconds(125))
        let again = try await scene.server.welcome()
        let second = try await again.read("set")
        #expect(second["presence"] == true && second["key"] != set["key"])
        let leaving = Task { try await seat.letGo() }
        let clear = try await again.read("set")
        #expect(clear["clear"] == ["seat.1"] && clear["presence"] == nil)
        again.answer(clear, ["op": "ok", "epoch": "e", "rev": 3])
        #expect(try await leaving.value?.cursor?.rev == 3)
        again.end()
        #expect(try await seat.letGo() == nil)
    }

    @Test("a presence without a connection waits for the next one; its refusal is an event")
    func presenceLater() async throws {
        let scene = try Scene()
        #expect(try await scene.client.node("g/seat.1", as: String.self).hold("Ada") == nil)
        let problem = Task {
            for await case .problem(let error) in scene.client.events() {
                return (error as? SluiceError)?.code
            }
            return nil
        }
        while await scene.ask({ $0.listeners.count }) < 1 { await Task.yield() }
        let server = try await scene.server.welcome()
        server.answer(try await server.read("set"), ["op": "err", "code": "conflict", "msg": "taken"])
        #expect(await problem.value == "conflict")
    }

    @Test(
        "reports of a load",
        arguments: [
            (LoadReport.loading(), ["loading": true] as JSONObject),
            (.loading(progress: 0.5), ["loading": true, "progress": 0.5]),
            (
                .error(code: "offline", message: "no answer"),
                ["error": ["code": "offline", "msg": "no answer"] as JSONValue]
            ),
            (.notModified, ["notModified": true]), (.cancelled, ["cancelled": true]),
            (.invalidate, ["invalidate": true]),
        ]
    )
    func load(report: LoadReport, fields: JSONObject) async throws {
        let (scene, server) = try await Scene.connected()
        let loading = Task { try await scene.client.node("g/x", as: Int.self).load(report) }
        let load = try await server.read("load")
        #expect(
            load.filter { $0.key != "id" }
                == fields.merging(["op": "load", "graph": "g", "node": "x"]) { $1 }
        )
        server.answer(load, ["op": "ok", "epoch": "e", "rev": 1])
        _ = try await loading.value
    }

    @Test("the list of graphs, and which of them need attention")
    func list() async throws {
        let (scene, server) = try await Scene.connected()
        var events = scene.client.events().makeAsyncIterator()
        _ = await events.next()
        let listing = Task { try await scene.client.list(changes: true) }
        let list = try await server.read("list")
        #expect(list["changes"] == true)
        server.answer(
            list,
            [
                "op": "ok",
                "graphs": [
                    [
                        "graph": "house", "epoch": "e", "rev": 5, "nodes": 19, "listeners": 3,
                        "title": "House",
                        "alarms": [["node": "alarm", "severity": "alarm", "v": "frost"]], "stale": ["x"],
                    ]
                ],
            ]
        )
        let house = try #require(try await listing.value.first)
        #expect(house.graph == "house" && house.nodes == 19 && house.cursor.rev == 5 && house.stale == ["x"])
        #expect(house.alarms.first?.value == "frost")
        server.answer(list, ["op": "changes", "graphs": ["house"]])
        guard case .attention(let graphs)? = await events.next() else {
            Issue.record("no event")
            return
        }
        #expect(graphs == ["house"])
    }
}
