/// CEL equality: numbers by value whatever their type (an integer beside a double beyond 2^53 as
/// the nearest double), strings by their bytes, containers by their contents; values of different
/// kinds differ; NaN equals nothing.
///
/// Descends by recursion: values nest at most `maximumNestingDepth` deep unless made deeper by
/// hand.
extension Value: Equatable {
    /// Equality as CEL has it; NaN differs from itself.
    public static func == (a: Value, b: Value) -> Bool {
        var units = Int.max
        return a.equals(b, spending: &units)
    }

    /// Equality that counts what it costs: a unit per element, one for eight bytes, some for each
    /// list, map and key.
    ///
    /// When `units` falls below zero the answer means nothing.
    func equals(_ other: Value, spending units: inout Int) -> Bool {
        units &-= 1
        switch (self, other) {
        case (.null, .null): return true
        case (.bool(let a), .bool(let b)): return a == b
        case (.int(let a), .int(let b)): return a == b
        case (.double(let a), .double(let b)): return a == b
        case (.int, .uint), (.int, .double), (.uint, .uint), (.uint, .int), (.uint, .double), (.double, .int),
            (.double, .uint):
            return numericOrder(self, other) == .equal
        case (.string(let a), .string(let b)):
            units &-= 1 + a.utf8.count >> 3
            return a.hasSameBytes(as: b)
        case (.bytes(let a), .bytes(let b)):
            units &-= a.count >> 3
            return a == b
        case (.list(let a), .list(let b)): return a.equals(b, spending: &units)
        case (.map(let a), .map(let b)): return a.equals(b, spending: &units)
        case (.timestamp(let a), .timestamp(let b)): return a == b
        case (.duration(let a), .duration(let b)): return a == b
        case (.type(let a), .type(let b)): return a == b
        case (.optional(let a), .optional(let b)):
            switch (a.value, b.value) {
            case (nil, nil): return true
            case (let a?, let b?): return a.equals(b, spending: &units)
            default: return false
            }
        default: return false
        }
    }
}

extension ValueList {
    fileprivate func equals(_ other: ValueList, spending units: inout Int) -> Bool {
        units &-= 2
        let (mine, theirs) = (elements, other.elements)
        guard mine.count == theirs.count else { return false }
        for position in mine.indices {
            guard units >= 0, mine[position].equals(theirs[position], spending: &units) else { return false }
        }
        return true
    }
}

extension ValueMap {
    fileprivate func equals(_ other: ValueMap, spending units: inout Int) -> Bool {
        units &-= 2
        guard count == other.count else { return false }
        for entry in self {
            units &-= Price.lookUp
            if case .string(let key) = entry.key { units &-= key.utf8.count >> 3 }
            guard units >= 0, let value = other[key: entry.key] else { return false }
            guard entry.value.equals(value, spending: &units) else { return false }
        }
        return true
    }
}

/// How two values stand to each other.
package enum Order {
    case less, equal, greater
    /// A NaN is involved.
    case none

    init(_ difference: Int) {
        self = difference < 0 ? .less : difference > 0 ? .greater : .equal
    }

    init<T: Comparable>(_ a: T, _ b: T) {
        self = a < b ? .less : b < a ? .greater : .equal
    }

    var reversed: Order {
        switch self {
        case .less: .greater
        case .greater: .less
        default: self
        }
    }
}

/// The order of two numbers; anything else than numbers has none.
package func numericOrder(_ a: Value, _ b: Value) -> Order {
    switch (a, b) {
    case (.int(let a), .int(let b)): Order(a, b)
    case (.uint(let a), .uint(let b)): Order(a, b)
    case (.double(let a), .double(let b)): a.isNaN || b.isNaN ? .none : Order(a, b)
    case (.int(let a), .uint(let b)): a < 0 ? .less : Order(UInt64(a), b)
    case (.uint(let a), .int(let b)): b < 0 ? .greater : Order(a, UInt64(b))
    case (.int(let a), .double(let b)): order(a, b)
    case (.double(let a), .int(let b)): order(b, a).reversed
    case (.uint(let a), .double(let b)): order(a, b)
    case (.double(let a), .uint(let b)): order(b, a).reversed
    default: .none
    }
}

/// An integer beside a double is taken as the nearest double, as the published cases have it; one
/// that has no double, beside one that holds every whole number up to it, as it is.
private func order(_ integer: some BinaryInteger, _ number: Double) -> Order {
    if integer.magnitude > 1 << 53, number.magnitude <= 0x1p53 { return Order(Int(integer.signum())) }
    return number.isNaN ? .none : Order(Double(integer), number)
}
