// What a value and a subscription cost in the host, without sockets: for a tool that counts
// instructions.
//
// HostBenchmarks            names of the cases HostBenchmarks case n     does the case n times, and
// no more HostBenchmarks memory     live heap bytes and allocations of sessions and subscriptions
// HostBenchmarks members n [word]  what n members of families cost, each of four ways or those
// whose name has the word HostBenchmarks churn n    memory while n clients with owners of their own
// come and vanish

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

func measureHost(_ arguments: [String]) throws -> Bool {
    guard let name = arguments.first else {
        for item in hostCases() { print(item.name) }
        return true
    }
    if name == "memory" {
        try tellMemory()
        return true
    }
    if name == "members" {
        let count = arguments.dropFirst().first.flatMap { Int($0) }
        try tellMembers(count ?? 1_000_000, only: arguments.dropFirst(2).first ?? "")
        return true
    }
    if name == "churn" {
        try tellChurn(arguments.last.flatMap { Int($0) } ?? 100_000)
        return true
    }
    guard let item = hostCases().first(where: { $0.name == name }),
        let times = arguments.last.flatMap({ Int($0) })
    else { return false }
    let work = try item.prepare()
    for _ in 0..<times { work() }
    // What the case has built is not taken down: that is no part of it.
    exit(withExtendedLifetime(work) { 0 })
}

exit(try measureHost(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
