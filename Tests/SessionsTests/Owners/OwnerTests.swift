import LogTestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText = """
    {"graph": "g", "nodes": {
      "x": {"set": "any", "initial": 1}, "y": {"set": "any"},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]},
      "deep": {"from": "double", "pipe": [{"map": "value + 1"}]},
      "other": {"from": "y", "pipe": [{"map": "value"}]}
    }}
    """

/// One more than the longest name.
private let longName = String(repeating: "a", count: 65)

@Suite("Owners of subscriptions")
struct OwnerTests {
    private func prepared(limits: SessionLimits = .ample) throws -> (Bench, LiveGraph, Client) {
        let bench = Bench(limits: limits)
        return (bench, try bench.define(graphText), bench.connect())
    }

    /// Subscribes to a node for owners, which stand as JSON.
    private func subscribe(_ client: Client, _ id: Int, _ node: String, _ owner: String? = nil) {
        let owner = owner.map { #","owner":\#($0)"# } ?? ""
        let answers = client.ask(#"{"op":"sub","id":\#(id),"graph":"g","node":"\#(node)"\#(owner)}"#)
        #expect(answers.count == 1 && answers[0].hasPrefix(#"{"op":"snap","id":\#(id),"#))
    }

    private func release(_ client: Client, _ owner: String) -> [String] {
        client.ask(#"{"op":"release","id":20,"owner":"\#(owner)"}"#)
    }

    // MARK: - O-1

    @Test("O-1: owners are named one by one or as a list, each once; without a name the connection owns")
    func names() throws {
        let (_, _, client) = try prepared()
        subscribe(client, 1, "x")
        subscribe(client, 2, "x", #""panel""#)
        subscribe(client, 3, "x", #"["b","a","b"]"#)
        #expect(client.session.subscriptions.map(\.ownerNames) == [[nil], ["panel"], ["b", "a"]])
        #expect(client.session.ownerNames == ["a", "b", "panel"])
    }

    @Test("O-1: globs and pipelines have owners as single nodes have")
    func everyKind() throws {
        let (_, graph, client) = try prepared()
        let start = graph.statistics
        let sources = [
            #""node":"deep""#, #""nodes":["*"]"#, #""combine":["deep","y"]"#,
            #""node":"deep","pipe":[{"map":"value + 1"},{"scan":{"start":0,"with":"acc + value"}}]"#,
            #""node":"deep","mode":"all","every":10"#,
        ]
        for (place, source) in sources.enumerated() {
            let answers = client.ask(
                #"{"op":"sub","id":\#(place + 1),"graph":"g",\#(source),"owner":"panel"}"#
            )
            #expect(answers.first?.contains(#""op":"snap""#) == true, "\(source): \(answers)")
        }
        let held = graph.statistics
        let answers = release(client, "panel")
        #expect(
            answers.last
                == #"{"op":"ok","id":20,"ended":[1,2,3,4,5],"released":\#(held.nodes - start.nodes)}"#
        )
        #expect(answers.dropLast().allSatisfy { $0.contains(#""op":"end""#) } && answers.count == 6)
        #expect(graph.statistics.nodes == start.nodes && graph.clients.subscriptions == 0 && graph.isWhole)
    }

    @Test(
        "O-1: what is no name, an empty list and more than eight are bad_field, with their place and a hint",
        arguments: [
            (#""""#, "owner: the name of an owner is needed, 1 to 64 letters"),
            (#"7"#, "owner: the name of an owner is needed"),
            (#"null"#, "owner: the name of an owner is needed"),
            (#""a b""#, "owner: the name of an owner is needed"),
            (#"".a""#, "not beginning with '.' or '-'"),
            (#""c:7/panel""#, "owner: the name of an owner is needed"),
            (#""\#(longName)""#, "owner: the name of an owner is needed"),
            (#"["a",""]"#, "owner[1]: the name of an owner is needed"),
            (#"["a","b",{"c":1}]"#, "owner[2]: the name of an owner is needed"),
            (#"[]"#, "owner: the list is empty; leave the field out, or name an owner"),
            (
                #"["1","2","3","4","5","6","7","8","9"]"#,
                "owner: a subscription has at most 8 named owners"
            ),
        ]
    )
    func refusals(owner: String, message: String) throws {
        let (bench, graph, client) = try prepared()
        let start = graph.statistics
        for source in [#""node":"deep""#, #""nodes":["*"]"#, #""node":"deep","pipe":["distinct"]"#] {
            let answers = client.ask(#"{"op":"sub","id":1,"graph":"g",\#(source),"owner":\#(owner)}"#)
            #expect(answers.count == 1 && answers[0].contains(#""code":"bad_field""#))
            #expect(answers[0].contains(message), "\(answers)")
        }
        #expect(graph.statistics.nodes == start.nodes && bench.clients.statistics.subscriptions == 0)
        #expect(client.session.owners == nil)
    }

    @Test("O-1: eight owners with names of 64 bytes are taken, and one named nine times counts once")
    func most() throws {
        let (_, _, client) = try prepared()
        let names = (1...8).map { "\"\($0)\(longName.dropFirst(2))\"" }
        subscribe(client, 1, "x", "[\(names.joined(separator: ","))]")
        subscribe(client, 2, "x", "[\(Array(repeating: "\"a\"", count: 9).joined(separator: ","))]")
        #expect(client.session.ownerNames.count == 9)
    }

    // MARK: - O-2

    @Test("O-2: release ends what has no other owner, says so in order, and then how much that freed")
    func releasing() throws {
        let (_, graph, client) = try prepared()
        subscribe(client, 1, "x")
        subscribe(client, 2, "deep", #"["panel","side"]"#)
        subscribe(client, 3, "other", #""panel""#)
        subscribe(client, 4, "deep", #""panel""#)
        #expect(
            release(client, "panel") == [
                #"{"op":"end","id":3,"code":"done","released":1}"#,
                #"{"op":"end","id":4,"code":"done","released":0}"#,
                #"{"op":"ok","id":20,"ended":[3,4],"released":1}"#,
            ]
        )
        #expect(client.session.subscriptions.map(\.ownerNames) == [[nil], ["side"]])
        #expect(release(client, "panel") == [#"{"op":"ok","id":20,"ended":[],"released":0}"#])
        #expect(
            release(client, "side") == [
                #"{"op":"end","id":2,"code":"done","released":2}"#,
                #"{"op":"ok","id":20,"ended":[2],"released":2}"#,
            ]
        )
        #expect(graph.clients.subscriptions == 1 && graph.isWhole && client.session.ownerNames == [])
    }

    @Test("O-2: the owner is one name, and another connection's owner of that name is another")
    func connectionsApart() throws {
        let (bench, graph, client) = try prepared()
        let other = bench.connect()
        subscribe(client, 1, "deep", #""panel""#)
        subscribe(other, 1, "deep", #""panel""#)
        for owner in [#"["panel"]"#, #""""#, "null", "7"] {
            let answer = client.ask(#"{"op":"release","id":20,"owner":\#(owner)}"#)
            #expect(answer[0].contains(#""code":"bad_field""#) && answer[0].contains("owner: "))
        }
        #expect(client.ask(#"{"op":"release","id":20}"#)[0].contains("owner: a name is needed"))
        #expect(client.ask(#"{"op":"release","owner":"panel"}"#)[0].contains("id: a number"))
        #expect(release(client, "panel").last == #"{"op":"ok","id":20,"ended":[1],"released":0}"#)
        #expect(graph.clients.subscriptions == 1 && other.take() == [])
        #expect(release(other, "panel").last == #"{"op":"ok","id":20,"ended":[1],"released":2}"#)
    }

    @Test("O-2: what happened before the release is sent before the ends")
    func newsFirst() throws {
        let (bench, graph, client) = try prepared()
        subscribe(client, 1, "x", #""panel""#)
        subscribe(client, 2, "double", #"["panel","side"]"#)
        try bench.submit(graph, [("x", "5")])
        #expect(
            release(client, "panel") == [
                #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"v":5},{"id":2,"v":10}]}"#,
                #"{"op":"end","id":1,"code":"done","released":0}"#,
                #"{"op":"ok","id":20,"ended":[1],"released":0}"#,
            ]
        )
    }

    @Test("O-2: a release takes effect in its place among pending sets, subscriptions and requests")
    func pending() throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let graph = try bench.define(graphText)
        log.isSlow = true
        let client = bench.connect()
        client.ask(
            """
            [{"op":"set","id":1,"graph":"g","set":{"x":5}},{"op":"sub","id":2,"graph":"g","node":"deep","owner":"panel"},
             {"op":"release","id":3,"owner":"panel"},{"op":"sub","id":2,"graph":"g","node":"x","owner":"panel"},
             {"op":"mod","id":4,"sub":2,"removeOwner":"panel"},{"op":"sub","id":2,"graph":"g","node":"x"},
             {"op":"sub","id":2,"graph":"g","node":"y"}]
            """
        )
        #expect(
            client.take().isEmpty && graph.clients.subscriptions == 0,
            "nothing overtakes the set"
        )
        log.confirm()
        bench.host.flush()
        #expect(
            client.take() == [
                #"{"op":"ok","id":1,"epoch":"e1","rev":2}"#,
                #"{"op":"snap","id":2,"epoch":"e1","rev":2,"t":5000000,"v":11}"#,
                #"{"op":"end","id":2,"code":"done","released":2}"#,
                #"{"op":"ok","id":3,"ended":[2],"released":2}"#,
                #"{"op":"snap","id":2,"epoch":"e1","rev":2,"t":5000000,"v":5}"#,
                #"{"op":"end","id":2,"code":"done","released":0}"#,
                #"{"op":"ok","id":4}"#,
                #"{"op":"snap","id":2,"epoch":"e1","rev":2,"t":5000000,"v":5}"#,
                #"{"op":"err","id":2,"code":"id_in_use","msg":"id 2 is in use","retry":false}"#,
            ]
        )
    }

    @Test("O-2: an id stays in use where the release before it leaves the subscription an owner")
    func idStaysInUse() throws {
        var limits = SessionLimits.ample
        limits.work = 1
        let (bench, _, client) = try prepared(limits: limits)
        client.send(
            """
            [{"op":"sub","id":1,"graph":"g","node":"deep","owner":["panel","side"]},
             {"op":"release","id":2,"owner":"panel"},{"op":"sub","id":1,"graph":"g","node":"x"}]
            """
        )
        bench.host.flush()
        bench.pass(20)
        let answers = client.take()
        #expect(answers.count == 3)
        #expect(answers[1] == #"{"op":"ok","id":2,"ended":[],"released":0}"#)
        #expect(answers[2].contains("id_in_use"))
    }

    @Test("O-2: a release is one turn's work, however much it frees, and counts as such")
    func oneTurn() throws {
        var limits = SessionLimits.ample
        limits.work = 10
        let (bench, graph, client) = try prepared(limits: limits)
        for id in 1...50 {
            client.ask(
                #"{"op":"sub","id":\#(id),"graph":"g","node":"deep","pipe":[{"map":"value + \#(id)"}],"owner":"panel"}"#
            )
            bench.pass(1)
        }
        _ = client.take()
        client.send(#"[{"op":"release","id":100,"owner":"panel"},{"op":"list","id":101}]"#)
        let answers = client.take()
        #expect(answers.count == 51 && answers[50].hasPrefix(#"{"op":"ok","id":100,"ended":[1,2,"#))
        #expect(answers[50].hasSuffix(#","released":52}"#), "\(answers[50])")
        #expect(graph.clients.subscriptions == 0 && graph.isWhole)
        bench.pass(20)
        #expect(client.take().count == 1, "the next request waits until that is paid for")
    }

    // MARK: - O-3

    @Test("O-3: mod adds owners and removes them; without the last one the subscription ends")
    func modifying() throws {
        let (_, graph, client) = try prepared()
        subscribe(client, 1, "deep", #""a""#)
        let ok = #"{"op":"ok","id":20}"#
        func mod(_ change: String) -> [String] { client.ask(#"{"op":"mod","id":20,"sub":1,\#(change)}"#) }
        var owners: [String?]? { client.session.subscriptions.first?.ownerNames }

        #expect(mod(#""addOwner":["b","a","c"]"#) == [ok] && owners == ["a", "b", "c"])
        #expect(mod(#""removeOwner":"none""#) == [ok] && owners == ["a", "b", "c"], "it was no owner")
        #expect(mod(#""addOwner":"d","removeOwner":["a","b","c"]"#) == [ok] && owners == ["d"], "handed over")
        #expect(mod(#""addOwner":"e","removeOwner":"e""#) == [ok] && owners == ["d"])
        #expect(
            mod(#""removeOwner":"d""#) == [#"{"op":"end","id":1,"code":"done","released":2}"#, ok]
        )
        #expect(owners == nil && graph.isWhole && client.session.ownerNames == [])
    }

    @Test("O-3: the connection stays an owner of what it subscribed to without naming one")
    func connectionStays() throws {
        let (_, _, client) = try prepared()
        subscribe(client, 1, "deep")
        client.ask(#"{"op":"mod","id":20,"sub":1,"addOwner":"panel"}"#)
        #expect(client.session.subscriptions[0].ownerNames == [nil, "panel"])
        #expect(release(client, "panel") == [#"{"op":"ok","id":20,"ended":[],"released":0}"#])
        #expect(client.session.subscriptions[0].ownerNames == [nil])
        client.ask(#"{"op":"mod","id":20,"sub":1,"addOwner":"panel"}"#)
        #expect(
            client.ask(#"{"op":"mod","id":20,"sub":1,"removeOwner":"panel"}"#) == [#"{"op":"ok","id":20}"#]
        )
        #expect(
            client.ask(#"{"op":"unsub","id":1}"#) == [#"{"op":"end","id":1,"code":"done","released":2}"#]
        )
    }

    @Test("O-3: unsub ends a subscription with all its owners")
    func unsubscribing() throws {
        let (_, _, client) = try prepared()
        subscribe(client, 1, "deep", #"["a","b"]"#)
        #expect(
            client.ask(#"{"op":"unsub","id":1}"#) == [#"{"op":"end","id":1,"code":"done","released":2}"#]
        )
        #expect(client.session.ownerNames == [])
        #expect(release(client, "a") == [#"{"op":"ok","id":20,"ended":[],"released":0}"#])
    }

    @Test("O-3: a mod that is refused changes nothing; observers have no owners")
    func modRefusals() throws {
        let (_, _, client) = try prepared()
        subscribe(client, 1, "x", #"["1","2","3","4","5","6","7"]"#)
        for change in [
            #""addOwner":["8","9"]"#, #""addOwner":"8","removeOwner":[]"#,
            #""addOwner":"8","removeOwner":"a b""#,
            #""addOwner":"8","every":-1"#, #""addOwner":[{}]"#,
        ] {
            let answer = client.ask(#"{"op":"mod","id":20,"sub":1,\#(change)}"#)
            #expect(answer.count == 1 && answer[0].contains(#""code":"bad_field""#), "\(change): \(answer)")
        }
        #expect(client.session.subscriptions[0].ownerNames.count == 7 && client.session.ownerNames.count == 7)
        let full = client.ask(#"{"op":"mod","id":20,"sub":1,"addOwner":["8","9"],"removeOwner":"1"}"#)
        #expect(full == [#"{"op":"ok","id":20}"#])

        #expect(client.ask(#"{"op":"observe","id":5,"graph":"g","owner":"a"}"#)[0].contains("bad_field"))
        client.ask(#"{"op":"observe","id":5,"graph":"g"}"#)
        #expect(client.ask(#"{"op":"mod","id":20,"sub":5,"addOwner":"a"}"#)[0].contains("bad_field"))
    }

    // MARK: - O-4

    @Test(
        "O-4: whatever ends the connection ends all its owners in the same turn",
        arguments: [CloseReason.closed, .reset, .timeout, .protocolError, .slow, .shutdown]
    )
    func closing(reason: CloseReason) throws {
        let (bench, graph, client) = try prepared()
        let start = graph.statistics
        subscribe(client, 1, "deep", #"["a","b"]"#)
        subscribe(client, 2, "other", #""b""#)
        subscribe(client, 3, "x")
        client.ask(#"{"op":"mod","id":20,"sub":3,"addOwner":"b"}"#)
        client.ask(#"{"op":"sub","id":4,"graph":"g","nodes":["*"],"owner":"c"}"#)
        #expect(client.session.close(reason) == 3)
        #expect(client.session.ownerNames == [] && bench.clients.statistics.subscriptions == 0)
        #expect(graph.statistics.nodes == start.nodes && graph.statistics.edges == start.edges)
        #expect(graph.statistics.listeners == start.listeners && graph.isWhole)
    }

    @Test("O-4: nothing keeps an owner, its subscription or its session")
    func weakReferences() throws {
        let bench = Bench()
        try bench.define(graphText)
        weak var session: Session?
        weak var subscription: Subscription?
        weak var owner: SubscriptionOwner?
        weak var table: OwnerTable?
        do {
            let client = bench.connect()
            subscribe(client, 1, "deep", #""a""#)
            client.ask(#"{"op":"mod","id":20,"sub":1,"addOwner":"b"}"#)
            session = client.session
            subscription = client.session.subscriptions[0]
            (table, owner) = (client.session.owners, client.session.owners?["b"])
            #expect(owner?.subscriptions == 1)
            client.session.close()
        }
        bench.host.flush()
        #expect(session == nil && subscription == nil && owner == nil && table == nil)
    }

    @Test("O-4: a subscription that ends by itself leaves its owners")
    func endsByItself() throws {
        let (bench, graph, client) = try prepared()
        client.ask(
            #"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"prefix":1}],"owner":["a","b"]}"#
        )
        #expect(client.session.ownerNames == [])
        subscribe(client, 2, "deep", #""a""#)
        _ = bench.host.remove(graph)
        bench.endTurn()
        #expect(client.session.ownerNames == [] && bench.clients.statistics.subscriptions == 0)
    }

    // MARK: - O-5

    @Test("O-5: a live picture names owners, of nodes and of listeners")
    func picture() throws {
        let (_, graph, client) = try prepared()
        subscribe(client, 1, "deep", #"["side","panel"]"#)
        subscribe(client, 2, "x")
        subscribe(client, 3, "other", #""panel""#)
        let text = String(decoding: PictureText(of: graph, live: true).json(), as: UTF8.self)
        for owners in [
            #""c:1","c:1/panel","c:1/side""#, #""c:1/panel","c:1/side""#, #""c:1/panel""#,
        ] {
            #expect(text.contains(#","owners":[\#(owners)]}"#), "x, deep and other: \(owners) in \(text)")
        }
        #expect(text.contains(#","owners":["panel","side"],"queued":0"#), "the listener's")
        let listeners = String(decoding: PictureText.listenersJSON(of: graph), as: UTF8.self)
        #expect(listeners.contains(#""owners":["panel","side"]"#))
        for diagram in [
            PictureText(of: graph, live: true).dot(), PictureText(of: graph, live: true).mermaid(),
        ] {
            #expect(String(decoding: diagram, as: UTF8.self).contains(#""ws c:1 (panel, side)""#))
        }
    }

    @Test("O-5: observers learn of owners that come and go, though no node and no edge changes")
    func observing() throws {
        let (bench, _, client) = try prepared()
        let watcher = bench.connect()
        subscribe(client, 1, "deep")
        #expect(
            watcher.ask(#"{"op":"observe","id":1,"graph":"g","every":50}"#)[0].contains(#""owners":["c:1"]"#)
        )
        client.ask(#"{"op":"mod","id":20,"sub":1,"addOwner":"panel"}"#)
        bench.pass(50)
        let came = watcher.take().joined()
        #expect(came.contains(#""own":[[1,["c:1","c:1/panel"]],"#), "\(came)")
        #expect(came.contains(#""owners":["panel"]"#))
        _ = release(client, "panel")
        bench.pass(50)
        let went = watcher.take().joined()
        #expect(
            went.contains(#""own":[[1,["c:1"]],"#) && went.contains(#""listeners":[{"l":"c:1""#),
            "\(went)"
        )
    }
}
