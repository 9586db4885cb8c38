import Definitions

@testable import Graphs

extension Bench {
    /// A host whose principals may spend `burst` units at once.
    static func ofPipelines(burst: Int = 10_000, held: Int = 16 << 20, work: UInt64 = 1_500) -> Bench {
        var limits = SessionLimits.ample
        limits.work = work
        limits.pipelineUnits = burst * 500
        limits.held = held
        return Bench(limits: limits)
    }

    /// A turn of the loop in which nothing else happens.
    func turn() {
        host.advance()
        endTurn()
    }

    /// Turns until nothing is behind: after a long run the slices of some turns rest.
    func later() {
        repeat { turn() } while host.isBehind
    }

    /// A client above its share whose pipeline of `x` takes the slice of a turn: what is subscribed
    /// after it by others above their share comes in the next turn.
    func jam(count: Int = 1) -> Client {
        let client = connect()
        for id in 1...count { client.subscribe(id, "[\(PipelineGraph.expensive(600, 1_000 + id))]") }
        settle()
        _ = client.take()
        return client
    }
}
