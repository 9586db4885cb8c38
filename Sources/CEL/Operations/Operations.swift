extension Value {
    /// True, false, or nil for a failure that may still be absorbed.
    func outcome() throws(Failure) -> Bool? {
        if case .bool(let flag) = self { return flag }
        if failureNumber != nil { return nil }
        throw isNoBool
    }

    var isNoBool: Failure {
        .type("a bool is needed, not \(typeName.rawValue)")
    }

    /// What two outcomes of `&&` or `||` make: the deciding bool wins over failures, the first
    /// failure over the rest.
    func joined(with other: Value, isAnd: Bool) throws(Failure) -> Value {
        if try outcome() == !isAnd { return self }
        if try other.outcome() == !isAnd { return other }
        return failureNumber != nil ? self : other
    }

    func applying(_ operation: Operation, isStrict: Bool) throws(Failure) -> Value {
        switch (operation, self) {
        case (.not, .bool(let flag)): return .bool(!flag)
        case (.negate, .double(let number)): return .double(-number)
        case (.negate, .int(let number)):
            guard number != .min else { throw .overflow("the result does not fit in an int") }
            return .int(-number)
        case (.negate, .uint(let number)) where !isStrict:
            guard let result = Value(whole: -Int128(number)) else {
                throw .overflow("the result does not fit in an int")
            }
            return result
        default: throw .noOverload(operation == .not ? "!" : "-", [typeName])
        }
    }

    // MARK: Fields

    func field(_ key: FieldKey) throws(Failure) -> Value {
        switch self {
        case .map(let map):
            guard let position = map.position(of: key.name, tag: key.tag) else {
                throw Failure(code: .noKey, message: "the map has no key '\(key.name)'")
            }
            return map[position].value
        case .optional:
            return try optionalField(key)
        default:
            throw .type("a value of type \(typeName.rawValue) has no fields")
        }
    }

    func hasField(_ key: FieldKey) throws(Failure) -> Bool {
        switch self {
        case .map(let map): return map.position(of: key.name, tag: key.tag) != nil
        case .optional(let optional): return try optional.container?.hasField(key) ?? false
        default: throw .type("a value of type \(typeName.rawValue) has no fields")
        }
    }

    func optionalField(_ key: FieldKey) throws(Failure) -> Value {
        switch self {
        case .map(let map):
            let position = map.position(of: key.name, tag: key.tag)
            return .optional(OptionalValue(position.map { map[$0].value }))
        case .optional(let optional):
            return try optional.container?.optionalField(key) ?? .optional(.none)
        default:
            throw .type("a value of type \(typeName.rawValue) has no fields")
        }
    }

    /// The value of an optional, nil when it has none.
    func unwrapped() throws(Failure) -> Value? {
        guard case .optional(let optional) = self else {
            throw .type("an optional is needed, not \(typeName.rawValue)")
        }
        return optional.value
    }
}

extension OptionalValue {
    /// The value in which fields and elements are looked up; an optional within an optional has
    /// none.
    fileprivate var container: Value? {
        get throws(Failure) {
            guard case .optional? = value else { return value }
            throw .type("a value of type \(TypeName.optional.rawValue) has no fields and no elements")
        }
    }
}

extension Meter {
    /// Any operation with two operands that the main loop has not done itself.
    mutating func binary(_ operation: Operation, _ a: Value, _ b: Value) throws(Failure) -> Value {
        try spend(2)
        switch operation {
        case .equal: return .bool(try areEqual(a, b))
        case .notEqual: return .bool(try !areEqual(a, b))
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return .bool(try compare(operation, a, b))
        case .isIn: return .bool(try contains(b, a))
        case .index: return try element(of: a, at: b)
        case .optionalIndex: return try optionalElement(of: a, at: b)
        default: return try arithmetic(operation, a, b)
        }
    }

    /// Equality within the budget.
    mutating func areEqual(_ a: Value, _ b: Value) throws(Failure) -> Bool {
        let result = a.equals(b, spending: &fuel)
        if fuel < 0 { throw .cost }
        return result
    }

