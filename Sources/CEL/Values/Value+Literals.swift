extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    /// `nil` is null.
    public init(nilLiteral: ()) {
        self = .null
    }

    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// A number without a point is an int.
    public init(integerLiteral value: Int64) {
        self = .int(value)
    }
}

extension Value: ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    /// A number with a point is a double.
    public init(floatLiteral value: Double) {
        self = .double(value)
    }

    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension Value: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: Value...) {
        self = .list(ValueList(elements))
    }

    /// A map with these entries in this order; of equal keys the first stays.
    ///
    /// Keys must be strings, bools, ints or uints; anything else is a programming error.
    public init(dictionaryLiteral elements: (Value, Value)...) {
        var builder = ValueMap.Builder(capacity: elements.count)
        for (key, value) in elements {
            precondition(key.isMapKey, "a map key must be a string, bool, int or uint")
            _ = builder.append(key: key, value)
        }
        self = .map(builder.finish())
    }
}
