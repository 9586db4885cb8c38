/// Computes beforehand what depends on nothing.
///
/// Each largest part without variables is evaluated once; when that fails, or what comes out is
/// large, the part stays as it is, and its failure, if it is one, comes at run time. The budget is
/// small, so that an expression takes no longer than its text explains: what is left when it is
/// spent stays as it is.
struct Folding {
    /// What one part may cost, in units.
    private static let cost = 1_000
    /// What it costs to compile a part, in units for each of its expressions.
    private static let compilation = 10

    private let options: Options
    /// Bytes of text, and elements, that a result may have: not many more than the text that it was
    /// made from.
    private let largestResult: Int
    private var unitsLeft = 10_000

    init(_ source: String, options: Options) {
        self.options = options
        largestResult = 64 + source.utf8.count
    }

    mutating func fold(_ checked: Checked) -> Checked {
        if case .constant = checked.form { return checked }
        if unitsLeft > 0, checked.needs.isClosed, let value = evaluate(checked) {
            return Checked(.constant(value), type: checked.type, at: checked.offset)
        }
        return checked.mapChildren { fold($0) }.simplified
    }

    private mutating func evaluate(_ checked: Checked) -> Value? {
        unitsLeft -= Self.compilation * checked.needs.size
        guard let code = try? Compiler.compile(checked, options: options, argumentCount: 0) else {
            return nil
        }
        return unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) {
            var spent = 0
            defer { unitsLeft -= spent }
            return unsafe try? code.evaluate(
                UnsafePointer($0.baseAddress!),
                cost: Folding.cost,
                outputBytes: largestResult,
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
