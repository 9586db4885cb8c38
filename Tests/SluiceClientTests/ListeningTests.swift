import Testing

@testable import SluiceClient

@Suite("Listening", .timeLimit(.minutes(1)))
struct ListeningTests {
    @Test("a loop gets the present value and each change, and ends its subscription")
    func loop() async throws {
        let (scene, server) = try await Scene.connected()
        let node = scene.client.node("g/x", as: Int.self)
        let reading = Task {
            var values: [Int] = []
            for try await value in node.values() {
                values.append(value)
                if values.count == 2 { break }
            }
            return values
        }
        let sub = try await server.read("sub")
        #expect(sub["graph"] == "g" && sub["node"] == "x" && sub["keep"] == nil && sub["since"] == nil)
        server.snap(sub, rev: 5, ["v": 1])
        // The first value has been read before the second one comes.
        try await scene.arrived(rev: 5)
        while await scene.unread > 0 { await Task.yield() }
        server.update(sub, rev: 6, ["v": 2])
        #expect(try await reading.value == [1, 2])
        await scene.clock.elapse(.milliseconds(250))
        #expect(try await server.read("unsub")["id"] == sub["id"])
    }

    @Test("a cancelled task leaves nothing")
    func cancelled() async throws {
        let (scene, server) = try await Scene.connected()
        let node = scene.client.node("g/x", as: Int.self)
        let reading = Task { for await _ in node.deliveries() {} }
        let sub = try await server.read("sub")
        reading.cancel()
        await reading.value
        await scene.clock.elapse(.milliseconds(250))
        #expect(try await server.read("unsub")["id"] == sub["id"])
        let rest = await scene.ask { ($0.subscriptions.count, $0.homes.count) }
        #expect(rest == (0, 0))
    }

    @Test("equal requests share a subscription; a later one gets the value that the others have")
    func sharing() async throws {
        let (scene, server) = try await Scene.connected()
        let node = scene.client.node("g/x", as: Int.self)
        let one = node.deliveries().makeAsyncIterator()
        let sub = try await server.read("sub")
        server.snap(sub, rev: 5, ["v": 1])
        #expect(await one.next()?.value == 1)
        let other = node.deliveries().makeAsyncIterator()
        #expect(await other.next()?.value == 1)
        server.update(sub, rev: 6, ["v": 2])
        #expect(await one.next()?.value == 2)
        #expect(await other.next()?.value == 2)
        // Different options, another subscription.
        let third = node.deliveries(.all).makeAsyncIterator()
        #expect(try await server.read("sub")["mode"] == "all")
        withExtendedLifetime(third) {}
    }

    @Test("a subscription that is asked for again in time goes on")
    func linger() async throws {
        let (scene, server) = try await Scene.connected()
        let node = scene.client.node("g/x", as: Int.self)
        var reader: Deliveries<Int>.Iterator? = node.deliveries().makeAsyncIterator()
        let sub = try await server.read("sub")
        server.snap(sub, rev: 5, ["v": 1])
        #expect(await reader?.next()?.value == 1)
        reader = nil
        await scene.settle()
        reader = node.deliveries().makeAsyncIterator()
        #expect(await reader?.next()?.value == 1)
        await scene.settle()
        server.update(sub, rev: 6, ["v": 2])
        #expect(await reader?.next()?.value == 2)
    }

    @Test("a reader that is slow gets the newest value, with how many are folded into it")
    func folding() async throws {
        let (scene, server) = try await Scene.connected()
        let reader = scene.client.node("g/x", as: Int.self).deliveries().makeAsyncIterator()
        let sub = try await server.read("sub")
        server.snap(sub, rev: 1, ["v": 1])
        for rev in 2...10 { server.update(sub, rev: Int64(rev), ["v": .integer(Int64(rev))]) }
        try await scene.arrived(rev: 10)
        let delivery = try #require(await reader.next())
        #expect(delivery.value == 10 && delivery.meta.folded == 10)
    }

