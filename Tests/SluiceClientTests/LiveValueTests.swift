import Observation
import Testing

@testable import SluiceClient

@Suite("Live values", .timeLimit(.minutes(1)))
@MainActor
struct LiveValueTests {
    /// Waits until what `read` reads of an observed object has changed once.
    private func change(of read: () -> Void, after act: () -> Void) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            withObservationTracking(read) { continuation.resume() }
            act()
        }
    }

    @Test("a view that reads a value is told of each change")
    func observation() async throws {
        let (scene, server) = try await Scene.connected()
        let live = scene.client.node("g/x", as: Int.self).live()
        #expect(live.value == nil && live.isStale)
        let sub = try await server.read("sub")
        await change(of: { _ = live.value }) { server.snap(sub, rev: 1, ["v": 1]) }
        await until { live.value == 1 }
        #expect(live.failure == nil && live.meta?.rev == 1)
        await change(of: { _ = live.value }) { server.update(sub, rev: 2, ["v": 2]) }
        await until { live.value == 2 }
        await change(of: { _ = live.failure }) {
            server.update(sub, rev: 3, ["fail": ["code": "expr_divide", "msg": "division by zero"]])
        }
        await until { live.failure?.code == "expr_divide" && live.value == nil }
    }

    @Test("it is stale while the connection is lost, and a view is told")
    func stale() async throws {
        let (scene, server) = try await Scene.connected()
        let live = scene.client.node("g/x", as: Int.self).live()
        server.snap(try await server.read("sub"), rev: 1, ["v": 1])
        await until { live.value == 1 && !live.isStale }
        await change(of: { _ = live.isStale }) { server.end() }
        await until { live.isStale && live.value == 1 }
        #expect(scene.client.status.state.phase == .reconnecting)
    }

    @Test("its subscription ends with the object")
    func released() async throws {
        let (scene, server) = try await Scene.connected()
        var live: LiveValue<Int>? = scene.client.node("g/x", as: Int.self).live()
        let sub = try await server.read("sub")
        weak let object = live
        live = nil
        #expect(object == nil)
        await scene.clock.elapse(.milliseconds(250))
        #expect(try await server.read("unsub")["id"] == sub["id"])
        // The task that filled it has ended, too.
        let rest = await scene.ask { ($0.subscriptions.count, $0.homes.count) }
        #expect(rest == (0, 0))
    }

    @Test("an assigned value is shown at once, and kept when the server has accepted it")
    func assignment() async throws {
        let (scene, server) = try await Scene.connected()
        let setpoint = scene.client.node("g/x", as: Int.self).settable()
        let sub = try await server.read("sub")
        server.snap(sub, rev: 1, ["v": 20])
        await until { setpoint.value == 20 }
        await change(of: { _ = setpoint.value }) { setpoint.value = 21 }
        #expect(setpoint.value == 21 && setpoint.isPending)
        let set = try await server.read("set")
        #expect(set["set"] == ["x": 21])
        server.answer(set, ["op": "ok", "epoch": "e", "rev": 2])
        await until { !setpoint.isPending }
        // Its delivery has not come yet.
        #expect(setpoint.value == 21 && setpoint.failure == nil)
        server.update(sub, rev: 3, ["v": 22])
        await until { setpoint.value == 22 }
    }

    @Test("a refused assignment gives way to the node's value, and says why")
    func refusal() async throws {
        let (scene, server) = try await Scene.connected()
        let setpoint = scene.client.node("g/x", as: Int.self).settable()
        server.snap(try await server.read("sub"), rev: 1, ["v": 20])
        await until { setpoint.value == 20 }
        setpoint.value = 99
        setpoint.value = 100
        let (first, second) = (try await server.read("set"), try await server.read("set"))
        #expect(first["set"] == ["x": 99] && second["set"] == ["x": 100])
        server.answer(first, ["op": "err", "code": "type_mismatch", "msg": "at most 30"])
        server.answer(second, ["op": "err", "code": "type_mismatch", "msg": "at most 31"])
        await until { setpoint.value == 20 }
        #expect(setpoint.failure?.message == "at most 31" && !setpoint.isPending)
        setpoint.value = nil
        let clear = try await server.read("set")
        #expect(clear["clear"] == ["x"] && setpoint.failure == nil && setpoint.value == nil)
    }

    /// Lets other tasks of the main actor run until the claim holds.
    private func until(_ claim: () -> Bool) async {
        while !claim() { await Task.yield() }
    }
}
