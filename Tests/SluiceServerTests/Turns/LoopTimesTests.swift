import Testing

@testable import SluiceServer

@Suite("What clients wait for is counted by the clock of the turns")
struct LoopTimesTests {
    private func count(_ times: TimeHistogram) -> UInt64 { times.counts.reduce(0, +) }

    @Test("all that begins and ends in a turn counts as the turn")
    func atOnce() {
        var times = LoopTimes()
        times.endTurn(from: 1000, delivering: 3000, to: 4000, requests: 5, commits: 2, lateCommits: [])
        #expect(count(times.turn) == 1 && times.turn.sum == 3000)
        #expect(count(times.propagation) == 1 && times.propagation.sum == 2000)
        #expect(count(times.delivery) == 1 && times.delivery.sum == 1000)
        #expect(count(times.request) == 5 && times.request.sum == 15_000)
        #expect(count(times.commit) == 2 && times.commit.sum == 6000)
    }

    @Test("a turn without commits has neither propagation nor delivery")
    func quiet() {
        var times = LoopTimes()
        times.endTurn(from: 1000, delivering: 0, to: 4000, requests: 0, commits: 0, lateCommits: [])
        #expect(count(times.turn) == 1)
        #expect(
            count(times.propagation) + count(times.delivery) + count(times.request) + count(times.commit) == 0
        )
    }

    @Test("what waits for the log counts from the turn in which it came")
    func late() {
        var times = LoopTimes()
        times.waits()
        times.endTurn(from: 1000, delivering: 0, to: 2000, requests: 1, commits: 0, lateCommits: [])
        #expect(count(times.request) == 0)
        times.answered(sinceTurnAt: 1000)
        times.endTurn(
            from: 60_001_000,
            delivering: 60_001_500,
            to: 60_002_000,
            requests: 1,
            commits: 1,
            lateCommits: [1000]
        )
        #expect(count(times.request) == 1 && times.request.sum == 60_001_000)
        #expect(count(times.commit) == 1 && times.commit.sum == 60_001_000)
        #expect(
            times.commit.counts.firstIndex(of: 1).map { TimeHistogram.bounds[$0].seconds.description }
                == "0.1"
        )
    }

    @Test("a request that waits for a thread and then for the log counts once")
    func waitsTwice() {
        var times = LoopTimes()
        func endTurn(_ requests: UInt64) {
            times.endTurn(
                from: 1000,
                delivering: 0,
                to: 2000,
                requests: requests,
                commits: 0,
                lateCommits: []
            )
        }
        times.waits()
        endTurn(1)
        times.waits()
        times.waitsOn()
        endTurn(1)
        times.answered(sinceTurnAt: 1000)
        endTurn(1)
        #expect(count(times.request) == 1)
        endTurn(2)
        #expect(count(times.request) == 2)
    }

    @Test("a commit of the start has no turn to count from")
    func start() {
        var times = LoopTimes()
        times.endTurn(from: 1000, delivering: 1500, to: 2000, requests: 0, commits: 1, lateCommits: [0])
        #expect(count(times.commit) == 0)
    }

    @Test("a step has the times up to its bound")
    func steps() {
        var times = TimeHistogram()
        for bound in TimeHistogram.bounds { times.record(TimeHistogram.Span(bound.nanoseconds)) }
        times.record(TimeHistogram.Span(.max))
        #expect(times.counts.allSatisfy { $0 == 1 })
    }
}
