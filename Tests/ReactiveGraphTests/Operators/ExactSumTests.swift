import ReactiveGraph
import TestSupport
import Testing

@Suite("Exact sums")
struct ExactSumTests {
    @Test("nothing is lost between numbers of any size, and taking away leaves nothing behind (F-5)")
    func exact() {
        var sum = ExactSum<Double>()
        for number in [1e100, 1, -1e100] { sum.add(number) }
        #expect(sum.value == 1)
        sum.subtract(1)
        #expect(sum.value == 0)
        for _ in 0..<10 { sum.add(0.1) }
        #expect(sum.value == 1)
        sum.add(.leastNonzeroMagnitude)
        sum.add(.greatestFiniteMagnitude)
        sum.subtract(.greatestFiniteMagnitude)
        for _ in 0..<10 { sum.subtract(0.1) }
        #expect(sum.value == .leastNonzeroMagnitude)
        #expect(sum.count == 3)
    }

    @Test("ties go to the even number, also where there are no more bits (F-5)")
    func ties() {
        func sum(_ numbers: Double...) -> Double {
            var sum = ExactSum<Double>()
            for number in numbers { sum.add(number) }
            return sum.value
        }
        let unit = 0x1p53
        #expect(sum(unit, 1) == unit)
        #expect(sum(unit, 1, 0x1p-1000) == unit + 2)
        #expect(sum(unit, 2, 1) == unit + 4)
        #expect(sum(-unit, -1) == -unit)
        #expect(sum(-unit, -1, -0x1p-1000) == -unit - 2)
        #expect(sum(.greatestFiniteMagnitude, .greatestFiniteMagnitude) == .infinity)
        #expect(sum(-.greatestFiniteMagnitude, -.greatestFiniteMagnitude) == -.infinity)
        #expect(sum(.leastNormalMagnitude, -.leastNonzeroMagnitude) == Double.leastNormalMagnitude.nextDown)
    }

    @Test("the mean is a number where the sum is too large for one, and is rounded once (F-5)")
    func mean() {
        var sum = ExactSum<Double>()
        #expect(sum.mean == nil)
        for _ in 0..<3 { sum.add(.greatestFiniteMagnitude) }
        #expect(sum.mean == .greatestFiniteMagnitude)
        var least = ExactSum<Double>()
        for number in [Double.leastNonzeroMagnitude, 0] { least.add(number) }
        #expect(least.mean == 0)
        least.add(.leastNonzeroMagnitude)
        #expect(least.mean == .leastNonzeroMagnitude)
    }

    @Test("a sum of few digits is rounded as one that has had larger numbers (F-5)")
    func narrow() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            var (narrow, wide) = (ExactSum<Double>(), ExactSum<Double>())
            for number in [0x1p200, 0x1p-200] { wide.add(number) }
            let scale = Double(sign: .plus, exponent: .random(in: -20...20, using: &random), significand: 1)
            for _ in 0..<Int.random(in: 1...7, using: &random) {
                let number = Double.random(in: -scale...scale, using: &random)
                narrow.add(number)
                wide.add(number)
            }
            let count = narrow.count
            for number in [0x1p200, 0x1p-200] { wide.subtract(number) }
            #expect(narrow.value == wide.value && wide.count == count)
            #expect(narrow.mean == wide.mean)
        }
    }

    @Test("infinities and NaN can be taken away again")
    func notFinite() {
        var sum = ExactSum<Double>()
        sum.add(1)
        sum.add(.infinity)
        #expect(sum.value == .infinity)
        sum.add(-.infinity)
        #expect(sum.value.isNaN)
        sum.subtract(.infinity)
        #expect(sum.value == -.infinity && sum.mean == -.infinity)
        sum.add(.nan)
        sum.subtract(-.infinity)
        #expect(sum.value.isNaN)
        sum.subtract(.nan)
        #expect(sum.value == 1)
    }

    @Test("other types than Double")
    func otherTypes() {
        var sum = ExactSum<Float>()
        for number: Float in [0x1p24, 1, 0x1p-100] { sum.add(number) }
        #expect(sum.value == 0x1p24 + 2)
        sum.subtract(0x1p-100)
        #expect(sum.value == 0x1p24)
        #if arch(x86_64)
            var long = ExactSum<Float80>()
            for number: Float80 in [0x1p63, 0.5, 0x1p-9000] { long.add(number) }
            #expect(long.value == 0x1p63 + 1)
            long.subtract(0x1p-9000)
            #expect(long.value == 0x1p63)
            long.add(-0x1p63)
            #expect(long.value == 0.5)
        #endif
    }

    @Test(
        "random numbers of all sizes, coming and going: as another algorithm says, in any order (F-5)",
        arguments: 0..<(Nightly.isOn ? 600 : 12)
    )
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let range = [4, 60, 600, 2_000][generator.below(4)]
        var sum = ExactSum<Double>()
        var numbers: [Double] = []
        for _ in 0..<200 {
            if generator.chance(1, in: 3), !numbers.isEmpty {
                sum.subtract(numbers.remove(at: generator.below(numbers.count)))
            } else {
                let number = Self.number(&generator, range)
                numbers.append(number)
                sum.add(number)
            }
            let expected = Self.sum(numbers)
            #expect(sum.value == expected)
            var other = ExactSum<Double>()
            for number in numbers.shuffled(using: &generator) { other.add(number) }
            #expect(other.value == expected && other.mean == sum.mean)
            guard let mean = sum.mean else { continue }
            // No neighbour is nearer.
            func distance(_ mean: Double) -> Double {
                abs(Self.sum(numbers + Array(repeating: -mean, count: numbers.count)))
            }
            #expect(distance(mean) <= distance(mean.nextUp) && distance(mean) <= distance(mean.nextDown))
        }
    }

    private static func number(_ generator: inout SeededGenerator, _ range: Int) -> Double {
        let exponent = Swift.max(-1_074, generator.below(range) - range / 2)
        let fraction = Double(generator.next() >> 11) * 0x1p-53
        let number = Double(sign: .plus, exponent: Swift.min(exponent, 1_000), significand: 1 + fraction)
        return generator.chance(1, in: 2) ? -number : number
    }

    /// Shewchuk's partial sums, none of which has a bit in common with another, rounded once.
    private static func sum(_ numbers: [Double]) -> Double {
        var partials: [Double] = []
        for number in numbers {
            var x = number
            var rest: [Double] = []
            for var y in partials {
                if abs(x) < abs(y) { swap(&x, &y) }
                let high = x + y
                let low = y - (high - x)
                if low != 0 { rest.append(low) }
                x = high
            }
            partials = rest + [x]
        }
        guard var total = partials.popLast() else { return 0 }
        var low = 0.0
        while let next = partials.popLast() {
            let high = total + next
            low = next - (high - total)
            total = high
            if low != 0 { break }
        }
        if let next = partials.last, low < 0 && next < 0 || low > 0 && next > 0 {
            let doubled = low * 2
            let rounded = total + doubled
            if rounded - total == doubled { total = rounded }
        }
        return total
    }
}
