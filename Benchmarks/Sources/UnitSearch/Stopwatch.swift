import CAllocations
import CEL

/// Nanoseconds of CPU time, on a machine that may be slower at present than the reference machine
/// is when it is quiet.
struct Stopwatch {
    /// What `reference()` takes on the reference machine.
    private static let referenceNanoseconds = 35_100.0
    /// Nanoseconds that are worth the reading of the clock.
    private static let shortest = 20_000.0

    /// What one unit of `subject` takes, at best of several rounds.
    ///
    /// A unit more for the evaluation itself, as the host has it.
    func nanosecondsPerUnit(of subject: Subject, rounds: Int) -> Double {
        subject.arguments.withUnsafeBufferPointer { arguments in
            // Reading the clock takes as long as a few evaluations. Other work on the machine makes
            // one of three readings longer.
            var count = 1
            while count < 1_024,
                (0..<3).contains(where: { _ in time(count, subject.program, arguments).nanoseconds < Self.shortest })
            {
                count *= 4
            }
            return (0..<rounds).reduce(.infinity) { best, _ in
                let (nanoseconds, units) = time(count, subject.program, arguments)
                return min(best, nanoseconds / Double(units))
            }
        }
    }

    @inline(never)
    private func time(
        _ count: Int,
        _ program: Program,
        _ arguments: UnsafeBufferPointer<Value>
    ) -> (nanoseconds: Double, units: Int) {
        var units = count
        let start = thread_nanoseconds()
        for _ in 0..<count {
            _ = try? program.evaluate(arguments, spent: &units)
        }
        return (Double(thread_nanoseconds() - start), units)
    }

    /// What the host charges for one evaluation.
    func units(of subject: Subject) -> Int {
        subject.arguments.withUnsafeBufferPointer { arguments in
            var units = 1
            _ = try? subject.program.evaluate(arguments, spent: &units)
            return units
        }
    }

    /// How much slower the machine is at present than the reference machine.
    func slowness() -> Double {
        var best = Double.infinity
        for _ in 0..<3 {
            let start = thread_nanoseconds()
            precondition(reference() != 0)
            best = min(best, Double(thread_nanoseconds() - start))
        }
        return best / Self.referenceNanoseconds
    }

    /// Work of the kinds that expressions do: small objects made, counted and given back, bytes
    /// read, dependent arithmetic.
    @inline(never)
    private func reference() -> Int {
        var sum = 1
        var objects: [[UInt8]] = []
        for round in 0..<400 {
            objects.append([UInt8](repeating: UInt8(truncatingIfNeeded: round &+ sum), count: 16 + round & 15))
            for object in objects.suffix(4) {
                for byte in object.prefix(4) {
                    sum = (sum ^ Int(byte)) &* 0x100_0000_01b3
                }
            }
            sum |= 1
        }
        return sum
    }
}
