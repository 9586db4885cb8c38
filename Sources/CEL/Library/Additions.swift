/// What this project adds to the published libraries; not there in strict mode.
enum Additions {
    static let functions: [Function] = [
        Function(
            "round",
            isStandard: false,
            [.global(.double, gives: .double), .global(.double, .int, gives: .double)]
        ) { arguments, meter throws(Failure) in
            let number = try arguments.double(0, meter)
            let digits = try arguments.count > 1 ? arguments.int(1, meter) : 0
            try meter.spend(min(Int(clamping: digits.magnitude), 308) >> 3)
            if digits >= 0, arguments[0].isLong { return arguments[0] }
            return .double(round(number, digits: digits))
        },
        Function("clamp", isStandard: false, [.global(.a, .a, .a, gives: .a)]) {
            arguments,
            meter throws(Failure) in
            for position in 0..<arguments.count where arguments[position].number == nil {
                throw arguments.mismatch
            }
            guard numericOrder(arguments[1], arguments[2]) != .greater else {
                throw .badValue("the lower bound is above the upper one")
            }
            if numericOrder(arguments[0], arguments[1]) == .less { return arguments[1] }
            if numericOrder(arguments[0], arguments[2]) == .greater { return arguments[2] }
            return arguments[0]
        },
        Function(
            "sum",
            isStandard: false,
            [.global(.list(.a), gives: .a), .method(.list(.a), gives: .a)]
        ) { arguments, meter throws(Failure) in
            try sum(arguments, &meter)
        },
        Function(
            "avg",
            isStandard: false,
            [.global(.list(.a), gives: .double), .method(.list(.a), gives: .double)]
        ) { arguments, meter throws(Failure) in
            let count = try arguments.list(0).count
            guard count > 0 else { throw .badValue("an empty list has no average") }
            guard let total = try sum(arguments, &meter).number else { throw arguments.mismatch }
            return .double(total / Double(count))
        },
        // The names by which people look for them, beside `sum` and `avg`.
        Mathematics.extreme("max", isStandard: false, keeps: .greater),
        Mathematics.extreme("min", isStandard: false, keeps: .less),
    ]

    private static func sum(_ arguments: Arguments, _ meter: inout Meter) throws(Failure) -> Value {
        let list = try arguments.list(0)
        try meter.spend(list.count)
        guard var total = list.first else { return .int(0) }
        guard total.number != nil else {
            throw .type("'\(arguments.name)' needs numbers, not \(total.typeName.rawValue)")
        }
        for element in list.elements.dropFirst() {
            guard element.number != nil else {
                throw .type("'\(arguments.name)' needs numbers, not \(element.typeName.rawValue)")
            }
            total = try meter.arithmetic(.add, total, element)
        }
        return total
    }

    /// Half away from zero, at the given place after the point (before it, when negative).
    static func round(_ number: Double, digits: Int) -> Double {
        guard number.isFinite, digits <= 308 else { return number }
        guard digits >= -308 else { return 0 }
        var power = 1.0
        for _ in 0..<digits.magnitude {
            power *= 10
        }
        if digits < 0 {
            return (number / power).rounded(.toNearestOrAwayFromZero) * power
        }
        let scaled = number * power
        // Beyond 2^53 there is nothing after the point that could be rounded.
        guard scaled.magnitude < 0x1p53 else { return number }
        return scaled.rounded(.toNearestOrAwayFromZero) / power
    }
}
