import CAllocations
import Graphs
import Sessions
import Support
import Values

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// What members of families cost: memory, births, and what an `all` over them adds to a set.

/// How a fleet is brought to life.
private struct Fleet {
    let what: String
    /// What the definition says besides the type.
    var rules = ""
    var derived = ""
    /// How many members one commit sets.
    var batch = 1
    /// The name of the family, in which `{r}` is one of the rooms, if there are any.
    var family = "sensor.{id}.celsius"

    static let rooms = 10_000

    func name(_ number: Int) -> String {
        family.replacing("{id}", with: "\(1_000_000 + number)")
            .replacing("{r}", with: "\(number % Self.rooms)")
    }
}

private let room = "room.{r}.sensor.{id}.celsius"
private let last = "sensor.{id}.room.{r}"

/// A mean for each room.
private func groups(_ family: String) -> String {
    #","mean.{r}":{"all":"\#(family)","reduce":"avg"}"#
}

/// Keeps all means alive.
private let living = #","means":{"all":"mean.*","reduce":"count","retain":"always"}"#

/// Memory and processor time of so many members, one table for each.
///
/// Freed memory is used again, so resident memory is right only for the first table of a
/// process.
func tellMembers(_ count: Int, only word: String) throws {
    let fleets = [
        Fleet(what: "set one by one"),
        Fleet(what: "with bounds and `expire`", rules: #","min":-60,"max":150,"expire":"10m""#),
        Fleet(what: "1,000 a commit", batch: 1_000),
        Fleet(
            what: "with `avg` of all",
            derived: #","mean":{"all":"sensor.*.celsius","reduce":"avg","retain":"always"}"#
        ),
        Fleet(
            what: "in rooms, with `avg` of all",
            derived: #","mean":{"all":"room.*.celsius","reduce":"avg","retain":"always"}"#,
            family: room
        ),
        Fleet(what: "in rooms, without living groups", derived: groups(room), family: room),
        Fleet(what: "in rooms, with `avg` of each", derived: groups(room) + living, family: room),
        Fleet(what: "with the room last, and `avg` of each", derived: groups(last) + living, family: last),
    ]
    print("\(count) members\n")
    print(
        "| | heap, bytes each | resident, bytes each | birth and first set, ns | set, ns | longest turn, ms | its group, ns |"
    )
    print("|---|---|---|---|---|---|---|")
    for fleet in fleets where word.isEmpty || fleet.what.contains(word) { try tell(fleet, count) }
}

/// Bytes are those beside value and name: the benchmark holds the values, and takes off what a name
/// takes.
private func tell(_ fleet: Fleet, _ count: Int) throws {
    let stand = try Stand(#""\#(fleet.family)":{"set":"number"\#(fleet.rules)}"# + fleet.derived)
    stand.host.flush()
    let before = allocations_live_bytes()
    let names = (0..<count).map(fleet.name)
    // The graph has names of its own.
    let name = Double(allocations_live_bytes() - before) / Double(count) - Double(MemoryLayout<String>.stride)
    let data = try (0..<count).map { try Datum.parse("\($0 % 100).5") }
    let (heap, resident) = (allocations_live_bytes(), residentBytes())
    let births = stand.set(names, to: data, by: fleet.batch)
    let grown = Double(allocations_live_bytes()) - Double(heap)
    allocations_trim()
    let shown = Double(residentBytes()) - Double(resident)
    let sets = stand.set(names, to: data, by: fleet.batch)
    let longest = max(births.longest, sets.longest) / .microseconds(10)
    let groups = fleet.derived.contains("mean.{r}") ? "\(stand.readGroups(of: count))" : "–"
    print(
        "| \(fleet.what) | \(Int(grown / Double(count) - name)) | \(Int(shown / Double(count) - name)) |",
        "\(Int(births.total) / count) | \(Int(sets.total) / count) | \(longest.rounded() / 100) | \(groups) |"
    )
    withExtendedLifetime((names, data)) {}
}

extension Stand {
    /// Reads all groups, which builds and releases those that do not live.
    ///
    /// - Returns: nanoseconds for each member.
    fileprivate func readGroups(of members: Int) -> Int {
        let start = thread_nanoseconds()
        for number in 0..<min(Fleet.rooms, members) {
            guard let node = graph.node("mean.\(number)") else { fatalError("there is no such room") }
            _ = graph.read(node)
            host.flush()
        }
        return Int(thread_nanoseconds() - start) / members
    }

    /// Sets members, and ends the turn after each commit.
    ///
    /// - Returns: nanoseconds of processor time in all, and the longest turn by the clock: to ask
    ///   for processor time after each turn is a system call, a tenth of a set.
    fileprivate func set(
        _ names: [String],
        to data: [Datum],
        by batch: Int
    ) -> (total: UInt64, longest: Duration) {
        let (start, clock) = (thread_nanoseconds(), ContinuousClock())
        var (before, longest) = (clock.now, Duration.zero)
        for first in stride(from: 0, to: names.count, by: batch) {
            var commit = Commit(graph: graph)
            for place in first..<min(first + batch, names.count) {
                let name = names[place]
                let node = name.withBorrowedBytes { graph.node(named: $0) }
                commit.set.append(Assignment(node!, data[place]))
            }
            guard case .applied = host.submit(commit) else { fatalError("a set was refused") }
            host.flush()
            let now = clock.now
            longest = max(longest, now - before)
            before = now
        }
        return (thread_nanoseconds() - start, longest)
    }
}

/// The memory that the process has.
private func residentBytes() -> UInt64 {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self).split(separator: " ")
    return (words.count > 1 ? UInt64(words[1]) ?? 0 : 0) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
}
