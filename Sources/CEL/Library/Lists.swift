/// The published lists extension; `reverse` is with the strings, `sortBy` with the macros.
enum Lists {
    static let functions: [Function] = [
        Function("lists.range", [.global(.int, gives: .list(.int))]) { arguments, meter throws(Failure) in
            let count = try arguments.int(0, meter)
            guard count >= 0 else { throw .badValue("a range may not be negative") }
            try meter.spend(Price.object)
            try meter.spend(count)
            return .list(ValueList((0..<count).map { .int(Int64($0)) }))
        },
        Function("slice", [.method(.list(.a), .int, .int, gives: .list(.a))]) {
            arguments,
            meter throws(Failure) in
            let list = try arguments.list(0)
            let (start, end) = try (arguments.int(1, meter), arguments.int(2, meter))
            guard 0 <= start, start <= end, end <= list.count else {
                throw Failure(code: .index, message: "the slice is outside the list")
            }
            try meter.spend(elements: end - start)
            return .list(ValueList(Array(list.elements[start..<end])))
        },
        Function(
            "flatten",
            [.method(.list(.dyn), gives: .list(.dyn)), .method(.list(.dyn), .int, gives: .list(.dyn))]
        ) { arguments, meter throws(Failure) in
            let depth = try arguments.count > 1 ? arguments.int(1, meter) : 1
            guard depth >= 0 else { throw .badValue("the depth may not be negative") }
            var flat: [Value] = []
            try flatten(arguments.list(0), depth, into: &flat, &meter)
            return .list(ValueList(flat))
        },
        Function("distinct", [.method(.list(.a), gives: .list(.a))]) { arguments, meter throws(Failure) in
            var kept: [Value] = []
            try meter.spend(Price.object)
            next: for element in try arguments.list(0).elements {
                try meter.spend(3)
                for other in kept where try meter.areEqual(element, other) {
                    continue next
                }
                kept.append(element)
            }
            return .list(ValueList(kept))
        },
        Function("sort", [.method(.list(.a), gives: .list(.a))]) { arguments, meter throws(Failure) in
            let list = try arguments.list(0).elements
            return .list(ValueList(try sorted(list, by: list, &meter)))
        },
        Function("first", [.method(.list(.a), gives: .optional(.a))]) { arguments, _ throws(Failure) in
            .optional(OptionalValue(try arguments.list(0).first))
        },
        Function("last", [.method(.list(.a), gives: .optional(.a))]) { arguments, _ throws(Failure) in
            .optional(OptionalValue(try arguments.list(0).last))
        },
    ]

    /// Behind the macro `sortBy`: the second list in the order of the first.
    static let sortByKeys = Function(
        "sortBy",
        [.global(.list(.a), .list(.b), gives: .list(.a))]
    ) { arguments, meter throws(Failure) in
        let sorted = try sorted(arguments.list(1).elements, by: arguments.list(0).elements, &meter)
        return .list(ValueList(sorted))
    }

    /// Descends at most as deeply as values nest.
    private static func flatten(
        _ list: ValueList,
        _ depth: Int,
        into flat: inout [Value],
        _ meter: inout Meter
    ) throws(Failure) {
        try meter.spend(Price.object)
        for element in list.elements {
            try meter.spend(4)
            if depth > 0, case .list(let inner) = element {
                try flatten(inner, depth - 1, into: &flat, &meter)
            } else {
                flat.append(element)
            }
        }
    }

    /// Merge sort from below: stable, no recursion, every comparison paid for.
    private static func sorted(
        _ values: [Value],
        by keys: [Value],
        _ meter: inout Meter
    ) throws(Failure) -> [Value] {
        try meter.spend(elements: 2 * keys.count)
        try check(keys, mixesNumbers: !meter.isStrict)
        var order = Array(values.indices)
        var width = 1
        while width < order.count {
            var merged: [Int] = []
            merged.reserveCapacity(order.count)
            var start = 0
            while start < order.count {
                let middle = min(start + width, order.count)
                let end = min(start + 2 * width, order.count)
                var (left, right) = (start, middle)
                while left < middle || right < end {
                    try meter.spend(2)
                    var takesLeft = right >= end
                    if !takesLeft, left < middle {
                        takesLeft = try meter.order(keys[order[right]], keys[order[left]]) != .less
                    }
                    merged.append(order[takesLeft ? left : right])
                    left += takesLeft ? 1 : 0
                    right += takesLeft ? 0 : 1
                }
                start = end
            }
            order = merged
            width *= 2
        }
        return order.map { values[$0] }
    }

    private static func check(_ keys: [Value], mixesNumbers: Bool) throws(Failure) {
        guard let first = keys.first else { return }
        for key in keys {
            switch key {
            case .bool, .int, .uint, .double, .string, .bytes, .timestamp, .duration: break
            default: throw .type("values of type \(key.typeName.rawValue) have no order")
            }
            let areNumbers = mixesNumbers && key.number != nil && first.number != nil
            guard areNumbers || key.typeName == first.typeName else {
                throw .type(
                    "values of types \(first.typeName.rawValue) and \(key.typeName.rawValue) have no order"
                )
            }
        }
    }
}
