import LogTestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("Clients that leave are released in slices")
struct ReleaseSliceTests {
    private let mutable = #"{"graph": "g", "nodes": {"x": {"set": "number", "initial": 1}}}"#

    /// A client with subscriptions of three stages each, none of which another one has.
    private func subscriber(_ bench: Bench, _ number: Int, mode: String = "latest") -> Client {
        let client = bench.connect()
        for id in 1...50 {
            client.ask(
                #"{"op":"sub","id":\#(id),"graph":"g","node":"x","mode":"\#(mode)","pipe":[{"map":"value + \#(number * 1000 + id)"},{"map":"value + 1"},{"map":"value + 2"}]}"#
            )
        }
        return client
    }

    @Test(
        "No turn releases more than its share; sessions go in order, a bystander is served, and all is gone at the end"
    )
    func slices() throws {
        var limits = SessionLimits.ample
        limits.work = 100
        let bench = Bench(limits: limits)
        let graph = try bench.define(mutable)
        let clients = [1, 2, 3].map { subscriber(bench, $0, mode: $0 == 2 ? "all" : "latest") }
        bench.pass(20)
        let bystander = bench.connect()
        bystander.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        #expect(graph.statistics.nodes == 1 + 450)
        for client in clients { _ = client.take() }

        var released = graph.statistics.released
        for client in clients { client.session.close(.reset) }
        #expect(graph.statistics.released - released <= 30)
        #expect(graph.clients.subscriptions > 100)
        #expect(bench.clients.statistics.sessions == 1, "closed sessions are not open")
        #expect(bench.host.nextDeadline == bench.clock.now, "the loop is asked to come again at once")
        var counts: [[Int]] = []
        var turns = 0
        while graph.clients.subscriptions > 1, turns < 100 {
            turns += 1
            bench.host.flush()
            released = graph.statistics.released
            bench.host.advance()
            #expect(graph.statistics.released - released <= 30, "turn \(turns)")
            _ = try bench.submit(graph, [("x", "\(turns)")])
            bench.host.flush()
            #expect(bystander.take().count == 1, "turn \(turns)")
            counts.append(clients.map(\.session.subscriptionCount))
        }
        // 1,500 units of work, 25 and the rest of a subscription in each turn.
        #expect((45...55).contains(turns), "\(turns)")
        for count in counts where count[1] < 50 { #expect(count[0] == 0, "in the order in which they left") }
        for count in counts where count[2] < 50 { #expect(count[1] == 0) }
        #expect(clients.allSatisfy { $0.take().isEmpty }, "nothing is said to clients that have gone")
        #expect(graph.statistics.nodes == 1)
        bench.settle()
        #expect(bench.host.nextDeadline == nil)
    }

    @Test("A session within the share is gone when `close` returns, and a thousand without subscriptions are")
    func atOnce() throws {
        var limits = SessionLimits.ample
        limits.work = 2_400
        let bench = Bench(limits: limits)
        let graph = try bench.define(mutable)
        let client = subscriber(bench, 1)
        let idle = (0..<1000).map { _ in bench.connect() }
        bench.pass(20)
        #expect(client.session.close() == 150)
        #expect(graph.statistics.nodes == 1)
        for client in idle { client.session.close() }
        #expect(bench.clients.statistics.sessions == 0)
        #expect(bench.host.nextDeadline == nil)
    }

    @Test("What is left goes when the host ends")
    func ending() throws {
        var limits = SessionLimits.ample
        limits.work = 10
        let bench = Bench(limits: limits)
        let graph = try bench.define(mutable)
        let client = subscriber(bench, 1)
        bench.pass(60)
        client.session.close()
        #expect(graph.clients.subscriptions > 0)
        bench.host.close()
        #expect(graph.clients.subscriptions == 0)
        #expect(graph.statistics.nodes == 1)
    }
}
