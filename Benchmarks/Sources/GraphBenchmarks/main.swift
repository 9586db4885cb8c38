// Graph figures beside OpenCombine's. See ../../README.md.
//
// --runs n          rounds per case (9)
// --milliseconds n  length of one run (20)
// --filter text     only cases whose name contains it
// --write folder    also write the table there
// --check           end with status 1 if a target is missed or a delivery allocates

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
    let filter = value(of: "--filter") ?? ""
    let cases = [
        chain(10), chain(100), chain(1_000), fanOutClosure(1_000), fanOutOwner(1_000), diamond(),
        stackedDiamonds(20), lifeOfChain(1_000), tenListeners(), tenMaps(), tenFilters(),
    ]
    var report = Report()
    var failures: [String] = []
    report.head()
    for item in cases where filter.isEmpty || item.name.contains(filter) {
        let result = measuring.measure(item)
        report.add(item, result)
        failures += result.failures
        if let target = item.target, let ours = result.measurements.first,
            ours.nanoseconds / Double(item.units) > target
        {
            failures.append(
                "\(item.name): \(decimal(ours.nanoseconds / Double(item.units))) ns per \(item.unit), target \(target)"
            )
        }
    }
    if filter.isEmpty || "million".contains(filter) { addMillion(to: &report) }
    for failure in failures { report.line("- missed: \(failure)") }
    if let folder = value(of: "--write"), !report.write(into: folder) {
        print("cannot write into \(folder)")
        return false
    }
    return failures.isEmpty || !arguments.contains("--check")
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

// OpenCombine subscribes and sends recursively, with frames of many kilobytes: a chain of 1,000 needs more than the
// main thread's stack.
let succeeded = onLargeStack(megabytes: 512) { measureGraph(CommandLine.arguments) }
exit(succeeded ? 0 : 1)
