// What a value and a subscription cost in the host, without sockets: for a tool that counts instructions.
//
// HostBenchmarks            names of the cases
// HostBenchmarks case n     does the case n times, and no more
// HostBenchmarks memory     live heap bytes and allocations of sessions and subscriptions
// HostBenchmarks members n  what n members of families cost

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
        try tellMembers(arguments.last.flatMap { Int($0) } ?? 1_000_000)
        return true
    }
    guard let item = hostCases().first(where: { $0.name == name }),
        let times = arguments.last.flatMap({ Int($0) })
    else { return false }
    let work = try item.prepare()
    for _ in 0..<times { work() }
    return true
}

exit(try measureHost(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
