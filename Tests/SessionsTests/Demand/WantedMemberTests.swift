import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let nodes = #"""
    "s.{id}": {"source": {"get": "u:/s?ids={id*}"}}, "d.{id}": {"from": "s.{id}"},
    "e.{id}": {"combine": ["d.{id}", "s.hall", "key"]}, "key": {"set": "string"}, "hall": {"from": "d.hall"},
    "one": {"flatten": {"from": "key", "to": {"a": "s.a", "b": "d.b"}}},
    "count": {"all": "s.*", "reduce": "count"}, "counted": {"from": "count"}, "t.{id}": {"set": "number"}
    """#

private func text(_ nodes: String = nodes, graph: String = "g") -> String {
    #"{"graph": "\#(graph)", "upstreams": {"u": {"url": "http://u.example"}}, "nodes": {\#(nodes)}}"#
}

private func access(_ name: String?) -> Access {
    name.map { Access(Principal(name: $0, grants: [Principal.Grant(can: .all)])) } ?? .full
}

@Suite("How many members of source families are wanted")
struct WantedMemberTests {
    private let bench: Bench
    private let graph: LiveGraph

    init() throws {
        var limits = SessionLimits.ample
        limits.wanted = 3
        bench = Bench(limits: limits)
        graph = try bench.define(text())
    }

    private func count(of principal: String? = nil) -> Int {
        bench.host.memory.members.wanted.count(of: principal)
    }

    private func sub(_ client: Client, _ id: Int, _ what: String) -> String {
        let found = client.ask(#"{"op":"sub","id":\#(id),"graph":"g",\#(what)}"#).last ?? ""
        return found.contains("snap") ? "snap" : found.contains("sub_limit") ? "sub_limit" : found
    }

    @Test("S-7: what one principal keeps wanted is bounded, each member once, and counts as long as it is")
    func bounds() throws {
        let (ann, bob) = (bench.connect(access("ann")), bench.connect(access("bob")))
        #expect(sub(ann, 1, #""node":"s.a""#) == "snap" && sub(ann, 2, #""nodes":["s.a","d.b"]"#) == "snap")
        #expect(count(of: "ann") == 2)
        #expect(sub(ann, 3, #""nodes":["s.c","s.d"]"#) == "sub_limit" && count(of: "ann") == 2)
        #expect(sub(ann, 4, #""node":"e.c""#) == "sub_limit" && sub(ann, 5, #""node":"hall""#) == "snap")
        let second = bench.connect(access("ann"))
        #expect(sub(second, 1, #""node":"s.c""#) == "sub_limit" && sub(second, 2, #""node":"e.a""#) == "snap")
        #expect(sub(bob, 1, #""node":"s.c""#) == "snap" && count(of: "bob") == 1 && count(of: "ann") == 3)
        ann.send(#"{"op":"unsub","id":1}"#)
        #expect(count(of: "ann") == 3)
        ann.session.close(.reset)
        bench.endTurn()
        #expect(count(of: "ann") == 2)
        second.session.close()
        bob.session.close()
        bench.endTurn()
        #expect(bench.host.memory.members.wanted.isEmpty && graph.isWhole)
    }

    @Test("S-7: the refusal names the limit, and says whether waiting helps")
    func refusal() throws {
        let client = bench.connect()
        let many =
            client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["s.a","s.b","s.c","s.d"]}"#).last ?? ""
        #expect(many.contains(#""code":"sub_limit""#) && many.contains("(limits.wanted)"), "\(many)")
        #expect(many.contains(#""hint":"listen to fewer of them at once, or raise limits.wanted""#))
        #expect(many.contains(#""retry":false"#))
        _ = client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["s.a","s.b","s.c"]}"#)
        let one = client.ask(#"{"op":"sub","id":2,"graph":"g","node":"s.d"}"#).last ?? ""
        #expect(one.contains("1 more") && one.contains(#""retry":true"#), "\(one)")
    }

    @Test("S-7: what counts follows from the definition, not from values", arguments: [false, true])
    func reach(isChosen: Bool) throws {
        if isChosen { try bench.set(graph, [("key", "\"a\"")]) }
        let client = bench.connect()
        let expected = [
            ("\"node\":\"one\"", 2), ("\"node\":\"key\"", 0), ("\"nodes\":[\"*\"]", 0),
            ("\"node\":\"t.a\"", 0),
            ("\"node\":\"count\"", 0), ("\"node\":\"counted\"", 0), ("\"node\":\"e.hall\"", 1),
            ("\"nodes\":[\"s.*\",\"e.a\"]", 2), ("\"combine\":[\"d.a\",\"d.b\"]", 2),
            ("\"node\":\"d.a\",\"pipe\":[{\"skip\":1}]", 1), ("\"all\":\"s.*\",\"reduce\":\"count\"", 0),
            ("\"flatten\":{\"from\":\"key\",\"to\":{\"a\":\"s.b\",\"c\":\"s.c\"}}", 2),
        ]
        for (id, (what, members)) in expected.enumerated() {
            #expect(sub(client, id + 1, what) == "snap", "\(what)")
            #expect(count() == members, "\(what)")
            client.send(#"{"op":"unsub","id":\#(id + 1)}"#)
            #expect(count() == 0, "\(what)")
        }
    }

    @Test("S-1: `all` makes none of what it gathers wanted")
    func gathered() throws {
        _ = bench.connect().ask(#"{"op":"demand","id":1,"graph":"g","nodes":["key"]}"#)
        var commit = Commit(fedTo: graph)
        commit.set.append(Assignment(try #require(graph.node("s.a")), try Datum.parse("1")))
        _ = bench.host.submit(commit)
        let client = bench.connect()
        #expect(sub(client, 1, #""node":"counted""#) == "snap")
        #expect(graph.demand?.isWanted("s.a") == false)
        #expect(sub(client, 2, #""node":"d.a""#) == "snap")
        #expect(graph.demand?.isWanted("s.a") == true)
        client.send(#"{"op":"unsub","id":2}"#)
        bench.endTurn()
        #expect(graph.demand?.isWanted("s.a") == false)
    }

    @Test("S-7: all graphs count together, and other names do not matter")
    func graphs() throws {
        _ = try bench.define(text(graph: "h"))
        let client = bench.connect()
        #expect(sub(client, 1, #""nodes":["s.a","s.b"]"#) == "snap")
        _ = client.ask(#"{"op":"sub","id":2,"graph":"h","node":"s.a"}"#)
        #expect(count() == 3 && sub(client, 3, #""node":"s.c""#) == "sub_limit")
        #expect(sub(client, 4, #""nodes":["t.a","t.b","t.c","t.d","key"]"#) == "snap")
        _ = bench.host.remove(try #require(bench.host["h"]))
        bench.endTurn()
        #expect(count() == 2 && sub(client, 5, #""node":"s.c""#) == "snap")
    }

    @Test("S-7: a chain that is kept counts for nothing until its client is back")
    func keeping() throws {
        var keeper = Keeper(bench, #""graph":"g","node":"d.a","keep":"30s""#)
        keeper.begin()
        #expect(count() == 1)
        keeper.reconnect()
        #expect(count() == 0)
        #expect(sub(keeper.client, 1, #""nodes":["s.b","s.c","s.d"]"#) == "snap")
        var refused = keeper
        #expect(refused.resume(3).contains("sub_limit"))
        _ = keeper.client.ask(#"{"op":"unsub","id":1}"#)
        #expect(keeper.resume().contains(#""resumed":true"#) && count() == 1)
        // Another connection takes over what is not kept yet.
        let former = keeper.client
        keeper.client = bench.connect()
        #expect(keeper.resume().contains(#""resumed":true"#) && count() == 1)
        former.session.close()
        bench.endTurn()
        #expect(count() == 1)
        keeper.client.session.close()
        bench.leap(30_001)
        bench.endTurn()
        #expect(bench.host.memory.members.wanted.isEmpty)
    }

    @Test("S-7: streams count from their check on, and bare streams; sinks do not")
    func streams() throws {
        let view = try GraphView(graph, for: access("ann"))
        do {
            let stream = try EventStream(of: view, nodes: ["s.a", "s.b"])
            #expect(count(of: "ann") == 2)
            #expect(throws: HostError.self) { try EventStream(of: view, nodes: ["s.c", "s.d"]) }
            let session = Session(
                of: bench.clients,
                transport: RecordingSink(),
                kind: .sse,
                access: access("ann"),
                form: .events
            )
            session.start(stream)
            #expect(count(of: "ann") == 2)
            session.close()
        }
        bench.endTurn()
        #expect(count(of: "ann") == 0)
        let members = try ["a", "b", "c", "d"].map { try #require(graph.node("s.\($0)")) }
        var bare: [Session] = []
        for (place, node) in members.enumerated() {
            let session = bench.connect(form: .node(node)).session
            bare.append(session)
            if place < 3 {
                try session.stream()
            } else {
                #expect(throws: HostError.self) { try session.stream() }
            }
        }
        #expect(count() == 3)
        let sink = Session(
            of: bench.clients,
            transport: RecordingSink(),
            kind: .sink,
            form: .node(members[3])
        )
        try sink.stream()
        #expect(count() == 3)
        for session in bare + [sink] { session.close() }
        bench.endTurn()
        #expect(bench.host.memory.members.wanted.isEmpty)
    }

    @Test("S-7: a family that becomes a source counts for those that listen from then on")
    func redefined() throws {
        let client = bench.connect()
        #expect(sub(client, 1, #""node":"t.a""#) == "snap" && sub(client, 2, #""node":"s.a""#) == "snap")
        let swapped = nodes.replacing(
            #""t.{id}": {"set": "number"}"#,
            with: #""t.{id}": {"source": {"get": "u:/t/{id}"}}"#
        )
        _ = bench.host.redefine(graph, as: try bench.definition(text(swapped)))
        #expect(count() == 1 && sub(client, 3, #""node":"t.b""#) == "snap" && count() == 2)
        _ = bench.host.redefine(graph, as: try bench.definition(text()))
        client.session.close()
        bench.endTurn()
        #expect(bench.host.memory.members.wanted.isEmpty)
    }

    // MARK: - Histories

    private static let reached: [String: Set<String>] = [
        "s.a": ["a"], "d.b": ["b"], "e.c": ["c", "hall"], "hall": ["hall"], "one": ["a", "b"], "key": [],
        "count": [], "d.hall": ["hall"], "*": [],
    ]

    @Test(
        "S-7: after any history exactly what listeners reach counts, never more than may be, and nothing at the end"
    )
    func histories() throws {
        for seed in 1...UInt64(Nightly.isOn ? 50_000 : 100) {
            let test = try Self()
            var random = SeededGenerator(seed: seed)
            var clients: [(client: Client, name: String?, subscribed: [Int: String])] = []
            for step in 0..<60 {
                switch Int.random(in: 0..<8, using: &random) {
                case 0...3:
                    if clients.count < 4 {
                        let name = ["ann", "bob", nil].randomElement(using: &random)!
                        clients.append((test.bench.connect(access(name)), name, [:]))
                    }
                    let place = clients.indices.randomElement(using: &random)!
                    let (id, name) = (step + 1, Self.reached.keys.sorted().randomElement(using: &random)!)
                    let principal = clients[place].name
                    let others = Self.members(of: clients, principal)
                    let fits = others.union(Self.reached[name]!).count <= 3
                    let subject = name == "*" ? #""nodes":["*"]"# : #""node":"\#(name)""#
                    let answer = test.sub(clients[place].client, id, subject)
                    let isRight = answer == (fits ? "snap" : "sub_limit")
                    try #require(isRight, "seed \(seed), step \(step): \(answer)")
                    if fits { clients[place].subscribed[id] = name }
                case 4, 5:
                    guard let place = clients.indices.randomElement(using: &random),
                        let id = clients[place].subscribed.keys.sorted().randomElement(using: &random)
                    else { continue }
                    clients[place].client.send(#"{"op":"unsub","id":\#(id)}"#)
                    clients[place].subscribed[id] = nil
                case 6:
                    guard let place = clients.indices.randomElement(using: &random) else { continue }
                    clients.remove(at: place).client.session.close(.reset)
                default:
                    try test.bench.set(
                        test.graph,
                        [("key", ["\"a\"", "\"b\"", "\"?\""].randomElement(using: &random)!)]
                    )
                }
                test.bench.endTurn()
                for principal in ["ann", "bob", nil] {
                    let isRight = test.count(of: principal) == Self.members(of: clients, principal).count
                    try #require(isRight, "seed \(seed), step \(step)")
                }
            }
            for (client, _, _) in clients { client.session.close() }
            test.bench.endTurn()
            try #require(test.bench.host.memory.members.wanted.isEmpty && test.graph.isWhole, "seed \(seed)")
        }
    }

    private static func members(
        of clients: [(client: Client, name: String?, subscribed: [Int: String])],
        _ principal: String?
    ) -> Set<String> {
        clients.filter { $0.name == principal }.flatMap(\.subscribed.values).reduce(into: []) {
            $0.formUnion(reached[$1]!)
        }
    }
}
