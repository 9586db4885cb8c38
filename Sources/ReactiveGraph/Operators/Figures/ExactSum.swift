/// A sum of floating-point numbers without any rounding, from which numbers can be taken away
/// again.
///
/// ``value`` is the exact sum rounded once. So it depends neither on the order in which numbers
/// came and went nor on those that have gone: equal numbers have the same sum to the last bit, on
/// every machine.
///
/// A number costs a few instructions, whatever it is and however many there are.
public struct ExactSum<Number: BinaryFloatingPoint> {
    // A fixed-point number in digits of 32 bits. A digit has room for 2³⁰ numbers to be added or
    // taken away before what is over has to be carried to the next one, so it may be out of range,
    // also negative, in the meantime.

    /// The digits, least first, as far as they were needed.
    @usableFromInline var digits: ContiguousArray<Int64> = []
    /// The first digit counts 2 to the power of 32 times this.
    @usableFromInline var lowest = 0
    /// How often digits were changed since the last carry.
    @usableFromInline var changes = 0
    /// Numbers that cannot be added up, each kind counted, so that they can be taken away.
    @usableFromInline var infinities = 0
    @usableFromInline var negativeInfinities = 0
    @usableFromInline var nans = 0
    @usableFromInline var numbers = 0

    /// The sum of no numbers: zero.
    public init() {}

    /// Adds a number.
    @inlinable
    public mutating func add(_ number: Number) {
        change(number, by: 1)
    }

    /// Takes away a number that was added.
    @inlinable
    public mutating func subtract(_ number: Number) {
        change(number, by: -1)
    }

    /// How many numbers it is the sum of.
    @inlinable public var count: Int { numbers }

    /// The exact sum, rounded once to the nearest number; of two that are equally near, to the even
    /// one.
    ///
    /// The sum of infinities is what IEEE 754 says.
    @inlinable public var value: Number { rounded(dividedBy: 1) }

    /// The exact sum divided by ``count``, rounded once; `nil` for no numbers.
    ///
    /// It is a number also where the sum itself would be too large for one.
    @inlinable public var mean: Number? { count > 0 ? rounded(dividedBy: UInt64(count)) : nil }

    @inlinable
    mutating func change(_ number: Number, by step: Int) {
        numbers += step
        guard number.isFinite else { return changeOther(number, by: step) }
        let (magnitude, exponent) = Self.parts(of: number)
        guard magnitude != 0 else { return }
        let digit = exponent >> 5
        let shift = UInt64(exponent & 31)
        makeRoom(digit)
        let index = digit - lowest
        // At most 96 bits: the two factors of the shift keep it below 64.
        let low = magnitude << shift
        let high = (magnitude >> 1) >> (63 - shift)
        let sign: Int64 = (number.sign == .minus) == (step > 0) ? -1 : 1
        digits[index] &+= sign &* Int64(low & 0xFFFF_FFFF)
        digits[index + 1] &+= sign &* Int64(low >> 32)
        digits[index + 2] &+= sign &* Int64(high)
        changes += 1
        if changes == 1 << 30 { carry() }
    }

    /// A finite number as an integer times a power of two.
    @inlinable
    static func parts(of number: Number) -> (magnitude: UInt64, exponent: Int) {
        if let double = number as? Double {
            let bits = double.bitPattern
            let fraction = bits & 0xF_FFFF_FFFF_FFFF
            let power = Int(truncatingIfNeeded: bits >> 52) & 0x7FF
            return power == 0 ? (fraction, -1074) : (fraction | 1 << 52, power - 1075)
        }
        guard number != 0 else { return (0, 0) }
        let width = number.significandWidth
        let magnitude = Number(sign: .plus, exponent: Number.Exponent(width), significand: number.significand)
        return (UInt64(magnitude), Int(number.exponent) - width)
    }

    /// Not for numbers that are finite.
    @usableFromInline
    mutating func changeOther(_ number: Number, by step: Int) {
        if number.isNaN {
            nans += step
        } else if number > 0 {
            infinities += step
        } else {
            negativeInfinities += step
        }
    }

    /// Makes sure that there are this digit and the two after it.
    @inlinable
    @inline(__always)
    mutating func makeRoom(_ digit: Int) {
        if digit < lowest || digit + 3 > lowest + digits.count { grow(digit) }
    }

    @usableFromInline
    @inline(never)
    mutating func grow(_ digit: Int) {
        guard !digits.isEmpty else {
            lowest = digit
            digits = [0, 0, 0]
            return
        }
        if digit < lowest {
            digits.insert(contentsOf: repeatElement(0, count: lowest - digit), at: 0)
            lowest = digit
        }
        let missing = digit + 3 - lowest - digits.count
        if missing > 0 { digits.append(contentsOf: repeatElement(0, count: missing)) }
    }

