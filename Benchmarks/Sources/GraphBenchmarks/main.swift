// Graph figures beside OpenCombine's. See ../../README.md.
//
// --runs n          rounds per case (9) --milliseconds n  length of one run (20) --filter text
// only cases whose name contains it --write folder    also write the table there --once case n
// do our part of that case, n times, and no more: for a tool that counts instructions --check
// end with status 1 if a ratio is missed, a delivery is, or one allocates

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Everything happens in a function: variables of the top level would belong to the main actor.
func measureGraph(_ arguments: [String]) -> Bool {
    func value(of option: String) -> String? {
        guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else { return nil }
        return arguments[index + 1]
    }
    let measuring = Measuring(
        runs: value(of: "--runs").flatMap { Int($0) } ?? 9,
        milliseconds: value(of: "--milliseconds").flatMap { Int($0) } ?? 20
    )
    if let index = arguments.firstIndex(of: "--once"), index + 2 < arguments.count {
        return once(arguments[index + 1], Int(arguments[index + 2]) ?? 1_000)
    }
    let filter = value(of: "--filter") ?? ""
    var report = Report()
    var published = Published()
    var failures: [String] = []
    report.head()
    for item in everyCase() where filter.isEmpty || item.name.contains(filter) {
        let result = measuring.measure(item)
        report.add(item, result)
        published.add(item, result)
        failures += result.failures
        if let atLeast = item.atLeast, let rival = item.rival, result.ratios[rival] < atLeast {
            failures.append(
                "\(item.name): \(decimal(result.ratios[rival])) times OpenCombine, at least \(decimal(atLeast))"
            )
        }
    }
    failures += published.failures
    if !published.families.isEmpty { report.add(published) }
    if filter.isEmpty || "memory".contains(filter) { report.add(footprints()) }
    if filter.isEmpty || "million".contains(filter) { addMillion(to: &report) }
    for failure in failures { report.line("- missed: \(failure)") }
    if let folder = value(of: "--write"), !report.write(into: folder) {
        print("cannot write into \(folder)")
        return false
    }
    return failures.isEmpty || !arguments.contains("--check")
}

/// Does our part of one case a number of times: for a profiler that counts.
func once(_ name: String, _ times: Int) -> Bool {
    guard let item = everyCase().first(where: { $0.name == name }) else { return false }
    let work = item.contestants[0].prepare()
    return work(times) == item.contestants[0].deliveries * times
}

func everyCase() -> [Case] {
    [
        tenListeners(), tenMaps(), tenMapsToText(), tenFilters(),
        tenFlattenMapsToNewNodes(), tenFlattenMapsAmongNodes(),
        tenCombines(), combineOfTen(), tenZips(), zipOfTen(), tenMerges(), mergeOfTen(),
        syncPair(), syncChain(), syncStar(),
        chain(10), chain(100), chain(1_000), chainOfText(10), chainOfText(1_000),
        fanOutClosure(1_000), fanOutOwner(1_000), fanOutForeign(1_000),
        diamond(), stackedDiamonds(8), stackedDiamonds(20), stackedDiamonds(200), syncClique(3),
        syncClique(5), syncClique(10),
        lifeOfChain(1_000),
    ] + shapes()
}

func addMillion(to report: inout Report) {
    let rounds = (0..<3).map { _ in Million(length: 1_000_000).run() }
    report.line()
    report.line(
        "A chain of 1,000,000 maps, nanoseconds per node (median of 3): "
            + "build \(decimal(median(rounds.map(\.build)))), "
            + "set \(decimal(median(rounds.map(\.set)))), "
            + "free \(decimal(median(rounds.map(\.free)))); "
            + "\(decimal(median(rounds.map(\.bytes)))) live bytes per node."
    )
}

// OpenCombine subscribes and sends recursively, with frames of many kilobytes: a chain of 1,000
// needs more than the main thread's stack.
let succeeded = onLargeStack(megabytes: 512) { measureGraph(CommandLine.arguments) }
exit(succeeded ? 0 : 1)