    @Test("values of a history are not folded")
    func history() async throws {
        let (scene, server) = try await Scene.connected()
        var options = ListenOptions.latest
        options.history = 2
        let reader = scene.client.node("g/x", as: Int.self).deliveries(options).makeAsyncIterator()
        let sub = try await server.read("sub")
        #expect(sub["history"] == 2)
        server.snap(sub, rev: 9, ["c": 8, "v": 3, "d": [["rev": 7, "v": 2], ["rev": 8, "v": 3]]])
        server.update(sub, rev: 10, ["v": 4])
        try await scene.arrived(rev: 10)
        var values: [Int?] = []
        for _ in 1...3 { values.append(await reader.next()?.value) }
        #expect(values == [2, 3, 4])
    }

    @Test("mode all ends with `slow` for a reader that is too slow, and the server is told")
    func slow() async throws {
        let (scene, server) = try await Scene.connected()
        let reader = scene.client.node("g/x", as: Int.self).values(.all).makeAsyncIterator()
        let sub = try await server.read("sub")
        server.snap(sub, rev: 0, ["v": 0])
        for rev in 1...10_000 { server.update(sub, rev: Int64(rev), ["v": .integer(Int64(rev))]) }
        await scene.clock.elapse(.milliseconds(250))
        #expect(try await server.read("unsub")["id"] == sub["id"])
        for value in 0..<10_000 { #expect(try await reader.next() == value) }
        let error = await #expect(throws: SluiceError.self) { _ = try await reader.next() }
        #expect(error?.code == "slow")
    }

    @Test("emptiness and failures are deliveries without a value, and no values")
    func noValue() async throws {
        let (scene, server) = try await Scene.connected()
        let node = scene.client.node("g/x", as: Int.self)
        let (deliveries, values) = (
            node.deliveries().makeAsyncIterator(), node.values().makeAsyncIterator()
        )
        let sub = try await server.read("sub")
        server.snap(sub, rev: 1, ["empty": true])
        #expect(await deliveries.next()?.meta.isEmpty == true)
        server.update(sub, rev: 2, ["fail": ["code": "expr_divide", "at": "map", "msg": "division by zero"]])
        let failed = try #require(await deliveries.next())
        #expect(failed.value == nil && failed.meta.failure?.code == "expr_divide" && !failed.meta.isEmpty)
        server.update(sub, rev: 3, ["v": 7])
        #expect(try await values.next() == 7)
    }

    @Test("a value of another type is a failure, and an error of the values")
    func mismatch() async throws {
        let (scene, server) = try await Scene.connected()
        let node = scene.client.node("g/x", as: Int.self)
        let (deliveries, values) = (
            node.deliveries().makeAsyncIterator(), node.values().makeAsyncIterator()
        )
        let sub = try await server.read("sub")
        server.snap(sub, rev: 1, ["v": "many"])
        #expect(await deliveries.next()?.meta.failure?.code == "type_mismatch")
        let error = await #expect(throws: SluiceError.self) { _ = try await values.next() }
        #expect(error?.code == "type_mismatch")
    }

    @Test("a refusal ends the values with its reason, and is a delivery otherwise")
    func refused() async throws {
        let (scene, server) = try await Scene.connected()
        let node = scene.client.node("g/nothing", as: Int.self)
        let (deliveries, values) = (
            node.deliveries().makeAsyncIterator(), node.values().makeAsyncIterator()
        )
        let sub = try await server.read("sub")
        server.answer(
            sub,
            ["op": "err", "code": "unknown_node", "msg": "no such node", "hint": "did you mean 'x'?"]
        )
        let error = await #expect(throws: SluiceError.self) { _ = try await values.next() }
        #expect(error?.code == "unknown_node" && error?.path == "g/nothing" && error?.hint != nil)
        #expect("\(try #require(error))" == "unknown_node (g/nothing): no such node; did you mean 'x'?")
        #expect(await deliveries.next()?.meta.ended?.code == "unknown_node")
        // The node may be there after the next reconnect.
        server.end()
        await scene.clock.elapse(.milliseconds(125))
        let again = try await scene.server.welcome()
        let second = try await again.read("sub")
        again.snap(second, rev: 1, ["v": 5])
        #expect(await deliveries.next()?.value == 5)
    }

    @Test("a subscription that the server ends with `slow` is asked for again")
    func endedSlow() async throws {
        let (scene, server) = try await Scene.connected()
        let deliveries = scene.client.node("g/x", as: Int.self).deliveries(.all).makeAsyncIterator()
        let sub = try await server.read("sub")
        server.snap(sub, rev: 1, ["v": 1])
        #expect(await deliveries.next()?.value == 1)
        server.answer(sub, ["op": "end", "code": "slow"])
        #expect(await deliveries.next()?.meta.ended?.code == "slow")
        await scene.clock.elapse(.milliseconds(1125))
        let again = try await server.read("sub")
        #expect(again["since"] == ["epoch": "e", "rev": 1])
        server.snap(again, rev: 9, ["v": 9, "resumed": false])
        let delivery = try #require(await deliveries.next())
        #expect(delivery.value == 9 && delivery.meta.isLost && delivery.meta.lostRevs == 8)
    }

    @Test("several nodes are a dictionary; what changed takes its place")
    func several() async throws {
        let (scene, server) = try await Scene.connected()
        let nodes = scene.client.nodes("g", ["seat.*", "x"], as: Int.self).deliveries().makeAsyncIterator()
        let sub = try await server.read("sub")
        #expect(sub["nodes"] == ["seat.*", "x"])
        server.snap(sub, rev: 1, ["m": ["x": ["v": 1], "seat.1": ["empty": true]], "more": 3])
        let first = try #require(await nodes.next())
        #expect(first.value == ["x": 1] && first.meta.more == 3)
        server.update(sub, rev: 2, ["m": ["seat.1": ["v": 2]]])
        #expect(await nodes.next()?.value == ["x": 1, "seat.1": 2])
        server.update(sub, rev: 3, ["m": ["x": ["gone": true], "seat.1": ["v": "Ada"]]])
        let last = try #require(await nodes.next())
        #expect(last.value == [:] && last.meta.members?["x"]?.isGone == true)
        #expect(last.meta.members?["seat.1"]?.failure?.code == "type_mismatch")
    }

    @Test("with facets a delivery of the state alone keeps the value")
    func facets() async throws {
        let (scene, server) = try await Scene.connected()
        var options = ListenOptions.latest
        options.facets = true
        let node = scene.client.node("g/x", as: Int.self).deliveries(options).makeAsyncIterator()
        let sub = try await server.read("sub")
        server.snap(sub, rev: 1, ["v": 1, "state": ["t": 1000]])
        #expect(await node.next()?.meta.facets?.isLoading == false)
        server.update(sub, rev: 2, ["state": ["t": 1000, "loading": true, "progress": 0.4]])
        let loading = try #require(await node.next())
        #expect(loading.value == 1 && loading.meta.isSame && loading.meta.facets?.progress == 0.4)
        server.update(sub, rev: 3, ["v": 2])
        let next = try #require(await node.next())
        #expect(next.value == 2 && !next.meta.isSame && next.meta.facets?.isLoading == true)
    }

    @Test("a released owner ends what only it has")
    func owners() async throws {
        let (scene, server) = try await Scene.connected()
        let panel = scene.client.owner("panel")
        let node = scene.client.node("g/x", as: Int.self)
        let own = node.values(panel.options()).makeAsyncIterator()
        #expect(try await server.read("sub")["owner"] == ["panel"])
        var options = panel.options()
        options.owners.append("sidebar")
        let both = node.deliveries(options).makeAsyncIterator()
        let shared = try await server.read("sub")
        panel.release()
        #expect(try await server.read("release")["owner"] == "panel")
        #expect(try await own.next() == nil)
        server.snap(shared, rev: 1, ["v": 1])
        #expect(await both.next()?.value == 1)
        scene.client.owner("sidebar").release()
        #expect(await both.next()?.meta.ended?.code == "closed")
        #expect(await both.next() == nil)
    }

    @Test("a demand has what is wanted, and what changed")
    func demand() async throws {
        let (scene, server) = try await Scene.connected()
        let demands = scene.client.demand("g", ["sensor.*"]).deliveries().makeAsyncIterator()
        let asked = try await server.read("demand")
        server.answer(
            asked,
            [
                "op": "wanted",
                "m": ["sensor.1": ["wanted": true], "sensor.2": ["wanted": true, "load": true]],
            ]
        )
        #expect(
            await demands.next()?.value == [
                "sensor.1": Demand(isWanted: true, mustLoad: false),
                "sensor.2": Demand(isWanted: true, mustLoad: true),
            ]
        )
        server.end()
        await scene.clock.elapse(.milliseconds(125))
        let again = try await scene.server.welcome()
        again.answer(try await again.read("demand"), ["op": "wanted", "m": ["sensor.1": ["wanted": true]]])
        let delivery = try #require(await demands.next())
        #expect(delivery.value?.keys.sorted() == ["sensor.1"])
        #expect(delivery.meta.members?["sensor.2"]?.json["wanted"] == false)
    }