    /// Brings all digits but the last, which has the sign, in range.
    @usableFromInline
    mutating func carry() {
        changes = 0
        var over: Int64 = 0
        for index in digits.indices {
            digits[index] += over
            guard index < digits.count - 1 else { break }
            over = digits[index] >> 32
            digits[index] &= 0xFFFF_FFFF
        }
        guard let last = digits.last, last != Int64(Int32(truncatingIfNeeded: last)) else { return }
        digits[digits.count - 1] = last & 0xFFFF_FFFF
        digits.append(last >> 32)
    }

    // MARK: - Rounding

    @specialized(where Number == Double)
    @usableFromInline
    func rounded(dividedBy divisor: UInt64) -> Number {
        if nans > 0 || infinities > 0 && negativeInfinities > 0 { return .nan }
        if infinities > 0 { return .infinity }
        if negativeInfinities > 0 { return -.infinity }
        precondition(divisor <= UInt32.max, "the mean of more numbers than can be counted")
        return digits.count <= 3 ? narrow(dividedBy: divisor) : wide(dividedBy: divisor)
    }

    /// The usual case: numbers that do not differ much need three digits, which fit a machine's
    /// widest integer.
    @specialized(where Number == Double)
    private func narrow(dividedBy divisor: UInt64) -> Number {
        var sum: Int128 = 0
        for index in 0..<digits.count { sum += Int128(digits[index]) << Int128(32 * index) }
        guard sum != 0 else { return 0 }
        var bits = sum.magnitude
        let zeros = bits.leadingZeroBitCount
        bits <<= UInt128(zeros)
        var isMore = false
        // A divisor takes 32 bits at most, and the nearest number needs 64 and some.
        if divisor > 1 {
            let (quotient, rest) = bits.quotientAndRemainder(dividingBy: UInt128(divisor))
            (bits, isMore) = (quotient, rest != 0)
        }
        let magnitude = Self.nearest(to: bits, above: 32 * lowest - zeros, isMore: isMore)
        return sum < 0 ? -magnitude : magnitude
    }

    @specialized(where Number == Double)
    private func wide(dividedBy divisor: UInt64) -> Number {
        var sum = self
        sum.carry()
        guard let last = sum.digits.last(where: { $0 != 0 }) else { return 0 }
        let isNegative = last < 0
        if isNegative {
            for index in sum.digits.indices { sum.digits[index].negate() }
            sum.carry()
        }
        let rest = sum.divide(by: divisor)
        let magnitude = sum.rounded(sticky: rest)
        return isNegative ? -magnitude : magnitude
    }

    /// Divides digits that are in range; says whether there is a remainder.
    @specialized(where Number == Double)
    private mutating func divide(by divisor: UInt64) -> Bool {
        guard divisor > 1 else { return false }
        // A divisor takes 32 bits at most, and the nearest number needs 64 and some.
        digits.insert(contentsOf: repeatElement(0, count: 4), at: 0)
        lowest -= 4
        var rest: UInt64 = 0
        for index in digits.indices.reversed() {
            let dividend = rest << 32 | UInt64(digits[index])
            digits[index] = Int64(dividend / divisor)
            rest = dividend % divisor
        }
        return rest != 0
    }

    /// The number nearest to digits that are in range and not negative; `sticky`: more digits
    /// follow.
    @specialized(where Number == Double)
    private func rounded(sticky: Bool) -> Number {
        guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
        var bits: UInt128 = 0
        for index in stride(from: top, through: top - 3, by: -1) {
            bits = bits << 32 | UInt128(index < 0 ? 0 : UInt64(digits[index]))
        }
        let isMore = sticky || digits[..<Swift.max(0, top - 3)].contains { $0 != 0 }
        return Self.nearest(to: bits, above: 32 * (lowest + top - 3), isMore: isMore)
    }

    /// The number nearest to `bits`, which are not 0, times 2 to the power of `power`; `isMore`:
    /// and less than one bit more.
    @specialized(where Number == Double)
    private static func nearest(to bits: UInt128, above power: Int, isMore: Bool) -> Number {
        let zeros = bits.leadingZeroBitCount
        var bits = bits << UInt128(zeros)
        if isMore { bits |= 1 }
        // The power of two that the first bit stands for.
        let exponent = power + 127 - zeros
        let missing = Swift.max(0, Int(Number.leastNormalMagnitude.exponent) - exponent)
        let width = Number.significandBitCount + 1 - missing
        guard width >= 0 else { return 0 }
        let dropped = bits << UInt128(width)
        var kept = width == 0 ? 0 : bits >> UInt128(128 - width)
        let half = UInt128(1) << 127
        if dropped > half || (dropped == half && kept & 1 == 1) { kept += 1 }
        let significand = UInt64(exactly: kept).map { Number($0) } ?? Number(kept)
        let scale = Number.Exponent(exponent + 1 - width)
        return Number(sign: .plus, exponent: scale, significand: significand)
    }
}
