internal import Support

/// Doubles with a given number of places, exactly rounded (half to even), as C's `%f` and `%e` do it.
enum DecimalText {
    /// Units that the digits of a finite number take: they come from multiplications, the more of them the farther its
    /// exponent is from zero.
    static func cost(of number: Double) -> Int {
        number == 0 ? 0 : Int(number.exponent.magnitude >> 3)
    }

    /// `%.{places}f`.
    static func fixed(_ number: Double, places: Int) -> String {
        var digits = ExactDecimal(number.magnitude)
        digits.round(toPlaces: places)
        let sign = number.sign == .minus ? "-" : ""
        let whole = digits.text(from: min(digits.firstPower, 0) == 0 ? digits.firstPower : 0, through: 0)
        return sign + whole + (places > 0 ? "." + digits.text(from: -1, through: -places) : "")
    }

    /// `%.{places}e`.
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
        let exponent = magnitude.exponent - 52
        var scaled = magnitude.significand * 0x1p52
        // Numbers near zero have a short significand all the same.
        var power = Int(exponent)
        while power < 0, scaled.truncatingRemainder(dividingBy: 2) == 0 {
            scaled /= 2
            power += 1
        }
        // number = scaled × 2^power = scaled × 5^-power × 10^power for negative powers
        var limbs: [UInt32] = []
        var rest = UInt64(scaled)
        while rest > 0 {
            limbs.append(UInt32(rest % 1_000_000_000))
            rest /= 1_000_000_000
        }
        // Twelve fives, or 29 twos, at once: the most that stay below a limb's base.
        let (base, many, step): (UInt64, UInt64, UInt) =
            power < 0 ? (5, 244_140_625, 12) : (2, 536_870_912, 29)
        var left = power.magnitude
        while left >= step {
            ExactDecimal.multiply(&limbs, by: many)
            left -= step
        }
        for _ in 0..<left {
            ExactDecimal.multiply(&limbs, by: base)
        }
        lastPower = min(power, 0)
        for limb in limbs.reversed() {
            let text = String(limb, width: digits.isEmpty ? 1 : 9)
            digits += text.utf8.map { $0 - UInt8(ascii: "0") }
        }
    }

    /// The power of ten of the first digit; 0 for zero.
    var firstPower: Int {
        digits.isEmpty ? 0 : lastPower + digits.count - 1
    }

    /// Drops what is behind `places` places after the point.
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