    @Test("a link lasts as long as its object, and is made again after a reconnect")
    func link() async throws {
        let (scene, server) = try await Scene.connected()
        var link: NodeLink? = scene.client.link("g", from: "x", to: "y", pipe: ["distinct"])
        let asked = try await server.read("link")
        #expect(asked["from"] == "x" && asked["to"] == "y" && asked["pipe"] == ["distinct"])
        server.answer(asked, ["op": "linked", "epoch": "e", "rev": 1])
        server.update(asked, rev: 2, ["fail": ["code": "type_mismatch", "msg": "too large"]])
        var reports = try #require(link).reports.makeAsyncIterator()
        #expect(await reports.next()?.meta.failure?.code == "type_mismatch")
        server.end()
        await scene.clock.elapse(.milliseconds(125))
        let again = try await scene.server.welcome()
        let second = try await again.read("link")
        link = nil
        #expect(try await again.read("unsub")["id"] == second["id"])
    }

    @Test("an unsubscription that comes too fast is sent again")
    func limitedUnsub() async throws {
        let (scene, server) = try await Scene.connected()
        var reader: Deliveries<[String: Int]>.Iterator? =
            scene.client.nodes("g", ["*"], as: Int.self).deliveries().makeAsyncIterator()
        let sub = try await server.read("sub")
        #expect(reader != nil)
        reader = nil
        let unsub = try await server.read("unsub")
        #expect(unsub["id"] == sub["id"])
        server.answer(unsub, ["op": "err", "code": "rate_limited", "retry": true, "after": 40])
        await scene.clock.elapse(.milliseconds(40))
        #expect(try await server.read("unsub")["id"] == sub["id"])
    }
}

extension Scene {
    /// What the client knows, once its jobs so far are done.
    func ask<Answer: Sendable>(_ question: @escaping @Sendable (ClientCore) -> Answer) async -> Answer {
        let inbox = Inbox<Answer>()
        client.loop.send { inbox.put(question($0)) }
        // The loop answers as long as the client lives.
        return await inbox.next()!
    }

    /// How many deliveries wait for their readers.
    var unread: Int {
        get async {
            await ask { core in
                core.subscriptions.values.flatMap(\.listeners).reduce(0) { $0 + $1.count }
            }
        }
    }

    /// Waits until a subscription has seen that revision.
    func arrived(rev: Int64) async throws {
        while await !ask({ core in core.subscriptions.values.contains { $0.cursor?["rev"] == .integer(rev) } }
        ) {
            await Task.yield()
        }
    }
}
