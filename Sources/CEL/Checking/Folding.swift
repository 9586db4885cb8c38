/// Computes beforehand what depends on nothing.
///
/// Each largest part without variables is evaluated once, under a small budget; when that fails, or what comes out
/// is large, the part stays as it is, and its failure, if it is one, comes at run time. After a number of failures, the
/// fewer the larger the parts, nothing is tried any more, so that folding takes a bounded time.
struct Folding {
    private static let cost = 1_000
    private static let largestResult = 1_000

    let options: Options
    private var failuresLeft = 200
    /// How many expressions may be compiled for nothing.
    private var waste = 50_000

    init(options: Options) {
        self.options = options
    }

    mutating func fold(_ checked: Checked) -> Checked {
        if case .constant = checked.form { return checked }
        if failuresLeft > 0, waste > 0, checked.needs.isClosed {
            if let value = evaluate(checked) {
                return Checked(.constant(value), type: checked.type, at: checked.offset)
            }
            failuresLeft -= 1
            waste -= checked.needs.size
        }
        return checked.mapChildren { fold($0) }.simplified
    }

    private func evaluate(_ checked: Checked) -> Value? {
        guard let code = try? Compiler.compile(checked, options: options, argumentCount: 0) else {
            return nil
        }
        return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) {
            var spent = 0
            return try? code.evaluate(
                UnsafePointer($0.baseAddress!),
                cost: Folding.cost,
                outputBytes: Folding.largestResult,
                spent: &spent
            )
        }
    }
}

extension Checked {
    /// The same form with other children.
    fileprivate func mapChildren(_ change: (Checked) -> Checked) -> Checked {
        let changed: Form
        switch form {
        case .constant, .failure, .argument, .local: return self
        case .select(let operand, let field, let isOptional):
            changed = .select(change(operand), field: field, isOptional: isOptional)
        case .has(let operand, let field): changed = .has(change(operand), field: field)
        case .index(let operand, let index, let isOptional):
            changed = .index(change(operand), change(index), isOptional: isOptional)
        case .unary(let operation, let operand): changed = .unary(operation, change(operand))
        case .binary(let operation, let left, let right):
            changed = .binary(operation, change(left), change(right))
        case .logical(let isAnd, let operands): changed = .logical(isAnd: isAnd, operands.map(change))
        case .conditional(let condition, let then, let otherwise):
            changed = .conditional(change(condition), change(then), change(otherwise))
        case .call(let function, let arguments): changed = .call(function, arguments.map(change))
        case .list(let elements): changed = .list(elements.map { (change($0.value), $0.isOptional) })
        case .map(let entries):
            changed = .map(entries.map { (change($0.key), change($0.value), $0.isOptional) })
        case .comprehension(let comprehension):
            changed = .comprehension(
                Comprehension(
                    kind: comprehension.kind,
                    range: change(comprehension.range),
                    keyLocal: comprehension.keyLocal,
                    valueLocal: comprehension.valueLocal,
                    condition: comprehension.condition.map(change),
                    body: change(comprehension.body)
                )
            )
        case .bind(let local, let initial, let body):
            changed = .bind(local: local, initial: change(initial), body: change(body))
        case .optionalMap(let optional, let local, let body, let isFlat):
            changed = .optionalMap(change(optional), local: local, body: change(body), isFlat: isFlat)
        }
        return Checked(changed, type: type, at: offset)
    }

    /// Without a choice that a constant has made already.
    fileprivate var simplified: Checked {
        switch form {
        case .conditional(let condition, let then, let otherwise):
            guard case .bool(let flag)? = condition.constant else { return self }
            return flag ? then : otherwise
        case .logical(let isAnd, let operands):
            // One deciding operand absorbs even the failures of the others.
            let isDecided = operands.contains {
                if case .bool(let flag)? = $0.constant { return flag != isAnd }
                return false
            }
            return isDecided ? Checked(.constant(.bool(!isAnd)), type: .bool, at: offset) : self
        default:
            return self
        }
    }
}
