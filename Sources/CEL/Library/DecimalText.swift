/// Doubles with a given number of places, exactly rounded (half to even), as C's `%f` and `%e` do
/// it.
enum DecimalText {
    /// Units that a finite number with so many places takes: its digits come from multiplications,
    /// the more of them the farther its exponent is from zero.
    static func cost(of number: Double, places: Int) -> Int {
        2 * Price.doubleText + (number == 0 ? 0 : Int(number.exponent.magnitude)) + places >> 1
    }

    static func fixed(_ number: Double, places: Int) -> String {
        var digits = ExactDecimal(number.magnitude)
        digits.round(toPlaces: places)
        let sign = number.sign == .minus ? "-" : ""
        let whole = digits.text(from: min(digits.firstPower, 0) == 0 ? digits.firstPower : 0, through: 0)
        return sign + whole + (places > 0 ? "." + digits.text(from: -1, through: -places) : "")
    }

    static func scientific(_ number: Double, places: Int) -> String {
        var digits = ExactDecimal(number.magnitude)
        digits.round(toPlaces: places - digits.firstPower)
        let first = digits.firstPower
        let sign = number.sign == .minus ? "-" : ""
        let fraction = places > 0 ? "." + digits.text(from: first - 1, through: first - places) : ""
        let exponent = (first.magnitude < 10 ? "0" : "") + String(first.magnitude)
        return sign + digits.text(from: first, through: first) + fraction + "e" + (first < 0 ? "-" : "+")
            + exponent
    }
}

/// All decimal digits of a double: there are finitely many, at most about 1,080 of them.
private struct ExactDecimal {
    /// Most significant first, no zero in front.
    private var digits: [UInt8] = []
    /// The power of ten of the last digit.
    private var lastPower = 0

    init(_ magnitude: Double) {
        guard magnitude > 0 else { return }
        var significand = UInt64(magnitude.significand * 0x1p52)
        var power = Int(magnitude.exponent) - 52
        // Numbers near zero have a short significand all the same.
        let zeros = min(significand.trailingZeroBitCount, max(0, -power))
        significand >>= zeros
        power += zeros
        // number = significand × 2^power = significand × 5^-power × 10^power for negative powers
        var limbs: [UInt32] = []
        while significand > 0 {
            limbs.append(UInt32(significand % 1_000_000_000))
            significand /= 1_000_000_000
        }
        // Twelve fives, or 29 twos, at once: the most that stay below a limb's base.
        let (base, step): (UInt64, Int) = power < 0 ? (5, 12) : (2, 29)
        var left = Int(power.magnitude)
        while left > 0 {
            let count = min(left, step)
            ExactDecimal.multiply(&limbs, by: (0..<count).reduce(1) { product, _ in product * base })
            left -= count
        }
        lastPower = min(power, 0)
        digits.reserveCapacity(limbs.count * 9)
        for limb in limbs.reversed() {
            var unit: UInt32 = 100_000_000
            while unit > 0 {
                let digit = UInt8(truncatingIfNeeded: limb / unit % 10)
                if digit > 0 || !digits.isEmpty { digits.append(digit) }
                unit /= 10
            }
        }
    }

    /// The power of ten of the first digit; 0 for zero.
    var firstPower: Int {
        digits.isEmpty ? 0 : lastPower + digits.count - 1
    }

    /// Drops everything after `places` places after the point.
    mutating func round(toPlaces places: Int) {
        let surplus = -places - lastPower
        guard surplus > 0, !digits.isEmpty else { return }
        guard surplus <= digits.count else {
            digits = []
            lastPower = 0
            return
        }
        let dropped = digits.suffix(surplus)
        digits.removeLast(surplus)
        lastPower += surplus
        let isTie = dropped.first == 5 && dropped.dropFirst().allSatisfy { $0 == 0 }
        let isOdd = (digits.last ?? 0) % 2 == 1
        if isTie ? isOdd : (dropped.first ?? 0) >= 5 {
            increment()
        }
        if digits.isEmpty { lastPower = 0 }
    }

    private mutating func increment() {
        var position = digits.count - 1
        while position >= 0 {
            if digits[position] < 9 {
                digits[position] += 1
                return
            }
            digits[position] = 0
            position -= 1
        }
        digits.insert(1, at: 0)
    }

    /// The digits at these powers of ten, zeros where there are none.
    func text(from first: Int, through last: Int) -> String {
        var text: [UInt8] = []
        for power in stride(from: first, through: last, by: -1) {
            let position = digits.count - 1 - (power - lastPower)
            text.append(UInt8(ascii: "0") + (digits.indices.contains(position) ? digits[position] : 0))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func multiply(_ limbs: inout [UInt32], by factor: UInt64) {
        var carry: UInt64 = 0
        for position in limbs.indices {
            let product = UInt64(limbs[position]) * factor + carry
            limbs[position] = UInt32(product % 1_000_000_000)
            carry = product / 1_000_000_000
        }
        if carry > 0 { limbs.append(UInt32(carry)) }
    }
}
