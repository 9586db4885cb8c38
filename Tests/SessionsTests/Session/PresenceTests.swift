import Commits
import LogTestSupport
import Testing
import Values

@testable import Graphs
@testable import Sessions

/// Nodes that stand for a connection (W-62), where the log takes its time or
/// takes nothing.
@Suite("Presence with a log")
struct PresenceTests {
    private let log = FaultyLog(isSlow: true)
    private let bench: Bench
    private let graph: LiveGraph

    init() throws {
        log.isSlow = false
        bench = Bench(log: log)
        graph = try bench.define(#"{"graph":"g","nodes":{"x":{"set":"any","initial":1},"y":{"set":"any"}}}"#)
        log.isSlow = true
    }

    /// A client that has sent these messages, none of which the log has answered.
    private func client(_ messages: String...) -> Client {
        let client = bench.connect()
        for message in messages { client.send(message) }
        return client
    }

    private static let claim = #"{"op":"set","id":1,"graph":"g","set":{"y":"here"},"presence":true}"#
    private static let renewal = #"{"op":"set","id":2,"graph":"g","set":{"y":"busy"}}"#

    @Test(
        "A node stays a connection's presence when it is set again before the log has answered",
        arguments: [
            [claim, renewal], [claim, renewal, renewal], [claim, #"{"op":"ping","id":9}"#, renewal],
        ]
    )
    func renewedWhilePending(messages: [String]) throws {
        let client = bench.connect()
        for message in messages { client.send(message) }
        log.confirm()
        log.confirm()
        #expect(try bench.read(graph, "y") == "\"busy\"")
        client.session.close(.reset)
        log.confirm()
        #expect(try bench.read(graph, "y") == "empty")
    }

    @Test("The same where the first claim is answered, and where the session ends before the answers")
    func renewedBehindAnswer() throws {
        let client = client(Self.claim)
        log.confirm()
        client.send(Self.renewal)
        client.send(Self.renewal)
        client.session.close(.reset)
        log.confirm(2)
        #expect(try bench.read(graph, "y") == "\"busy\"")
        log.confirm()
        #expect(try bench.read(graph, "y") == "empty")
    }

    @Test("A value that another client sets in between is no longer a presence")
    func takenInBetween() throws {
        let client = client(Self.claim)
        let other = bench.connect()
        other.send(#"{"op":"set","id":1,"graph":"g","set":{"y":"mine"}}"#)
        client.send(Self.renewal)
        log.confirm()
        client.session.close(.reset)
        log.confirm()
        #expect(try bench.read(graph, "y") == "\"busy\"")
    }

    @Test("A set that the log refused claims nothing, and what was claimed before stays claimed")
    func refusedRenewal() throws {
        let client = client(Self.claim)
        log.confirm()
        client.send(Self.renewal)
        log.lose(HostError(.engineDown, "gone"))
        #expect(try bench.read(graph, "y") == "\"here\"")
        client.session.close(.reset)
        log.confirm()
        #expect(try bench.read(graph, "y") == "empty")
    }

    @Test(
        "A set that was pending when the session ended, and is refused, leaves no presence",
        arguments: [true, false]
    )
    func refusedBehindTheEnd(isOwn: Bool) throws {
        let client = client(Self.claim)
        log.confirm()
        (isOwn ? client : bench.connect()).send(Self.renewal)
        client.session.close(.reset)
        bench.pass(1_500)
        log.lose(HostError(.engineDown, "away"))
        #expect(try bench.read(graph, "y") == "\"here\"")
        bench.pass(1_000)
        log.confirm()
        #expect(try bench.read(graph, "y") == "empty")
        bench.pass(1_000)
        #expect(bench.host.nextDeadline == nil)
    }

    @Test("A pending claim does not keep an unused host alive")
    func abandoned() throws {
        weak var host: Host?
        do {
            let log = FaultyLog()
            let bench = Bench(log: log)
            _ = try bench.define(#"{"graph":"g","nodes":{"y":{"set":"any"}}}"#)
            log.isSlow = true
            let client = bench.connect()
            client.send(Self.claim)
            client.session.close(.reset)
            host = bench.host
        }
        #expect(host == nil)
    }

    /// How a log may fail to clear what stood for a session.
    enum Failure: CaseIterable {
        case refused, lost, unreachable
    }

    @Test("A log that does not take it is asked again until it does", arguments: Failure.allCases)
    func clearedLater(failure: Failure) throws {
        let client = client(Self.claim)
        log.confirm()
        switch failure {
        case .refused: log.refusal = HostError(.engineDown, "away")
        case .lost: break
        case .unreachable: log.health = .outOfReach
        }
        client.session.close(.reset)
        if failure == .lost { log.lose(HostError(.engineDown, "away")) }
        bench.pass(2_500)
        log.refusal = nil
        log.health = .ready
        #expect(try bench.read(graph, "y") == "\"here\"")
        bench.pass(1_000)
        log.confirm()
        #expect(try bench.read(graph, "y") == "empty")
        #expect(graph.course.commits == 3, "once")
        #expect(bench.host.nextDeadline == nil)
    }

    @Test("A value set meanwhile is not cleared then")
    func setMeanwhile() throws {
        let client = client(Self.claim)
        log.confirm()
        log.refusal = HostError(.noSpace, "full")
        client.session.close(.reset)
        bench.endTurn()
        log.refusal = nil
        log.isSlow = false
        try bench.set(graph, [("y", "2")])
        bench.pass(3_000)
        #expect(try bench.read(graph, "y") == "2")
        #expect(graph.rev == 3)
        #expect(bench.host.nextDeadline == nil)
    }

    private static let keyed =
        #"{"op":"set","id":1,"graph":"g","set":{"y":"here"},"presence":true,"key":"k"}"#

    private func confirmAll() {
        while log.pending > 0 { log.confirm(1) }
        bench.endTurn()
    }

    @Test("A claim repeated under its key belongs to who repeats it, also if it was cleared meanwhile")
    func presenceRepeatedInFlight() throws {
        let (first, second) = (client(Self.keyed), client(Self.keyed))
        #expect(log.pending == 1)
        first.session.close(.reset)
        confirmAll()
        #expect(second.take().count == 1)
        #expect(try bench.read(graph, "y") == "\"here\"")
        second.session.close(.reset)
        let third = client(Self.keyed)
        confirmAll()
        #expect(third.take().count == 1)
        #expect(try bench.read(graph, "y") == "\"here\"")
        third.session.close(.reset)
        confirmAll()
        #expect(try bench.read(graph, "y") == "empty")
    }

    @Test("The same where both wait for a change of the definition")
    func presenceRepeatedWhileChanging() throws {
        let changed = #"{"graph":"g","nodes":{"x":{"set":"any"},"y":{"set":"any"},"z":{"from":"y"}}}"#
        _ = bench.host.redefine(graph, as: try bench.definition(changed))
        let (first, second) = (client(Self.keyed), client(Self.keyed))
        confirmAll()
        #expect(second.take() == [#"{"op":"ok","id":1,"epoch":"e1","rev":3,"replayed":true}"#])
        first.session.close(.reset)
        confirmAll()
        #expect(try bench.read(graph, "y") == "\"here\"")
        second.session.close(.reset)
        confirmAll()
        #expect(try bench.read(graph, "y") == "empty")
    }

    @Test("A repeated claim that the log refuses is refused, so that the client tries again")
    func presenceRepeatedRefused() throws {
        let first = client(Self.keyed)
        confirmAll()
        let second = client(Self.keyed)
        #expect(log.pending == 1)
        log.lose(HostError(.engineDown, "down"))
        #expect(second.take().first?.contains("engine_down") == true)
        second.send(Self.keyed)
        first.session.close(.reset)
        confirmAll()
        #expect(try bench.read(graph, "y") == "\"here\"")
    }
}
