/// The published optionals extension; its macros are with the other macros.
enum Optionals {
    static let functions: [Function] = [
        Function("optional.none", [.global(gives: .optional(.a))]) { _, _ throws(Failure) in
            .optional(.none)
        },
        Function("optional.of", [.global(.a, gives: .optional(.a))]) { arguments, _ throws(Failure) in
            .optional(OptionalValue(arguments[0]))
        },
        Function("optional.ofNonZeroValue", [.global(.a, gives: .optional(.a))]) {
            arguments,
            _ throws(Failure) in
            .optional(arguments[0].isZero ? .none : OptionalValue(arguments[0]))
        },
        Function("hasValue", [.method(.optional(.a), gives: .bool)]) { arguments, _ throws(Failure) in
            .bool(try arguments.optional(0).value != nil)
        },
        Function("value", [.method(.optional(.a), gives: .a)]) { arguments, _ throws(Failure) in
            guard let value = try arguments.optional(0).value else {
                throw .badValue("the optional has no value")
            }
            return value
        },
        Function("or", [.method(.optional(.a), .optional(.orA), gives: .optional(.a))]) {
            arguments,
            _ throws(Failure) in
            let (own, other) = (try arguments.optional(0), try arguments.optional(1))
            return .optional(own.value == nil ? other : own)
        },
        Function("orValue", [.method(.optional(.a), .orA, gives: .a)]) { arguments, _ throws(Failure) in
            try arguments.optional(0).value ?? arguments[1]
        },
        unwrap("optional.unwrap", .global(.list(.optional(.a)), gives: .list(.a))),
        unwrap("unwrapOpt", .method(.list(.optional(.a)), gives: .list(.a))),
    ]

    private static func unwrap(_ name: String, _ overload: Function.Overload) -> Function {
        Function(name, [overload]) { arguments, meter throws(Failure) in
            let list = try arguments.list(0)
            try meter.spend(elements: 2 * list.count)
            var values: [Value] = []
            for element in list.elements {
                guard case .optional(let optional) = element else { throw arguments.mismatch }
                if let value = optional.value { values.append(value) }
            }
            return .list(ValueList(values))
        }
    }
}

extension Value {
    /// Whether this is the value of a field that was never set.
    fileprivate var isZero: Bool {
        switch self {
        case .null: true
        case .bool(let flag): !flag
        case .int(let number): number == 0
        case .uint(let number): number == 0
        case .double(let number): number == 0
        case .string(let text): text.isEmpty
        case .bytes(let bytes): bytes.isEmpty
        case .list(let list): list.isEmpty
        case .map(let map): map.isEmpty
        case .timestamp(let moment): moment.seconds == 0 && moment.nanos == 0
        case .duration(let span): span.seconds == 0 && span.nanos == 0
        case .type: false
        case .optional(let optional): optional.value == nil
        }
    }
}
