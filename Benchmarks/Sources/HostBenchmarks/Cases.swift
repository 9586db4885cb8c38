import CAllocations
import Graphs
import Sessions

/// One thing a host does again and again.
struct HostCase {
    let name: String
    /// Gives the work of one time.
    let prepare: () throws -> () -> Void
}

func hostCases() -> [HostCase] {
    [
        HostCase(name: "set") { try setting("") },
        HostCase(name: "set with map") { try setting(pipe(#"{"map":"value + 1"}"#)) },
        HostCase(name: "set with map and two combines") {
            try setting(
                #""a":{"from":"n0","pipe":[{"map":"value + 1"}],"retain":"always"},"b":{"combine":{"a":"a","n":"n1"},"map":"a + n","retain":"always"},"c":{"combine":{"a":"a","b":"b"},"map":"a * b","retain":"always"}"#
            )
        },
        HostCase(name: "set with skip, distinct, scan") {
            try setting(pipe(#"{"skip":1},"distinct",{"scan":{"start":0,"with":"acc + value"}}"#))
        },
        HostCase(name: "set with window of 100, average") {
            try setting(pipe(#"{"window":{"count":100,"of":"avg"}}"#))
        },
        HostCase(name: "set with window of a minute, maximum") {
            try setting(pipe(#"{"window":{"last":"1m","of":"max"}}"#))
        },
        HostCase(name: "set of one of 100,000 members") { try setting(among: "") },
        HostCase(name: "set of one of 100,000 members, average") { try setting(among: all("avg")) },
        HostCase(name: "set of one of 100,000 members, maximum") { try setting(among: all("max")) },
        HostCase(name: "birth of a member by a set") {
            let stand = try Stand(#""m.{id}":{"set":"number"}"#)
            var member = 0
            return {
                member += 1
                stand.set("m.\(member)")
            }
        },
        HostCase(name: "set with debounce") { try setting(pipe(#"{"debounce":"1s"}"#)) },
        HostCase(name: "set with zip") { try setting(#""d":{"zip":["n0","n0"],"retain":"always"}"#) },
        HostCase(name: "1,000 deliveries, latest") { try delivering(#""mode":"latest""#) },
        HostCase(name: "1,000 deliveries, all") { try delivering(#""mode":"all""#) },
        HostCase(name: "sub and unsub") { try subscribing(#""node":"n0""#) },
        HostCase(name: "sub and unsub of a pipeline that others have") {
            try subscribing(#""node":"n0","pipe":[{"map":"value + 1"}]"#, keeping: true)
        },
        HostCase(name: "sub and unsub of eight nodes") {
            try subscribing(#""nodes":["n1","n2","n3","n4","n5","n6","n7","n8"]"#)
        },
        HostCase(name: "connect, sub and close") {
            let stand = try Stand()
            return {
                let session = stand.connect()
                session.hear(#"{"op":"sub","id":1,"graph":"g","node":"n0"}"#)
                session.close()
                stand.host.flush()
            }
        },
        // At most 2,000 times.
        HostCase(name: "close with a subscription") {
            let stand = try Stand()
            var sessions = (0..<2_000).map { _ in stand.connect() }
            for session in sessions { session.hear(#"{"op":"sub","id":1,"graph":"g","node":"n0"}"#) }
            stand.host.flush()
            return {
                sessions.removeLast().close()
                stand.host.flush()
            }
        },
    ]
}

private func pipe(_ stages: String) -> String {
    #""d":{"from":"n0","pipe":[\#(stages)],"retain":"always"}"#
}

private func setting(_ derived: String) throws -> () -> Void {
    let stand = try Stand(derived)
    return { stand.set() }
}

private func all(_ reduce: String) -> String {
    #","d":{"all":"m.*","reduce":"\#(reduce)","retain":"always"}"#
}

private func setting(among derived: String) throws -> () -> Void {
    let stand = try Stand(#""m.{id}":{"set":"number"}"# + derived)
    for member in 0..<100_000 { stand.set("m.\(member)") }
    return { stand.set("m.7") }
}

private func delivering(_ mode: String) throws -> () -> Void {
    let stand = try Stand()
    let sessions = (0..<1_000).map { _ in stand.connect() }
    for session in sessions { session.hear(#"{"op":"sub","id":1,"graph":"g","node":"n0",\#(mode)}"#) }
    stand.host.flush()
    return { withExtendedLifetime(sessions) { stand.set() } }
}

private func subscribing(_ what: String, keeping: Bool = false) throws -> () -> Void {
    let stand = try Stand()
    let (keeper, session) = (stand.connect(), stand.connect())
    if keeping { keeper.hear(#"{"op":"sub","id":1,"graph":"g",\#(what)}"#) }
    return {
        withExtendedLifetime(keeper) {
            session.hear(#"{"op":"sub","id":1,"graph":"g",\#(what)}"#)
            session.hear(#"{"op":"unsub","id":1}"#)
            stand.host.flush()
        }
    }
}

// MARK: - Memory

/// What one more of each costs: the difference of many and twice as many.
func tellMemory() throws {
    print("| | live bytes | allocations |\n|---|---|---|")
    try tell("session") { count in
        let stand = try Stand()
        return [stand] + (0..<count).map { _ in stand.connect() }
    }
    try tell("session with a subscription") { count in
        let stand = try Stand()
        let sessions = (0..<count).map { _ in stand.connect() }
        for session in sessions { session.hear(#"{"op":"sub","id":1,"graph":"g","node":"n0"}"#) }
        stand.host.flush()
        return [stand] + sessions
    }
    try tell("one more subscription of a session") { count in
        let stand = try Stand()
        let session = stand.connect()
        for id in 1...count { session.hear(#"{"op":"sub","id":\#(id),"graph":"g","node":"n0"}"#) }
        stand.host.flush()
        return [stand, session]
    }
}

private func tell(_ what: String, _ make: (Int) throws -> [AnyObject]) throws {
    var kept = [try make(1)]
    func cost(_ count: Int) throws -> (bytes: Double, blocks: Double) {
        let (bytes, blocks) = (allocations_live_bytes(), allocations_total())
        kept.append(try make(count))
        return (Double(allocations_live_bytes()) - Double(bytes), Double(allocations_total() - blocks))
    }
    // Powers of two, so that tables that double are as full both times.
    let (few, many) = (try cost(2_048), try cost(4_096))
    let bytes = Int((many.bytes - few.bytes) / 2_048), blocks = Int((many.blocks - few.blocks) / 2_048)
    print("| \(what) | \(bytes) | \(blocks) |")
    withExtendedLifetime(kept) {}
}
