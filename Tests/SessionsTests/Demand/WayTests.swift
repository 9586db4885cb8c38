import ReactiveGraph
import Support
import TestSupport
import Testing
import Values

@testable import Commits
@testable import Definitions
@testable import Graphs
@testable import Sessions

private let text = #"""
    {"graph": "g", "upstreams": {"u": {"sluice": "http://u.example/v1/graphs/h"}}, "nodes": {
      "x": {"source": {"node": "u:x"}, "fresh": "1h"}, "y": {"from": "x"}, "z": {"set": "any"}}}
    """#

/// A way over services that are not this one.
private func way(_ nodes: String...) -> String {
    let steps = nodes.map { #"{"epoch":"other","graph":"h","node":"\#($0)"}"# }
    return "[\(steps.joined(separator: ","))]"
}

@Suite("Nodes of another Sluice")
struct WayTests {
    private let bench = Bench()
    private let graph: LiveGraph

    init() throws {
        graph = try bench.define(text)
        // As where the server would open upstreams.
        _ = graph.begin(opener)
        _ = bench.host.takeNewWays()
    }

    private final class Opener: DemandFollower {
        let patterns = ["x"]
        func note(_ name: String) {}
        func note(load name: String) {}
        func redefined() {}
    }

    private let opener = Opener()

    private func sub(_ client: Client, _ id: Int, _ node: String, _ way: String) -> String {
        client.ask(#"{"op":"sub","id":\#(id),"graph":"g","node":"\#(node)","via":\#(way)}"#).last ?? ""
    }

    /// The nodes behind `x` on its way.
    private func behind() throws -> [String] {
        bench.endTurn()
        let steps = graph.way(from: try #require(graph.node("x"))).steps
        #expect(steps.first == Way.Step(epoch: graph.epoch, graph: "g", node: "x"))
        return steps.dropFirst().map(\.node)
    }

    @Test("S-9: a source node says the longest way of those who listen to it, as they come, change and go")
    func longest() throws {
        let (one, two) = (bench.connect(), bench.connect())
        #expect(sub(one, 1, "y", way("a")).contains("snap") && bench.host.takeNewWays())
        #expect(try behind() == ["a"])
        #expect(sub(two, 1, "x", way("b", "c")).contains("snap"))
        #expect(sub(two, 2, "z", way("d", "e", "f")).contains("snap"))
        #expect(try behind() == ["b", "c"])
        #expect(bench.host.takeNewWays() && !bench.host.takeNewWays())
        one.send(#"{"op":"mod","id":9,"sub":1,"via":\#(way("a", "g", "h"))}"#)
        #expect(bench.host.takeNewWays())
        #expect(try behind() == ["a", "g", "h"])
        one.session.close(.reset)
        #expect(try behind() == ["b", "c"] && bench.host.takeNewWays())
        two.send(#"{"op":"unsub","id":1}"#)
        #expect(try behind() == [])
    }

    @Test("S-9: a way that comes back to this service, or over more than sixteen, is a cycle")
    func cycles() throws {
        let client = bench.connect()
        let own =
            #"[{"epoch":"other","graph":"h","node":"n"},{"epoch":"\#(graph.epoch)","graph":"g","node":"x"}]"#
        let long = way("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16")
        #expect(sub(client, 1, "y", own).contains(#""code":"cycle""#))
        #expect(sub(client, 2, "y", long).contains("snap"))
        #expect(sub(client, 3, "y", String(long.dropLast()) + "," + way("17").dropFirst()).contains("cycle"))
        #expect(sub(client, 4, "z", "7").contains("bad_field"))
        // The epoch of a graph of the same name elsewhere is another one.
        #expect(sub(client, 5, "y", own.replacing(graph.epoch, with: "e")).contains("snap"))
        let answer = client.ask(#"{"op":"mod","id":9,"sub":2,"via":\#(own)}"#)
        #expect(answer.count == 2 && answer[0].contains(#""op":"end","id":2,"code":"cycle""#), "\(answer)")
    }

    @Test(
        "S-9: a node takes the state of the node there, by as many reports as that takes",
        arguments: [
            (#"{}"#, #"{"state":{"loading":true,"progress":0.5}}"#, 1),
            (#"{"state":{"loading":true}}"#, #"{"state":{"loading":true}}"#, 0),
            (#"{"state":{"loading":true}}"#, #"{"state":{}}"#, 1),
            (#"{"state":{"loading":true}}"#, #"{"state":{"error":{"code":"off","msg":"m"}}}"#, 1),
            (#"{"state":{"error":{"code":"off","msg":""}}}"#, #"{"state":{"loading":true}}"#, 2),
            (#"{"state":{"stale":true}}"#, #"{"state":{"t":5}}"#, 1),
            (#"{"state":{"stale":true}}"#, #"{"state":{"stale":true,"loading":true}}"#, 1),
            (#"{"state":{"error":{"code":"off","msg":""},"stale":true}}"#, #"{"state":{"stale":true}}"#, 2),
            (#"{}"#, #"{"fail":{"code":"division","at":"","msg":"by zero"}}"#, 1),
            (#"{"state":{"t":1}}"#, #"{"state":{"t":2}}"#, 1),
            (#"{"state":{"error":{"code":"No","msg":"","status":7}}}"#, #"{"state":{"loading":7}}"#, 1),
        ]
    )
    func states(former: String, present: String, reports: Int) throws {
        let client = bench.connect()
        #expect(sub(client, 1, "x", way("a")).contains("snap"))
        let node = try #require(graph.node("x"))
        func state(_ text: String) throws -> RemoteState {
            try Array(text.utf8).withBorrowedBytes { RemoteState(try JSONReader(checking: $0)) }
        }
        func bring(_ state: RemoteState, after former: RemoteState?) -> Int {
            var commit = Commit(fedTo: graph)
            commit.bring(node, to: state, after: former, isSet: false)
            let count = commit.reports.count
            if count > 0 { _ = bench.host.submit(commit) }
            return count
        }
        let (before, after) = (try state(former), try state(present))
        _ = bring(before, after: nil)
        #expect(bring(after, after: before) == reports)
        // What is there now needs nothing more, known or not.
        #expect(bring(after, after: after) == 0 && bring(after, after: nil) == 0)
        let facets = graph.facets.facets(of: node)
        #expect(facets.isLoading == after.isLoading && facets.isStale == after.isStale)
        #expect(
            (facets.error?.code ?? "-") == (after.error.map { $0.code.isEmpty ? "failed" : $0.code } ?? "-")
        )
    }
}
