extension Operation {
    /// How it is written in an expression.
    var symbol: String {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        case .remainder: "%"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        default: "?"
        }
    }
}

extension Meter {
    /// Arithmetic that never traps: what does not fit is a failure.
    ///
    /// Mixed numbers become doubles unless strict, and whole ones stay exact.
    mutating func arithmetic(_ operation: Operation, _ a: Value, _ b: Value) throws(Failure) -> Value {
        if !isStrict, let result = try exactly(operation, a, b) { return result }
        switch (a, b) {
        case (.int(let a), .int(let b)): return .int(try integer(operation, a, b))
        case (.uint(let a), .uint(let b)): return .uint(try integer(operation, a, b))
        case (.double(let x), .double(let y)):
            if let result = try number(operation, x, y) { return .double(result) }
        case (.int, .uint), (.int, .double), (.uint, .int), (.uint, .double), (.double, .int),
            (.double, .uint):
            if !isStrict, let x = a.number, let y = b.number, let result = try number(operation, x, y) {
                return .double(result)
            }
        default:
            if let result = try operation == .add
                ? sum(a, b) : operation == .subtract ? difference(a, b) : nil
            {
                return result
            }
        }
        throw .noOverload(operation.symbol, [a.typeName, b.typeName])
    }

    private func integer<T: FixedWidthInteger>(_ operation: Operation, _ a: T, _ b: T) throws(Failure) -> T {
        let (result, overflow): (T, Bool)
        switch operation {
        case .add: (result, overflow) = a.addingReportingOverflow(b)
        case .subtract: (result, overflow) = a.subtractingReportingOverflow(b)
        case .multiply: (result, overflow) = a.multipliedReportingOverflow(by: b)
        case .divide:
            guard b != 0 else { throw Failure(code: .divide, message: "division by zero") }
            (result, overflow) = a.dividedReportingOverflow(by: b)
        default:
            guard b != 0 else { throw Failure(code: .divide, message: "remainder of a division by zero") }
            (result, overflow) = a.remainderReportingOverflow(dividingBy: b)
        }
        if overflow { throw .overflow("the result does not fit in \(T.isSigned ? "an int" : "a uint")") }
        return result
    }

    private mutating func number(
        _ operation: Operation,
        _ x: Double,
        _ y: Double
    ) throws(Failure) -> Double? {
        switch operation {
        case .add: return x + y
        case .subtract: return x - y
        case .multiply:
            try spend(Price.product)
            return x * y
        case .divide:
            try spend(Price.product)
            return x / y
        default:
            guard !isStrict else { return nil }
            try spend(Price.product)
            // It is found bit by bit of the quotient.
            if x.isFinite, y.isFinite, x != 0, y != 0 {
                try spend(max(0, Int(x.exponent - y.exponent)) >> 2)
            }
            return x.truncatingRemainder(dividingBy: y)
        }
    }

    private mutating func sum(_ a: Value, _ b: Value) throws(Failure) -> Value? {
        switch (a, b) {
        case (.string(let a), .string(let b)):
            return try joined(a, b)
        case (.bytes(let a), .bytes(let b)):
            try spend(Price.object)
            try spend(bytes: a.count + b.count)
            return .bytes(a + b)
        case (.list(let a), .list(let b)):
            try spend(elements: a.count + b.count)
            return .list(ValueList(a.elements + b.elements))
        case (.timestamp(let moment), .duration(let span)), (.duration(let span), .timestamp(let moment)):
            return .timestamp(try moment.adding(span).orOverflow("timestamp"))
        case (.duration(let a), .duration(let b)):
            return .duration(try a.adding(b).orOverflow("duration"))
        default:
            return nil
        }
    }

    /// The concatenation of two strings.
    mutating func joined(_ a: String, _ b: String) throws(Failure) -> Value {
        try spend(bytes: a.utf8.count + b.utf8.count)
        let text = Value.string(a + b)
        try spend(memoryOf: text)
        return text
    }

    private func difference(_ a: Value, _ b: Value) throws(Failure) -> Value? {
        switch (a, b) {
        case (.timestamp(let a), .timestamp(let b)):
            return .duration(try a.since(b).orOverflow("duration"))
        case (.timestamp(let moment), .duration(let span)):
            return .timestamp(try moment.adding(span.negated).orOverflow("timestamp"))
        case (.duration(let a), .duration(let b)):
            return .duration(try a.adding(b.negated).orOverflow("duration"))
        default:
            return nil
        }
    }
}

extension Optional {
    /// The value, or the failure that the result is out of its type's range.
    func orOverflow(_ type: String) throws(Failure) -> Wrapped {
        guard let self else { throw .overflow("the result is out of the range of \(type)") }
        return self
    }
}

extension Value {
    /// Any number as a double, rounded where it must be.
    package var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .uint(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
