import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// A graph of 1,600 nodes of which the last one is open to more people than the others.
private func wide(_ last: String = "open") -> String {
    let names = (0..<1_599).map { "n\($0)" } + [last]
    let nodes = names.map { #""\#($0)": {"set": "any", "initial": 1}"# }
    return #"{"graph": "g", "nodes": {\#(nodes.joined(separator: ","))}}"#
}

@Suite("What looking through names costs")
struct AccessWorkTests {
    private let bench = Bench()
    private let graph: LiveGraph

    init() throws {
        graph = try bench.define(wide())
    }

    private func connect(_ nodes: [String], _ can: Rights = .customary) -> Client {
        let principal = Principal(name: "ann", grants: [Principal.Grant(nodes: nodes, can: can)])
        return bench.connect(Access(principal))
    }

    /// What a message costs, and its answer.
    private func cost(of client: Client, _ message: String) -> (work: UInt64, answer: String) {
        let before = bench.host.work
        let answer = client.ask(message).first ?? ""
        return (bench.host.work - before, answer)
    }

    @Test("Whether a graph exists for a principal is found once for each definition")
    func sees() throws {
        let ann = connect(["open"])
        let get = #"{"op":"get","id":1,"graph":"g","nodes":["open"]}"#
        let first = cost(of: ann, get)
        #expect(first.answer.contains(#""open":{"v":1}"#))
        #expect(first.work >= 99, "every name was looked at")
        let second = cost(of: ann, get)
        #expect(second.answer == first.answer && second.work == 1)

        let nobody = connect(["none"])
        #expect(cost(of: nobody, get).work >= 100)
        let refused = cost(of: nobody, get)
        #expect(refused.answer.contains("unknown_graph") && refused.work == 0)
    }

    @Test("A definition that changes is looked at anew: graphs appear and disappear, and counts change")
    func redefined() throws {
        let ann = connect(["open"], [.read, .observe])
        let get = #"{"op":"get","id":1,"graph":"g"}"#
        let list = #"{"op":"list","id":1}"#
        #expect(ann.ask(get)[0].contains(#""open":{"v":1}"#))
        #expect(ann.ask(list)[0].contains(#""nodes":1,"#))
        #expect(ann.ask(#"{"op":"observe","id":1,"graph":"g"}"#)[0].contains("forbidden"))
        _ = bench.host.redefine(graph, as: try bench.definition(wide("closed")))
        #expect(ann.ask(get)[0].contains("unknown_graph"))
        #expect(ann.ask(list)[0] == #"{"op":"ok","id":1,"graphs":[]}"#)
        let small = #"{"graph":"g","nodes":{"open":{"set":"any","initial":2}}}"#
        _ = bench.host.redefine(graph, as: try bench.definition(small))
        #expect(ann.ask(get)[0].contains(#""open":{"v":2}"#))
        #expect(ann.ask(list)[0].contains(#""nodes":1,"#))
        #expect(ann.ask(#"{"op":"observe","id":1,"graph":"g"}"#)[0].contains("topo"))
        // Another graph of the same name is another graph.
        _ = bench.host.remove(graph)
        #expect(ann.take().count == 1, "the observation has ended")
        #expect(ann.ask(get)[0].contains("unknown_graph"))
        try bench.define(wide("closed"))
        #expect(ann.ask(get)[0].contains("unknown_graph"))
    }

    @Test("A list is work, and what may be read is counted once")
    func lists() {
        let ann = connect(["open"])
        let list = #"{"op":"list","id":1}"#
        #expect(cost(of: ann, list).work >= 200, "once to see it, once to count")
        #expect(cost(of: ann, list).work == 1)
    }

    @Test("Globs are work, also where they match nothing")
    func globs() {
        let client = bench.connect()
        let globs = (1...64).map { #""*z\#($0)""# }.joined(separator: ",")
        let get = cost(of: client, #"{"op":"get","id":1,"graph":"g","nodes":[\#(globs)]}"#)
        #expect(get.answer.contains(#""m":{}"#))
        #expect(get.work >= 64 * 100)
        let many = cost(of: client, #"{"op":"get","id":1,"graph":"g","nodes":["n1*"]}"#)
        #expect(many.answer.contains(#""n1599""#) == false && many.answer.contains(#""n1598":{"v":1}"#))
        let rest = client.ask(#"{"op":"get","id":1,"graph":"g","nodes":["n*"]}"#)[0].suffix(20)
        #expect(rest.hasSuffix(#","more":599}"#), "\(rest)")
    }

    @Test("Globs that take too long to compare are refused, in whichever list they stand")
    func globSteps() throws {
        var limits = SessionLimits.ample
        limits.globSteps = 100_000
        let bench = Bench(limits: limits)
        try bench.define(wide())
        let client = bench.connect()
        func get(_ globs: [String]) -> String {
            let list = globs.map { #""\#($0)""# }.joined(separator: ",")
            return client.ask(#"{"op":"get","id":1,"graph":"g","nodes":[\#(list)]}"#)[0]
        }
        // A look at a name is sixteen steps, each character compared one more.
        #expect(get(["z*", "y*", "x*"]).contains(#""m":{}"#))
        #expect(get(["z*", "y*", "x*", "w*"]).contains(#""code":"sub_limit""#))
        #expect(get(["z*", "y*", "x*", "w*"]).contains("steps to compare"))
        #expect(
            get(Array(repeating: "open", count: 1_000)).contains(#""open":{"v":1}"#),
            "names cost nothing"
        )
        #expect(
            client.ask(#"{"op":"sub","id":2,"graph":"g","nodes":["a*","b*","c*","d*"]}"#)[0].contains(
                "sub_limit"
            )
        )
    }

    @Test("A glob with many ways to be compared is counted by the characters compared")
    func dearGlobs() throws {
        let name = String(repeating: "a", count: 128)
        var limits = SessionLimits.ample
        limits.globSteps = 6_000
        let bench = Bench(limits: limits)
        try bench.define(#"{"graph":"g","nodes":{"\#(name)":{"set":"any"}}}"#)
        let client = bench.connect()
        let half = String(repeating: "a", count: 64)
        let dear = #"{"op":"get","id":1,"graph":"g","nodes":["*\#(half)b","*\#(half)c"]}"#
        #expect(client.ask(dear)[0].contains(#""code":"sub_limit""#))
        #expect(client.ask(#"{"op":"get","id":1,"graph":"g","nodes":["*\#(half)"]}"#)[0].contains(name))
    }

    @Test("All nodes at once are bounded as those of globs are")
    func allNodes() {
        let client = bench.connect()
        let rest = client.ask(#"{"op":"get","id":1,"graph":"g"}"#)[0].suffix(20)
        #expect(rest.hasSuffix(#","more":600}"#), "\(rest)")
    }

    @Test("Whether all may be observed is work once")
    func observes() throws {
        let grants = [Principal.Grant(can: [.read]), Principal.Grant(nodes: ["n*"], can: [.observe])]
        let client = bench.connect(Access(Principal(name: "ann", grants: grants)))
        let observe = #"{"op":"observe","id":1,"graph":"g"}"#
        let first = cost(of: client, observe)
        #expect(first.answer.contains("forbidden") && first.work >= 99, "the last node was looked at")
        #expect(cost(of: client, observe).work == 0)
    }

    @Test("Observing takes both rights on every node, and not one of them")
    func bothRights() throws {
        let grants = [Principal.Grant(can: [.read]), Principal.Grant(nodes: ["open"], can: [.observe])]
        let client = bench.connect(Access(Principal(name: "ann", grants: grants)))
        #expect(client.ask(#"{"op":"observe","id":1,"graph":"g"}"#)[0].contains("forbidden"))
    }
}
