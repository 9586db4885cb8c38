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
}

/// Memory and processor time of so many members, one table for each.
///
/// Freed memory is used again, so resident memory is right only for the first table of a
/// process.
func tellMembers(_ count: Int, only word: String) throws {
    let fleets = [
        Fleet(what: "set one by one"),
        Fleet(what: "with bounds and `expire`", rules: #","min":-60,"max":150,"expire":"10m""#),
        Fleet(what: "1,000 a commit", batch: 1_000),
        Fleet(what: "with `avg` of all", derived: #","mean":{"all":"sensor.*.celsius","reduce":"avg","retain":"always"}"#),
    ]
    print("\(count) members\n")
    print(
        "| | heap, bytes each | resident, bytes each | birth and first set, ns | set, ns | longest turn, ms |"
    )
    print("|---|---|---|---|---|---|")
    for fleet in fleets where word.isEmpty || fleet.what.contains(word) { try tell(fleet, count) }
}

/// Bytes are those beside value and name: the benchmark holds the values, and takes off what a name
/// takes.
private func tell(_ fleet: Fleet, _ count: Int) throws {
    let stand = try Stand(#""sensor.{id}.celsius":{"set":"number"\#(fleet.rules)}"# + fleet.derived)
    stand.host.flush()
    let before = allocations_live_bytes()
    let names = (0..<count).map { "sensor.\(1_000_000 + $0).celsius" }
    // The graph has names of its own.
    let name = Double(allocations_live_bytes() - before) / Double(count) - Double(MemoryLayout<String>.stride)
    let data = try (0..<count).map { try Datum.parse("\($0 % 100).5") }
    let (heap, resident) = (allocations_live_bytes(), residentBytes())
    let births = stand.set(names, to: data, by: fleet.batch)
    let grown = Double(allocations_live_bytes()) - Double(heap)
    allocations_trim()
    let shown = Double(residentBytes()) - Double(resident)
    let sets = stand.set(names, to: data, by: fleet.batch)
    let longest = Double(max(births.longest, sets.longest)) / 1e6
    print(
        "| \(fleet.what) | \(Int(grown / Double(count) - name)) | \(Int(shown / Double(count) - name)) |",
        "\(Int(births.total) / count) | \(Int(sets.total) / count) | \(Double(Int(longest * 100)) / 100) |"
    )
    withExtendedLifetime((names, data)) {}
}

extension Stand {
    /// Sets members, and ends the turn after each commit.
    ///
    /// - Returns: nanoseconds of processor time, in all and of the longest turn.
    fileprivate func set(
        _ names: [String],
        to data: [Datum],
        by batch: Int
    ) -> (total: UInt64, longest: UInt64) {
        var longest: UInt64 = 0
        let start = thread_nanoseconds()
        var before = start
        for first in stride(from: 0, to: names.count, by: batch) {
            var commit = Commit(graph: graph)
            for place in first..<min(first + batch, names.count) {
                let name = names[place]
                let node = name.withBorrowedBytes { graph.node(named: $0) }
                commit.set.append(Assignment(node!, data[place]))
            }
            guard case .applied = host.submit(commit) else { fatalError("a set was refused") }
            host.flush()
            let now = thread_nanoseconds()
            longest = max(longest, now - before)
            before = now
        }
        return (before - start, longest)
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
