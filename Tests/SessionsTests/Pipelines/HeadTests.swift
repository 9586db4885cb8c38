import Commits
import ReactiveGraph
import TestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions
import Support

@Suite("Client pipelines run after the commit, at the end of the turn")
struct HeadTests {
    /// A client without units, behind such a jam.
    private func late(
        _ pipe: String,
        _ more: String = "",
        held: Int = 16 << 20
    ) throws -> (bench: Bench, graph: LiveGraph, client: Client, jam: Client) {
        let bench = Bench.ofPipelines(burst: 1, held: held)
        let graph = try bench.define(PipelineGraph.text)
        let jam = bench.jam()
        let client = bench.connect()
        client.subscribe(1, pipe, more)
        bench.settle()
        _ = client.take()
        return (bench, graph, client, jam)
    }

    // MARK: - Within a turn

    @Test("A commit runs no stage of a client; at the end of its turn the value comes, with its rev")
    func after() throws {
        let bench = Bench.ofPipelines()
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        client.subscribe(1, #"[{"map":"value + 1"},{"map":"value * 10"}]"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"double"}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","combine":["x","y"],"map":"value[0] + value[1]"}"#)
        _ = client.take()
        let emissions = graph.chains.all.map(\.node.emissionCount)
        try bench.submit(graph, [("x", "5")], by: "ann")
        #expect(graph.chains.all.map(\.node.emissionCount) == emissions)
        bench.endTurn()
        let messages = client.take()
        #expect(messages.count == 1, "one message has everything of the turn")
        #expect(messages.updates(of: 1) == [#""v":60"#] && messages.updates(of: 2) == [#""v":10"#])
        #expect(messages.updates(of: 3) == [#""v":7"#])
        #expect(messages[0].contains(#""rev":\#(graph.rev),"#) && messages[0].contains(#""by":"ann""#))
        #expect(graph.lateRev == 0)
    }

    @Test("Where only the newest value counts, several commits of a turn cost one run, and n counts them")
    func folded() throws {
        let bench = Bench.ofPipelines()
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        client.subscribe(1, #"[{"map":"value + 1"}]"#)
        let before = graph.chains.all[0].node.emissionCount
        for value in 1...5 { try bench.submit(graph, [("x", "\(value)")]) }
        bench.endTurn()
        #expect(client.take().updates() == [#""v":6,"n":5"#])
        #expect(graph.chains.all[0].node.emissionCount - before == 1)
    }

    @Test("In mode all each commit has a message of its own, in order of rev, with its author")
    func all() throws {
        let bench = Bench.ofPipelines()
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        client.subscribe(1, #"[{"map":"value * 10"}]"#, #","mode":"all""#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","mode":"all"}"#)
        let first = graph.rev
        for value in 1...3 { try bench.submit(graph, [("x", "\(value)")], by: "writer \(value)") }
        bench.endTurn()
        let messages = client.take()
        #expect(messages.count == 3)
        for (place, message) in messages.enumerated() {
            #expect(message.contains(#""rev":\#(first + UInt64(place) + 1),"#))
            #expect(message.contains(#""by":"writer \#(place + 1)""#))
            #expect([message].updates(of: 1) == [#""v":\#(10 * place + 10)"#])
            #expect([message].updates(of: 2) == [#""v":\#(place + 1)"#])
        }
        #expect(graph.lateRev == 0)
    }

    @Test("The messages of a client's own set, those of its pipelines too, come before its ok in mode all")
    func ownSet() throws {
        let bench = Bench.ofPipelines()
        _ = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        client.subscribe(1, #"[{"map":"value * 10"}]"#, #","mode":"all""#)
        let answers = client.ask(#"{"op":"set","id":5,"graph":"g","set":{"x":4}}"#)
        #expect(answers.count == 2 && answers.updates() == [#""v":40"#])
        #expect(answers.last?.contains(#""op":"ok","id":5"#) == true)
    }

    @Test("Stages with a memory handle each commit of a turn, and joins settle once for each")
    func memory() throws {
        let bench = Bench.ofPipelines()
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        client.subscribe(1, #"[{"map":"value"},{"scan":{"start":0,"with":"acc + value"}}]"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","combine":{"a":"x","b":"double"},"mode":"all"}"#)
        _ = client.take()
        for value in 2...4 { try bench.submit(graph, [("x", "\(value)")]) }
        bench.endTurn()
        let messages = client.take()
        #expect(messages.updates(of: 1) == [#""v":10,"n":3"#], "1 at the beginning, and 2 to 4")
        #expect(messages.updates(of: 2) == (2...4).map { #""v":{"a":\#($0),"b":\#(2 * $0)"# })
    }

    @Test("An expression sees the time of the commit from which its value comes")
    func time() throws {
        let bench = Bench.ofPipelines()
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        client.subscribe(1, #"[{"map":"[string(value), string(time)]"}]"#, #","mode":"all""#)
        _ = client.take()
        var times: [String] = []
        for value in 5...6 {
            try bench.submit(graph, [("x", "\(value)")])
            times.append("\(graph.time % 1_000)")
            bench.clock.advance(by: 7)
        }
        bench.endTurn()
        let updates = client.take().updates()
        try #require(updates.count == 2 && times[0] != times[1])
        for (update, time) in zip(updates, times) { #expect(update.contains("\(time)Z"), "\(updates)") }
    }

    // MARK: - Forks

    @Test("Chains that fork share what they have in common, and each part has the payers that use it")
    func forks() throws {
        let bench = Bench.ofPipelines()
        let graph = try bench.define(PipelineGraph.text)
        let clients = (0..<3).map { _ in bench.connect() }
        let stages = [#"{"map":"value + 1"}"#, #"{"map":"value * 10"}"#, #"{"map":"value - 3"}"#]
        clients[0].subscribe(1, "[\(stages.joined(separator: ","))]")
        #expect(Set(graph.chains.all.map { ObjectIdentifier($0.segment) }).count == 1)
        clients[1].subscribe(1, "[\(stages[0])]")
        clients[2].subscribe(1, #"[\#(stages[0]),{"map":"value * 100"}]"#)
        let segments = graph.chains.all.map(\.segment)
        #expect(segments.count == 4 && segments[1] === segments[2])
        #expect(segments.map(\.uses.count) == [3, 1, 1, 1])
        #expect(segments.allSatisfy { $0.head != nil })
        try bench.set(graph, [("x", "5")])
        #expect(clients.map { $0.take().updates() } == [[#""v":57"#], [#""v":6"#], [#""v":600"#]])
        clients[0].session.close()
        bench.settle()
        #expect(graph.chains.all.count == 2)
        try bench.set(graph, [("x", "6")])
        #expect(clients[1].take().updates() == [#""v":7"#] && clients[2].take().updates() == [#""v":700"#])
        for client in clients.dropFirst() { client.session.close() }
        bench.settle()
        #expect(graph.chains.all.isEmpty && graph.chains.emissions.isEmpty && graph.isWhole)
    }

    @Test("A fork in mode all gets every value though the chain before it is in mode latest")
    func forkOfAll() throws {
        let bench = Bench.ofPipelines()
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        client.subscribe(1, #"[{"map":"value + 1"}]"#)
        client.subscribe(2, #"[{"map":"value + 1"},{"map":"value * 2"}]"#, #","mode":"all""#)
        for value in 1...3 { try bench.submit(graph, [("x", "\(value)")]) }
        bench.endTurn()
        let messages = client.take()
        #expect(messages.updates(of: 1) == [#""v":4,"n":3"#])
        #expect(messages.updates(of: 2) == [#""v":4"#, #""v":6"#, #""v":8"#])
    }

    // MARK: - Beyond a turn

    @Test("A principal without units waits for those that have some, and is served in a slice of each turn")
    func order() throws {
        let (bench, graph, client, jam) = try late(#"[{"map":"value + 1"}]"#)
        let rich = bench.connect()
        rich.ask(#"{"op":"sub","id":2,"graph":"g","node":"double"}"#)
        try bench.set(graph, [("x", "5")])
        #expect(jam.take().updates() == [#""v":5"#], "the first in the queue")
        #expect(client.take().isEmpty && rich.take().updates(of: 2) == [#""v":10"#])
        #expect(bench.host.nextDeadline == bench.clock.now, "the loop does not sleep")
        bench.later()
        #expect(client.take().updates() == [#""v":6"#])
        #expect(bench.host.nextDeadline == nil)
    }

    @Test("What comes late is folded where only the newest counts")
    func lateFolded() throws {
        let (bench, graph, client, _) = try late(#"[{"map":"value * 10"},{"map":"value + 1"}]"#)
        for value in 1...5 { try bench.submit(graph, [("x", "\(value)")]) }
        bench.endTurn()
        #expect(client.take().isEmpty)
        bench.later()
        #expect(client.take().updates() == [#""v":51,"n":5"#])
        #expect(graph.lateRev == graph.rev)
    }

    @Test("In mode all every late emission comes, with its author, and no older rev after a newer one")
    func lateAll() throws {
        let (bench, graph, client, _) = try late(#"[{"map":"value * 10"}]"#, #","mode":"all""#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","mode":"all"}"#)
        _ = client.take()
        for value in 1...2 { try bench.submit(graph, [("x", "\(value)")], by: "writer \(value)") }
        bench.endTurn()
        #expect(client.take().updates(of: 1).isEmpty)
        for value in 3...4 { try bench.submit(graph, [("x", "\(value)")], by: "writer \(value)") }
        bench.endTurn()
        bench.turn()
        let messages = client.take()
        #expect(messages.updates(of: 1) == (1...4).map { #""v":\#($0 * 10)"# })
        let revs = messages.compactMap { message in
            message.split(separator: #""rev":"#).last.flatMap { Int($0.prefix(while: \.isNumber)) }
        }
        #expect(revs == revs.sorted(), "\(messages)")
        let authors = messages.filter { $0.contains(#"{"id":1,"#) }.map { message in
            (1...4).first { message.contains("writer \($0)") }
        }
        #expect(authors == [1, 2, 3, 4])
    }

    @Test("What comes late has the rev with which its turn began, not that of a commit within it")
    func lateRev() throws {
        let (bench, graph, client, _) = try late(#"[{"map":"value * 10"}]"#, #","mode":"all""#)
        try bench.submit(graph, [("x", "5")])
        bench.endTurn()
        var (before, messages) = (graph.rev, client.take())
        for turn in 0..<20 where messages.isEmpty {
            before = graph.rev
            try bench.submit(graph, [("y", "\(turn)")])
            bench.turn()
            messages = client.take()
        }
        #expect(messages.updates() == [#""v":50"#] && graph.rev == before + 1)
        #expect(messages.first?.contains(#""rev":\#(before),"#) == true, "\(messages)")
    }

    @Test("The state of a value that comes late comes with it, not before")
    func lateFacets() throws {
        let (bench, graph, client, _) = try late(#"[{"map":"value * 10"}]"#, #","facets":true"#)
        var report = Commit(graph: graph)
        report.report(.failed(code: "offline", message: ""), of: try #require(graph.node("x")))
        _ = bench.host.submit(report)
        bench.endTurn()
        #expect(client.take().updates().count == 1)
        try bench.submit(graph, [("x", "5")])
        bench.endTurn()
        #expect(client.take().isEmpty)
        bench.later()
        let updates = client.take().updates()
        #expect(updates.count == 1 && updates[0].hasPrefix(#""v":50,"state":{"#), "\(updates)")
    }

    @Test("mod to mode all: from then on every emission comes; and back")
    func mod() throws {
        let (bench, graph, client, _) = try late(#"[{"map":"value"}]"#)
        client.ask(#"{"op":"mod","id":5,"sub":1,"mode":"all"}"#)
        for value in 1...3 { try bench.submit(graph, [("x", "\(value)")]) }
        bench.settle()
        #expect(client.take().updates().count == 3)
        client.ask(#"{"op":"mod","id":5,"sub":1,"mode":"latest"}"#)
        for value in 4...6 { try bench.submit(graph, [("x", "\(value)")]) }
        bench.settle()
        #expect(client.take().updates() == [#""v":6,"n":3"#])
    }

    @Test("More than a thousand that wait end with slow; others continue")
    func slow() throws {
        let (bench, graph, client, _) = try late(#"[{"map":"value"}]"#, #","mode":"all""#)
        let latest = bench.connect()
        latest.subscribe(1, #"[{"map":"value + 1"}]"#)
        _ = latest.take()
        for value in 0...EmissionRecord.mostWaiting { try bench.submit(graph, [("x", "\(value)")]) }
        bench.settle()
        #expect(client.take().last?.contains(#""id":1,"code":"slow""#) == true)
        #expect(latest.take().updates() == [#""v":\#(EmissionRecord.mostWaiting + 1),"n":1025"#])
    }

    @Test(
        "Many that are slow at once end over several turns, however many nodes go",
        arguments: [false, true]
    )
    func slowCrowd(isShared: Bool) throws {
        let bench = Bench.ofPipelines(burst: 1, held: 1_000_000, work: 100)
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        for id in 1...40 {
            let stages = (1...15).map { #"{"map":"value + \#(isShared ? $0 : 100 * id + $0)"}"# }
            client.subscribe(id, "[\(stages.joined(separator: ","))]", #","mode":"all""#)
            bench.settle()
        }
        try #require(client.session.subscriptionCount == 40)
        _ = client.take()
        let text = "\"" + String(repeating: "t", count: 300_000) + "\""
        for _ in 0..<5 { try bench.submit(graph, [("x", text)]) }
        var (turns, ended) = (0, 0)
        while bench.host.isBehind {
            let released = graph.statistics.released
            bench.turn()
            turns += 1
            try #require(turns < 1_000)
            #expect(graph.statistics.released - released <= 16, "turn \(turns)")
            ended += client.take().count { $0.contains(#""code":"slow""#) }
        }
        #expect(isShared ? ended == 40 : ended >= 20, "\(ended) in \(turns) turns")
    }

    @Test("More bytes that wait than limits.held end with slow as well")
    func heavy() throws {
        let (bench, graph, client, _) = try late(#"[{"map":"value"}]"#, #","mode":"all""#, held: 10_000)
        let text = "\"" + String(repeating: "t", count: 4_000) + "\""
        for _ in 0..<3 { try bench.submit(graph, [("x", text)]) }
        #expect(!bench.host.pipelines.slow.isWaiting, "two besides the first")
        try bench.submit(graph, [("x", text)])
        #expect(bench.host.pipelines.slow.isWaiting)
        #expect(client.take().isEmpty, "another client's commit does not take the time to end it")
        bench.settle()
        #expect(client.take().last?.contains(#""id":1,"code":"slow""#) == true)
    }

    @Test("A pipeline that several share runs at once while one of them has room")
    func shared() throws {
        let bench = Bench.ofPipelines(burst: 2_000)
        let graph = try bench.define(PipelineGraph.text)
        let pipe = "[\(PipelineGraph.expensive(50))]"
        let greedy = bench.connect()
        greedy.subscribe(1, pipe)
        let modest = bench.connect()
        modest.subscribe(1, pipe)
        try #require(graph.chains.all.count == 1)
        greedy.subscribe(99, "[\(PipelineGraph.expensive(600, 99))]", to: "y")
        _ = bench.jam()
        _ = greedy.take()
        try bench.set(graph, [("x", "5")])
        #expect(modest.take().updates() == [#""v":5"#] && greedy.take().updates() == [#""v":5"#])
    }

    @Test("What waits counts 256 bytes besides its text, and goes with its session")
    func waiting() throws {
        let (bench, graph, client, _) = try late("[]")
        for id in 1...10 { client.subscribe(id, #"[{"map":"value + \#(id)"}]"#, #","mode":"all""#) }
        bench.settle()
        let account = try #require(client.session.subscription(2)?.pipeline?.account)
        let before = account.held
        for value in 0..<401 { try bench.submit(graph, [("x", "\(value)")]) }
        // The first one is the node's own value, and there are nine: the id 1 is taken.
        #expect((9 * 400 * 256..<9 * 400 * 272).contains(account.held - before))
        client.session.close()
        bench.settle()
        #expect(account.held == 0 && graph.isWhole)
    }

    @Test("A host that goes lets everything go that waits: pipelines, requests, questions to producers")
    func freed() throws {
        weak var graph: LiveGraph?
        weak var meter: StageMeter?
        weak var head: Head?
        do {
            let (bench, made, client, _) = try late(#"[{"map":"value"}]"#, #","mode":"all","keep":60000"#)
            client.send(#"{"op":"demand","id":3,"graph":"g","nodes":["x","y"]}"#)
            client.send(#"{"op":"set","id":4,"graph":"g","clear":["y"]}"#)
            client.send(#"{"op":"get","id":5,"graph":"g","node":"y","load":true}"#)
            try bench.submit(made, [("x", "3")])
            let chain = try #require(client.session.subscription(1)?.pipeline?.chain)
            bench.endTurn()
            client.send(#"{"op":"sub","id":9,"graph":"g","node":"x","pipe":[{"map":"value"}]}"#)
            #expect(chain.isBehind && bench.host.isBehind && !made.chains.emissions.isEmpty)
            (graph, meter, head) = (made, chain.meter, chain.segment.head)
        }
        #expect(graph == nil && meter == nil && head == nil)
    }

    // MARK: - Who looks

    @Test("Who looks at a chain that is behind runs it first, and pays: sub, eval, a ticket")
    func looking() throws {
        let pipe = #"[{"map":"value * 10"},{"map":"value + 1"}]"#
        let (bench, graph, client, _) = try late(pipe, #","keep":60000"#)
        let rich = bench.connect()
        try bench.submit(graph, [("x", "5")])
        let owner = try #require(client.session.subscription(1)?.pipeline?.account)
        let before = owner.room
        rich.send(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":\#(pipe)}"#)
        #expect(rich.take().first?.contains(#""v":51"#) == true)
        #expect(graph.chains.all.count == 3, "it is shared")
        let payer = try #require(rich.session.subscription(1)?.pipeline?.account)
        #expect(owner.room == before && payer.room < bench.host.limits.pipelineBurst)
        try bench.submit(graph, [("x", "6")])
        let question = #"{"node":"x","pipe":\#(pipe)}"#
        let answer = try question.withBorrowedBytes { bytes in
            try GraphView(graph, for: .full).evaluate(bytes)
        }
        #expect(String(decoding: answer, as: UTF8.self).contains(#""v":61"#))
        bench.settle()
        #expect(client.take().updates() == [#""v":61,"n":2"#] && rich.take().updates() == [#""v":61"#])
        client.session.close()
        rich.session.close()
        bench.settle()
        #expect(graph.isWhole)
    }

    @Test("Without units the answer waits, and later requests of the same client wait for it")
    func waitingLook() throws {
        let pipe = #"[{"map":"value * 10"}]"#
        let (bench, graph, client, _) = try late(pipe)
        let other = bench.connect()
        other.subscribe(1, "[\(PipelineGraph.expensive(600, 7))]", to: "y")
        bench.settle()
        _ = other.take()
        try bench.submit(graph, [("x", "5")])
        other.send(#"{"op":"sub","id":2,"graph":"g","node":"x","pipe":\#(pipe)}"#)
        other.send(#"{"op":"ping","id":3}"#)
        bench.endTurn()
        #expect(other.take().isEmpty)
        bench.settle()
        let answers = other.take()
        #expect(answers.count == 2 && answers[0].contains(#""op":"snap","id":2"#))
        #expect(answers[0].contains(#""v":50,"#) && answers[1].contains(#""id":3"#))
        #expect(client.take().updates() == [#""v":50"#])
        try bench.set(graph, [("x", "6")])
        bench.settle()
        #expect(other.take().updates(of: 2) == [#""v":60"#])
    }

    @Test("A live picture runs nothing and waits for nothing: it marks a chain that is behind")
    func picture() throws {
        let (bench, graph, client, _) = try late(#"[{"map":"value * 10"}]"#)
        let view = try GraphView(graph, for: .full)
        func picture() throws -> String {
            String(decoding: try view.picture(.json, live: true), as: UTF8.self)
        }
        #expect(try !picture().contains(#""behind""#))
        let emissions = graph.chains.all.map(\.node.emissionCount)
        try bench.submit(graph, [("x", "5")])
        #expect(try picture().contains(#""behind":true,"v":10,"#))
        #expect(graph.chains.all.map(\.node.emissionCount) == emissions)
        bench.settle()
        #expect(try !picture().contains(#""behind""#))
        #expect(client.take().updates() == [#""v":50"#])
    }

    @Test("Who waits for a chain and goes, leaves nothing")
    func waitingLookGone() throws {
        let pipe = #"[{"map":"value * 10"}]"#
        for ending in 0..<3 {
            let (bench, graph, client, jam) = try late(pipe)
            let other = bench.connect()
            other.subscribe(1, "[\(PipelineGraph.expensive(600, 7))]", to: "y")
            bench.settle()
            try bench.submit(graph, [("x", "5")])
            other.send(#"{"op":"sub","id":2,"graph":"g","node":"x","pipe":\#(pipe)}"#)
            switch ending {
            case 0: other.session.close()
            case 1: client.session.close()
            default: if case .refused(let error) = bench.host.remove(graph) { throw error }
            }
            bench.settle()
            for client in [client, other, jam] where !client.session.isClosed { client.session.close() }
            bench.settle()
            #expect(graph.chains.all.isEmpty && graph.isWhole && !bench.host.isBehind)
        }
    }

    @Test("First values are computed within the request, and charged")
    func opening() throws {
        let bench = Bench.ofPipelines(burst: 100)
        _ = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        let before = bench.host.pipelines.total
        let pipe = "[" + (0..<8).map { PipelineGraph.expensive(400, $0) }.joined(separator: ",") + "]"
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":\#(pipe)}"#)
        #expect(client.take().first?.contains(#""v":1,"#) == true)
        let spent = bench.host.pipelines.total - before
        #expect(spent > 20_000)
        let account = try #require(client.session.subscription(1)?.pipeline?.account)
        #expect(account.room <= 100 - spent)
    }

    @Test("A client that resumes where something was late gets the value again")
    func resume() throws {
        let pipe = #"[{"map":"value * 10"}]"#
        let (bench, graph, client, _) = try late(pipe)
        try bench.set(graph, [("x", "5")])
        client.session.close()
        bench.settle()
        let again = bench.connect()
        let since = #","since":{"epoch":"e1","rev":\#(graph.rev)}"#
        // Its chain is a new one; whether the value was late for the former one is not known.
        #expect(again.subscribe(1, pipe, since).first?.contains(#""resumed":true"#) == true)
    }

    // MARK: - Facets and release

    @Test("The facets of a pipeline come with the value of the same commit")
    func facets() throws {
        let bench = Bench.ofPipelines()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"k":{"set":"any","initial":"a"},"a":{"set":"any","initial":1},"b":{"set":"any","initial":2}}}"#
        )
        let client = bench.connect()
        client.ask(
            #"{"op":"sub","id":1,"graph":"g","flatten":{"from":"k","to":{"a":"a","b":"b"}},"pipe":[{"map":"value * 10"}],"facets":true,"mode":"all"}"#
        )
        client.ask(#"{"op":"load","id":2,"graph":"g","node":"b","error":{"code":"broken"}}"#)
        try bench.submit(graph, [("k", #""b""#)])
        bench.endTurn()
        let messages = client.take()
        #expect(messages.count == 1, "\(messages)")
        #expect(messages[0].contains(#""v":20"#) && messages[0].contains("broken"))
    }

    @Test("Whatever waits goes with its subscription, its connection and its graph")
    func release() throws {
        let (bench, graph, client, _) = try late(#"[{"map":"value + 1"}]"#, #","mode":"all""#)
        for value in 0..<3 { try bench.submit(graph, [("x", "\(value)")]) }
        client.send(#"{"op":"unsub","id":1}"#)
        let second = bench.connect()
        second.subscribe(1, #"[{"map":"value + 1"}]"#, #","mode":"all""#)
        for value in 0..<3 { try bench.submit(graph, [("x", "\(value)")]) }
        second.session.close()
        let third = bench.connect()
        third.subscribe(1, #"[{"map":"value + 1"}]"#)
        try bench.submit(graph, [("x", "9")])
        _ = bench.host.remove(graph)
        bench.settle()
        #expect(third.take().contains { $0.contains("node_removed") })
        #expect(graph.chains.all.isEmpty && graph.core.counts.liveNodes == 0)
    }
}
