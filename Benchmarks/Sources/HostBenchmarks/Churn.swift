import CAllocations
import Graphs
import Sessions

/// Live heap after each tenth of so many clients, with owners of their own, that came, needed
/// members of families and all of them, and vanished in different ways.
func tellChurn(_ count: Int) throws {
    let stand = try Stand(
        #""s.{id}":{"set":"number"},"d.{id}":{"from":"s.{id}","pipe":[{"map":"value * 2"}]},"mean":{"all":"s.*","reduce":"avg"}"#
    )
    for member in 0..<100 { stand.set("s.base-\(member)") }
    print("| clients | live bytes | nodes | processor time each, µs |\n|---|---|---|---|")
    var number = 0
    for tenth in 1...10 {
        let start = thread_nanoseconds()
        let first = number
        while number < count * tenth / 10 {
            stand.come(and: number % 5, number)
            number += 1
        }
        let each = Int(thread_nanoseconds() - start) / max(1, number - first) / 1_000
        stand.rest()
        print("| \(number) | \(allocations_live_bytes()) | \(stand.graph.statistics.nodes) | \(each) |")
    }
}

extension Stand {
    /// One client comes, and goes in one of five ways.
    fileprivate func come(and way: Int, _ number: Int) {
        let session = connect()
        let keep = way == 4 ? #","keep":"5s""# : ""
        let owner = #""owner":["panel","dialog"]"#
        session.hear(#"{"op":"sub","id":1,"graph":"g","node":"d.\(number)",\(owner)\(keep)}"#)
        session.hear(#"{"op":"sub","id":2,"graph":"g","all":"s.*","reduce":"max","owner":"panel"}"#)
        session.hear(#"{"op":"sub","id":3,"graph":"g","nodes":["s.base-1*","s.\(number)"]}"#)
        set("s.base-1")
        switch way {
        case 0: session.close(.closed)
        case 1: session.close(.reset)
        case 2:
            for name in ["panel", "dialog"] { session.hear(#"{"op":"release","id":9,"owner":"\(name)"}"#) }
            session.close(.timeout)
        case 3:
            for id in 1...3 { session.hear(#"{"op":"unsub","id":\(id)}"#) }
            session.close(.closed)
        default: session.close(.reset)
        }
        clock.advance(by: 10)
        host.advance()
        host.flush()
    }

    /// What is kept for clients ends.
    fileprivate func rest() {
        for _ in 0..<3 {
            clock.advance(by: 10_000)
            host.advance()
            host.flush()
        }
    }
}
