import CAllocations
import CEL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One expression and the value it is evaluated with.
struct Case {
    let name: String
    let program: Program
    let argument: Value
    /// Nanoseconds it may take, where there is a target.
    let target: Double?
    /// Whether nothing may be allocated.
    let isScalar: Bool

    init(_ name: String, _ source: String, _ argument: Value, target: Double? = nil, isScalar: Bool = true) {
        self.name = name
        self.argument = argument
        self.target = target
        self.isScalar = isScalar
        guard let program = try? Program(source, variables: [Variable("value")]) else {
            preconditionFailure("'\(source)' does not compile")
        }
        self.program = program
    }

    /// Evaluates `count` times; answers something that depends on every result.
    @inline(never)
    func run(_ count: Int) -> Int {
        var seen = 0
        for _ in 0..<count {
            if let value = try? program.evaluate(argument) {
                if case .bool(false) = value { continue }
                seen += 1
            }
        }
        return seen
    }

    /// Measures, prints a line, and answers whether targets are met.
    func report() -> Bool {
        var count = 1_000
        while time(count) < 20_000_000 {
            count *= 2
        }
        let times = (0..<9).map { _ in Double(time(count)) / Double(count) }.sorted()
        let before = allocations_total()
        _ = run(1_000)
        let allocations = Double(allocations_total() - before) / 1_000
        let columns = [
            name, "\"\(program.source)\"", rounded(times[4]), rounded(times[0]), target.map(rounded) ?? "",
            allocations_counted() ? rounded(allocations) : "unknown",
        ]
        print(columns.joined(separator: ","))
        return times[0] <= target ?? .infinity && (!isScalar || allocations == 0)
    }

    private func time(_ count: Int) -> UInt64 {
        let start = thread_nanoseconds()
        let seen = run(count)
        precondition(seen <= count)
        return thread_nanoseconds() - start
    }

    private func rounded(_ number: Double) -> String {
        "\((number * 10).rounded() / 10)"
    }
}

func exitWithFailure() -> Never {
    exit(1)
}
