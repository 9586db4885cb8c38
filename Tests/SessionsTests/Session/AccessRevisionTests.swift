import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("Rights of many sessions are revised in slices")
struct AccessRevisionTests {
    @Test("a turn revises its share of the sessions; done is called once, when all have their new rights")
    func slices() throws {
        let bench = Bench(limits: SessionLimits())
        try bench.define(#"{"graph":"g","nodes":{"x":{"set":"number","initial":1},"y":{"set":"number"}}}"#)
        func access(_ node: String) -> Access {
            Access(Principal(name: "ann", grants: [Principal.Grant(nodes: [node], can: [.read])]))
        }
        let clients = (0..<500).map { _ in bench.connect(access("*")) }
        for client in clients {
            #expect(client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)[0].contains("snap"))
        }
        var finished = 0
        bench.clients.reviseAccess { _ in
            access("y")
        } then: {
            finished += 1
        }
        bench.endTurn()
        let first = clients.count { $0.session.subscriptionCount == 0 }
        #expect((1...100).contains(first) && finished == 0, "\(first)")
        // A client that leaves meanwhile does not matter.
        clients[499].session.close()
        bench.settle()
        #expect(finished == 1 && clients.allSatisfy { $0.session.subscriptionCount == 0 })
        let last = clients[498]
        #expect(last.take().last?.contains("forbidden") == true)
        #expect(last.ask(#"{"op":"get","id":2,"graph":"g","nodes":["x"]}"#)[0].contains("unknown_node"))
    }
}