    private mutating func compare(_ operation: Operation, _ a: Value, _ b: Value) throws(Failure) -> Bool {
        guard let order = try order(a, b) else {
            throw .noOverload(operation.symbol, [a.typeName, b.typeName])
        }
        switch operation {
        case .less: return order == .less
        case .lessOrEqual: return order == .less || order == .equal
        case .greater: return order == .greater
        default: return order == .greater || order == .equal
        }
    }

    /// The order of two values that have one.
    mutating func order(_ a: Value, _ b: Value) throws(Failure) -> Order? {
        switch (a, b) {
        case (.int, .int), (.int, .uint), (.int, .double), (.uint, .int), (.uint, .uint), (.uint, .double),
            (.double, .int), (.double, .uint), (.double, .double):
            return numericOrder(a, b)
        case (.string(let a), .string(let b)):
            try spend(bytes: min(a.utf8.count, b.utf8.count))
            return Order(a.comparesBytes(to: b))
        case (.bytes(let a), .bytes(let b)):
            try spend(bytes: min(a.count, b.count))
            return unsafe Order(
                a.withUnsafeBufferPointer { a in
                    unsafe b.withUnsafeBufferPointer { unsafe CEL.compare(a, $0) }
                }
            )
        case (.bool(let a), .bool(let b)): return Order(a ? 1 : 0, b ? 1 : 0)
        case (.timestamp(let a), .timestamp(let b)): return Order(a, b)
        case (.duration(let a), .duration(let b)): return Order(a, b)
        default: return nil
        }
    }

    // MARK: Elements

    private mutating func contains(_ container: Value, _ element: Value) throws(Failure) -> Bool {
        switch container {
        case .list(let list):
            for candidate in list.elements {
                try spend(1)
                if try areEqual(candidate, element) { return true }
            }
            return false
        case .map(let map):
            return try mapPosition(element, in: map) != nil
        default:
            throw .noOverload("in", [element.typeName, container.typeName])
        }
    }

    private mutating func element(of container: Value, at index: Value) throws(Failure) -> Value {
        switch container {
        case .list(let list):
            guard let position = try listPosition(index) else { throw .index }
            guard list.indices.contains(position) else { throw .index }
            return list[position]
        case .map(let map):
            guard let position = try mapPosition(index, in: map) else {
                throw Failure(code: .noKey, message: "the map does not have this key")
            }
            return map[position].value
        case .optional:
            return try optionalElement(of: container, at: index)
        default:
            throw .noOverload("[]", [container.typeName, index.typeName])
        }
    }

    private mutating func optionalElement(of container: Value, at index: Value) throws(Failure) -> Value {
        switch container {
        case .list(let list):
            guard let position = try listPosition(index), list.indices.contains(position) else {
                return .optional(.none)
            }
            try spend(Price.object)
            return .optional(OptionalValue(list[position]))
        case .map(let map):
            let position = try mapPosition(index, in: map)
            try spend(Price.object)
            return .optional(OptionalValue(position.map { map[$0].value }))
        case .optional(let optional):
            guard let value = try optional.container else { return container }
            return try optionalElement(of: value, at: index)
        default:
            throw .noOverload("[?]", [container.typeName, index.typeName])
        }
    }

    private func listPosition(_ index: Value) throws(Failure) -> Int? {
        switch index {
        case .int(let number): return Int(exactly: number)
        case .uint(let number): return Int(exactly: number)
        case .double(let number):
            guard let position = Int(exactly: number) else { throw .index }
            return position
        default: throw .noOverload("[]", [.list, index.typeName])
        }
    }

    private mutating func mapPosition(_ key: Value, in map: ValueMap) throws(Failure) -> Int? {
        try spend(Price.lookUp)
        switch key {
        case .string(let text): try spend(bytes: text.utf8.count)
        case .bool, .int, .uint, .double: break
        default: throw .noOverload("[]", [.map, key.typeName])
        }
        return map.position(of: key)
    }
}

extension Failure {
    fileprivate static let index = Failure(code: .index, message: "the index is outside the list")
}
