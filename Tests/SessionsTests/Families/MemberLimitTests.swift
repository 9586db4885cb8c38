import LogTestSupport
import ReactiveGraph
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("How many members there may be")
struct MemberLimitTests {
    private static let families = #""s.{id}":{"set":"number","expire":"1s"},"d.{id}":{"from":"s.{id}"}"#

    private func bench(_ log: FaultyLog? = nil, members: Int = 100, own: Int = 3) -> Bench {
        var limits = SessionLimits.ample
        limits.members = members
        limits.membersPerPrincipal = own
        return Bench(log: log, limits: limits)
    }

    private func define(_ bench: Bench, _ name: String = "g") throws -> LiveGraph {
        try bench.define(#"{"graph":"\#(name)","nodes":{\#(Self.families)}}"#)
    }

    private func ann(_ bench: Bench) -> Client {
        let principal = Principal(name: "ann", grants: [Principal.Grant(nodes: ["*"], can: .customary)])
        return bench.connect(Access(principal))
    }

    private static func refusal(_ count: Int) -> HostError {
        let message = "\(count) members of families count for this principal; 3 are allowed"
        return HostError(.subLimit, message + " (limits.members)")
    }

    @Test("F-7: limits.membersPerPrincipal bounds what one principal brings to life in all graphs")
    func sets() throws {
        let bench = bench()
        let (first, second) = (try define(bench, "g"), try define(bench, "h"))
        try bench.submit(first, [("s.a", "1"), ("s.b", "1")], by: "ann")
        try bench.submit(second, [("s.a", "1")], by: "ann")
        #expect(throws: Self.refusal(3)) { try bench.submit(second, [("s.b", "1")], by: "ann") }
        // Others have room, and what is there can be set by everyone.
        try bench.submit(second, [("s.b", "1")], by: "bob")
        try bench.submit(second, [("s.c", "1")])
        try bench.submit(second, [("s.b", "2")], by: "ann")
        #expect(bench.host.memory.members.count(of: "bob") == 1)
        // What is dropped, or expires, makes room.
        _ = bench.host.submit(Commit(dropping: try #require(second.node("s.a"))))
        try bench.submit(second, [("s.d", "1")], by: "ann")
        bench.endTurn()
        bench.pass(1_001)
        #expect(["ann", "bob", nil].allSatisfy { bench.host.memory.members.count(of: $0) == 0 })
        #expect(first.members.livingCount == 0 && second.members.livingCount == 0)
        #expect(first.isWhole && second.isWhole)
    }

    @Test("F-7: members count for the principal that listens first, with those that they are made from")
    func subscriptions() throws {
        let bench = bench()
        _ = try define(bench)
        let client = ann(bench)
        func sub(_ id: Int, _ what: String) -> String {
            client.ask(#"{"op":"sub","id":\#(id),"graph":"g",\#(what)}"#).last ?? ""
        }
        #expect(sub(1, #""node":"d.a""#).contains("snap"))
        #expect(bench.host.memory.members.count(of: "ann") == 2)
        #expect(sub(2, #""nodes":["s.b","s.c"]"#).contains("sub_limit"))
        #expect(sub(3, #""nodes":["s.a","s.b"]"#).contains("snap"))
        #expect(sub(4, #""node":"s.d","pipe":[{"skip":1}]"#).contains("sub_limit"))
        let nameless = bench.connect().ask(#"{"op":"sub","id":1,"graph":"g","node":"s.d"}"#)
        #expect(nameless.last?.contains("snap") == true)
        client.session.close()
        bench.endTurn()
        #expect(bench.host.memory.members.count(of: "ann") == 0)
    }

    @Test("F-7: a subscription is refused where what its members are made from has no room")
    func chains() throws {
        let bench = bench()
        _ = try bench.define(
            #"{"graph":"g","nodes":{\#(Self.families),"e.{id}":{"from":"d.{id}"},"hall":{"from":"d.h"}}}"#
        )
        let client = ann(bench)
        func sub(_ id: Int, _ node: String) -> String {
            client.ask(#"{"op":"sub","id":\#(id),"graph":"g","node":"\#(node)"}"#).last ?? ""
        }
        #expect(sub(1, "d.a").contains("snap"))
        // Each needs two or three members, of which there is room for one.
        for name in ["d.b", "e.b", "hall"] { #expect(sub(2, name).contains("sub_limit")) }
        #expect(sub(3, "e.a").contains("snap"))
        #expect(bench.host.memory.members.count(of: "ann") == 3)
        #expect(sub(4, "hall").contains("sub_limit") && sub(5, "e.a").contains("snap"))
    }

    @Test("F-7: what commits on their way will bring to life counts as if it were there")
    func pending() throws {
        let log = FaultyLog()
        let bench = bench(log, members: 4, own: 3)
        let graph = try define(bench)
        log.isSlow = true
        func set(_ name: String, by: String) throws -> Submission {
            var commit = Commit(graph: graph)
            commit.set.append(Assignment(try #require(graph.node(name)), try Datum.parse("5")))
            commit.by = by
            return bench.host.submit(commit)
        }
        func refusal(_ submission: Submission) -> HostError? {
            if case .refused(let error) = submission { error } else { nil }
        }
        for name in ["s.a", "s.b", "s.c", "s.a"] { #expect(refusal(try set(name, by: "ann")) == nil) }
        #expect(refusal(try set("s.d", by: "ann")) == Self.refusal(3))
        #expect(refusal(try set("s.d", by: "bob")) == nil)
        #expect(refusal(try set("s.e", by: "bob"))?.code == .tooLarge)
        bench.endTurn()
        while log.pending > 0 {
            log.confirm()
            bench.endTurn()
        }
        #expect(graph.members.livingCount == 4 && graph.members.comingCount == 0)
        #expect(["ann", "bob"].map { bench.host.memory.members.count(of: $0) } == [3, 1])
    }

    @Test("F-7: after a start members count for the principal that set them last")
    func restored() throws {
        let log = FaultyLog()
        let bench = bench(log)
        let graph = try define(bench)
        try bench.submit(graph, [("s.a", "1")], by: "ann")
        try bench.submit(graph, [("s.b", "1")], by: "bob")
        bench.endTurn()
        let next = self.bench(FaultyLog(after: log))
        _ = try #require(try next.host.restore(graph: "g"))
        #expect(["ann", "bob", nil].map { next.host.memory.members.count(of: $0) } == [1, 1, 0])
    }
}
