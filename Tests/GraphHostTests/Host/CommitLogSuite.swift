@testable import GraphHost
import Testing

/// What every commit log must do, whatever it is made of.
///
/// A log's own test calls this with a way to make one and a way to let it finish what it has been given.
func checkCommitLog<Log: CommitLog>(
    _ make: () throws -> Log,
    finish: (Log) -> Void = { _ in }
) throws {
    let log = try make()
    #expect(log.health == .ready)
    let listener = LogListener()
    let host = Host(log: log, clock: ManualHostClock())
    log.follower = listener
    let position = try log.open(graph: "a")
    #expect(position.rev == 0)
    #expect((1...32).contains(position.epoch.utf8.count))

    let definition = GraphDefinition.read(
        try Document.parse(json: #"{"graph":"a","nodes":{"x":{"set":"any"}}}"#),
        file: nil
    )
    let other = GraphDefinition.read(
        try Document.parse(json: #"{"graph":"b","nodes":{"x":{"set":"any"}}}"#),
        file: nil
    )
    let graphs = try [definition, other].map {
        LiveGraph(try #require($0.definition), host: host, position: position)
    }
    // Two graphs, interleaved, with a clock that also stands still and runs back.
    var ticket: UInt64 = 0
    var expected: [UInt64: String] = [:]
    for (place, wall) in [100, 100, 250, 90, 300, 300, 10, 400].enumerated() {
        for graph in graphs where place % 2 == 0 || graph.name == "a" {
            ticket += 1
            expected[ticket] = graph.name
            listener.note(log.append(Commit(graph: graph), wall: UInt64(wall), ticket: ticket), of: ticket)
        }
    }
    finish(log)
    #expect(Set(listener.answers.map(\.ticket)) == Set(expected.keys), "each commit is answered once")
    #expect(listener.answers.count == expected.count)
    for graph in ["a", "b"] {
        let own = listener.answers.filter { expected[$0.ticket] == graph }
        #expect(own.map(\.ticket) == own.map(\.ticket).sorted(), "in order of appending")
        #expect(own.map(\.stamp.rev) == Array(1...UInt64(own.count)), "revs rise by one")
        #expect(own.map(\.stamp.time) == own.map(\.stamp.time).sorted(), "times never fall")
    }
    let now = try log.open(graph: "a")
    #expect(now.rev == UInt64(expected.values.filter { $0 == "a" }.count), "the history goes on")
    #expect(now.epoch == position.epoch)
    #expect(now.time == 400)
}

private final class LogListener: CommitLogFollower {
    private(set) var answers: [(ticket: UInt64, stamp: LogStamp)] = []

    func note(_ answer: LogAnswer, of ticket: UInt64) {
        if case .committed(let stamp) = answer { answers.append((ticket, stamp)) }
    }

    func log(committed ticket: UInt64, at stamp: LogStamp) {
        answers.append((ticket, stamp))
    }

    func log(refused ticket: UInt64, because error: HostError) {}
    func logHealthChanged() {}
    func log(lostEpochOf graph: String) {}
}

@Suite("Commit logs")
struct CommitLogTests {
    @Test("The memory log keeps the promises of a log")
    func memory() throws {
        try checkCommitLog { MemoryLog(epoch: "e") }
    }

    @Test("So does the log that answers late")
    func delaying() throws {
        try checkCommitLog({ DelayingLog() }, finish: { $0.confirm() })
    }
}
