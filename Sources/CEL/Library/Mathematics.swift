/// The published math extension.
enum Mathematics {
    static let functions: [Function] = extremes + roundings + tests + bits

    private static let numbers: [TypePattern] = [.int, .uint, .double]

    // MARK: Extremes

    private static let extremes: [Function] = [
        extreme("math.greatest", keeps: .greater),
        extreme("math.least", keeps: .less),
    ]

    static func extreme(_ name: String, isStandard: Bool = true, keeps wanted: Order) -> Function {
        Function(
            name,
            isStandard: isStandard,
            numbers.map { .variadic($0, gives: $0) }
                + numbers.map { .global(.list($0), gives: $0) }
                + (isStandard ? [] : numbers.map { .method(.list($0), gives: $0) })
                + [.variadic(.dyn, gives: .dyn)]
        ) { arguments, meter throws(Failure) in
            var candidates = arguments.all
            if candidates.count == 1, case .list(let list) = candidates[0] {
                candidates = list.elements
                guard !candidates.isEmpty else { throw .badValue("'\(name)' needs at least one number") }
            }
            try meter.spend(Price.object + candidates.count)
            var best = candidates[0]
            for candidate in candidates {
                guard candidate.number != nil else { throw arguments.mismatch }
                if numericOrder(candidate, best) == wanted { best = candidate }
            }
            return best
        }
    }

    // MARK: Rounding

    private static let roundings: [Function] = [
        onDouble("math.ceil") { $0.rounded(.up) },
        onDouble("math.floor") { $0.rounded(.down) },
        onDouble("math.round") { $0.rounded(.toNearestOrAwayFromZero) },
        onDouble("math.trunc") { $0.rounded(.towardZero) },
        Function("math.sqrt", numbers.map { .global($0, gives: .double) }) { arguments, _ throws(Failure) in
            guard let number = arguments[0].number else { throw arguments.mismatch }
            return .double(number.squareRoot())
        },
        Function("math.abs", numbers.map { .global($0, gives: $0) }) { arguments, _ throws(Failure) in
            switch arguments[0] {
            case .int(let number):
                guard number != .min else { throw .overflow("the result does not fit in an int") }
                return .int(abs(number))
            case .uint: return arguments[0]
            case .double(let number): return .double(number.magnitude)
            default: throw arguments.mismatch
            }
        },
        Function("math.sign", numbers.map { .global($0, gives: $0) }) { arguments, _ throws(Failure) in
            switch arguments[0] {
            case .int(let number): return .int(number.signum())
            case .uint(let number): return .uint(number == 0 ? 0 : 1)
            case .double(let number):
                return .double(number.isNaN ? number : number == 0 ? 0 : number < 0 ? -1 : 1)
            default: throw arguments.mismatch
            }
        },
    ]

    private static func onDouble(_ name: String, _ body: @escaping @Sendable (Double) -> Double) -> Function {
        Function(name, [.global(.double, gives: .double)]) { arguments, meter throws(Failure) in
            let number = try arguments.double(0, meter)
            // A long one is whole already.
            return arguments[0].isLong ? arguments[0] : .double(body(number))
        }
    }

    // MARK: Tests

    private static let tests: [Function] = [
        test("math.isNaN") { $0.isNaN },
        test("math.isInf") { $0.isInfinite },
        test("math.isFinite") { $0.isFinite },
    ]

    private static func test(_ name: String, _ body: @escaping @Sendable (Double) -> Bool) -> Function {
        Function(name, [.global(.double, gives: .bool)]) { arguments, meter throws(Failure) in
            .bool(body(try arguments.double(0, meter)))
        }
    }

    // MARK: Bits

    private static let bits: [Function] = [
        bitwise("math.bitAnd", { $0 & $1 }, { $0 & $1 }),
        bitwise("math.bitOr", { $0 | $1 }, { $0 | $1 }),
        bitwise("math.bitXor", { $0 ^ $1 }, { $0 ^ $1 }),
        Function("math.bitNot", [.global(.int, gives: .int), .global(.uint, gives: .uint)]) {
            arguments,
            _ throws(Failure) in
            switch arguments[0] {
            case .int(let number): return .int(~number)
            case .uint(let number): return .uint(~number)
            default: throw arguments.mismatch
            }
        },
        shift("math.bitShiftLeft") { $0 << $1 },
        shift("math.bitShiftRight") { $0 >> $1 },
    ]

    private static func bitwise(
        _ name: String,
        _ onInt: @escaping @Sendable (Int64, Int64) -> Int64,
        _ onUint: @escaping @Sendable (UInt64, UInt64) -> UInt64
    ) -> Function {
        Function(name, [.global(.int, .int, gives: .int), .global(.uint, .uint, gives: .uint)]) {
            arguments,
            _ throws(Failure) in
            switch (arguments[0], arguments[1]) {
            case (.int(let a), .int(let b)): return .int(onInt(a, b))
            case (.uint(let a), .uint(let b)): return .uint(onUint(a, b))
            default: throw arguments.mismatch
            }
        }
    }

    /// Shifts move bits and know no sign; by 64 and more, nothing is left.
    private static func shift(
        _ name: String,
        _ body: @escaping @Sendable (UInt64, UInt64) -> UInt64
    ) -> Function {
        Function(name, [.global(.int, .int, gives: .int), .global(.uint, .int, gives: .uint)]) {
            arguments,
            _ throws(Failure) in
            guard case .int(let distance) = arguments[1] else { throw arguments.mismatch }
            guard distance >= 0 else { throw .badValue("the shift count may not be negative") }
            switch arguments[0] {
            case .int(let number):
                return .int(Int64(bitPattern: body(UInt64(bitPattern: number), UInt64(distance))))
            case .uint(let number): return .uint(body(number, UInt64(distance)))
            default: throw arguments.mismatch
            }
        }
    }
}
