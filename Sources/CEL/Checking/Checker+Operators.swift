extension Checker {
    mutating func unary(_ operation: UnaryOperator, _ operand: Checked, at offset: Int) -> Checked {
        let type = operand.type
        switch (operation, type) {
        case (.not, .bool), (.not, .dyn), (.negate, .int), (.negate, .double), (.negate, .dyn):
            let result: StaticType = operation == .not ? .bool : type
            return Checked(.unary(operation, operand), type: result, at: offset)
        default:
            return report(.type, "'\(operation.rawValue)' does not take (\(type))", at: offset)
        }
    }

    mutating func binary(
        _ operation: BinaryOperator,
        _ left: Checked,
        _ right: Checked,
        at offset: Int
    ) -> Checked {
        guard let type = resultType(operation, left.type, right.type) else {
            let hint = numberHint(left.type, right.type)
            let message = "'\(operation.rawValue)' does not take (\(left.type), \(right.type))"
            return report(.type, message, at: offset, hint: hint)
        }
        return Checked(.binary(operation, left, right), type: type, at: offset)
    }

    private func numberHint(_ left: StaticType, _ right: StaticType) -> String? {
        guard left.isNumber, right.isNumber else { return nil }
        return "convert with int(), uint() or double(), or leave strict mode"
    }

    /// The type of a result, or nil where no values of these types can have one.
    private func resultType(
        _ operation: BinaryOperator,
        _ left: StaticType,
        _ right: StaticType
    ) -> StaticType? {
        switch operation {
        case .add, .subtract, .multiply, .divide, .remainder:
            arithmeticType(operation, left, right)
        case .equal, .notEqual:
            isComparable(left, right) ? .bool : nil
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            areOrdered(left, right) ? .bool : nil
        case .isIn:
            isSearchable(right, for: left) ? .bool : nil
        }
    }

    private func arithmeticType(
        _ operation: BinaryOperator,
        _ left: StaticType,
        _ right: StaticType
    ) -> StaticType? {
        if left.isNumber, right.isNumber {
            guard left == right else { return mixesNumbers ? .double : nil }
            return operation == .remainder && left == .double && !mixesNumbers ? nil : left
        }
        switch (operation, left, right) {
        case (.add, .string, .string), (.add, .bytes, .bytes), (.add, .duration, .duration),
            (.subtract, .duration, .duration):
            return left
        case (.add, .timestamp, .duration), (.add, .duration, .timestamp), (.subtract, .timestamp, .duration):
            return .timestamp
        case (.subtract, .timestamp, .timestamp):
            return .duration
        case (.add, .list(let a), .list(let b)):
            return a.mayBe(b, mixingNumbers: mixesNumbers) || mixesNumbers ? left.joined(with: right) : nil
        case (_, .dyn, .dyn):
            return .dyn
        case (_, .dyn, let known), (_, let known, .dyn):
            return arithmeticType(operation, withOne: known)
        default:
            return nil
        }
    }

    /// The type when only one side's is known.
    private func arithmeticType(_ operation: BinaryOperator, withOne known: StaticType) -> StaticType? {
        switch (operation, known) {
        case (_, .int), (_, .uint): mixesNumbers ? .dyn : known
        case (.remainder, .double): mixesNumbers ? .double : nil
        case (_, .double): .double
        case (.add, .string), (.add, .bytes): known
        case (.add, .list): .list(.dyn)
        case (.add, .timestamp): .timestamp
        case (.add, .duration), (.subtract, .timestamp), (.subtract, .duration): .dyn
        default: nil
        }
    }

    private func areOrdered(_ left: StaticType, _ right: StaticType) -> Bool {
        func hasOrder(_ type: StaticType) -> Bool {
            switch type {
            case .dyn, .bool, .int, .uint, .double, .string, .bytes, .timestamp, .duration: true
            default: false
            }
        }
        return hasOrder(left) && hasOrder(right) && left.mayBe(right, mixingNumbers: mixesNumbers)
    }

    private func isSearchable(_ container: StaticType, for element: StaticType) -> Bool {
        switch container {
        case .dyn: true
        case .list(let type): isComparable(element, type)
        // Null cannot be a key, and is refused as one.
        case .map(let type, _): element.mayBe(type, mixingNumbers: mixesNumbers)
        default: false
        }
    }

    /// Whether values of these types may be equal; where not strict, anything may be compared with
    /// null.
    private func isComparable(_ left: StaticType, _ right: StaticType) -> Bool {
        left.mayBe(right, mixingNumbers: mixesNumbers)
            || (mixesNumbers && (left == .null || right == .null))
    }

    mutating func logical(isAnd: Bool, _ operands: [Syntax], at offset: Int) -> Checked {
        var checked: [Checked] = []
        for syntax in operands {
            let operand = check(syntax)
            if operand.type != .bool, operand.type != .dyn {
                _ = report(
                    .type,
                    "'\(isAnd ? "&&" : "||")' takes bools, and this is of type \(operand.type)",
                    at: syntax.offset
                )
            }
            checked.append(operand)
        }
        return Checked(.logical(isAnd: isAnd, checked), type: .bool, at: offset)
    }

    mutating func conditional(
        _ condition: Checked,
        _ then: Checked,
        _ otherwise: Checked,
        at offset: Int
    ) -> Checked {
        if condition.type != .bool, condition.type != .dyn {
            return report(
                .type,
                "the condition of '?' is of type \(condition.type), not bool",
                at: condition.offset
            )
        }
        if options.isStrict, !then.type.mayBe(otherwise.type, mixingNumbers: false) {
            return report(
                .type,
                "'?' must give the same type both ways, not \(then.type) and \(otherwise.type)",
                at: offset
            )
        }
        return Checked(
            .conditional(condition, then, otherwise),
            type: then.type.joined(with: otherwise.type),
            at: offset
        )
    }
}
