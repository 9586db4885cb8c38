/// Turns a checked tree into instructions.
///
/// Keeps count of the stack's height as the instructions will leave it, so that a macro's variables
/// are fixed slots counted from its bottom.
struct Compiler {
    private(set) var instructions: [Instruction] = []
    private(set) var constants: [Value] = []
    private(set) var keys: [FieldKey] = []
    private(set) var functions: [Function] = []
    private(set) var matchers: [any RegexMatcher] = []
    private(set) var handlers: [Handler] = []
    var borrowings: [Borrowing] = []
    private(set) var offsets: [Int32] = []
    private(set) var stackSize = 1

    private let literals: LiteralPatterns?
    var height = 0 {
        didSet { stackSize = max(stackSize, height) }
    }
    var builderCount = 0
    /// Where macros' variables are, by their numbers.
    var slots: [Int: Int] = [:]
    /// Variables that may hold a failure.
    private var failing: Set<Int> = []

    /// The code for `checked`.
    ///
    /// - Throws: when a pattern that folding made is not a valid regular expression; literal ones
    ///   have been checked.
    static func compile(_ checked: Checked, options: Options, argumentCount: Int) throws(BadPattern) -> Code {
        var compiler = Compiler(options.literals)
        try compiler.value(checked)
        compiler.emit(Instruction(.end), at: checked.offset)
        return Code(compiler, options: options, argumentCount: argumentCount)
    }

    private init(_ literals: LiteralPatterns?) {
        self.literals = literals
    }

    // MARK: Values

    /// Emits what leaves the value of `checked` on the stack.
    mutating func value(_ checked: Checked) throws(BadPattern) {
        let offset = checked.offset
        switch checked.form {
        case .constant, .argument, .local:
            try unary(Instruction(.push), checked, at: offset)
        case .failure(let message):
            emit(Instruction(.fail, a: constant(.string(message))), at: offset)
            height += 1
        case .select(let operand, let field, let isOptional):
            let key = key(field)
            try unary(Instruction(isOptional ? .optionalSelect : .select, b: key), operand, at: offset)
        case .has(let operand, let field):
            let key = key(field)
            try unary(Instruction(.has, b: key), operand, at: offset)
        case .index(let operand, let index, let isOptional):
            try binary(isOptional ? .optionalIndex : .index, operand, index, at: offset)
        case .unary(let operation, let operand):
            try unary(Instruction(operation == .not ? .not : .negate), operand, at: offset)
        case .binary(let operation, let left, let right):
            if let texts = checked.chainOfTexts { return try join(texts, at: offset) }
            try binary(operation.instruction, left, right, at: offset)
        case .logical(let isAnd, let operands):
            try logical(isAnd: isAnd, operands, at: offset)
        case .conditional(let condition, let then, let otherwise):
            try conditional(condition, then, otherwise, at: offset)
        case .call(let function, let arguments):
            try call(function, arguments, at: offset)
        case .list(let elements):
            try list(elements, at: offset)
        case .map(let entries):
            try map(entries, at: offset)
        case .comprehension(let comprehension):
            try self.comprehension(comprehension, at: offset)
        case .bind(let local, let initial, let body):
            let start = instructions.count
            try value(initial)
            slots[local] = height - 1
            // A failure counts where the variable is used, and not at all where it is not.
            guarded(from: start, stackHeight: height - 1)
            failing.insert(local)
            try value(body)
            emit(Instruction(.slide, a: 1), at: offset)
            height -= 1
        case .optionalMap(let optional, let local, let body, let isFlat):
            try value(optional)
            let skip = emit(Instruction(.unwrap), at: offset)
            slots[local] = height - 1
            try value(body)
            emit(Instruction(isFlat ? .checkOptional : .wrap), at: offset)
            emit(Instruction(.slide, a: 1), at: offset)
            height -= 1
            instructions[skip].a = here
        }
    }

    private mutating func unary(
        _ instruction: Instruction,
        _ operand: Checked,
        at offset: Int
    ) throws(BadPattern) {
        var instruction = instruction
        let read = try read(operand)
        (instruction.left, instruction.a) = (read.place, read.distance)
        instruction.pops = read.isTemporary ? 1 : 0
        emit(instruction, at: offset)
        height += 1 - Int(instruction.pops)
    }

    private mutating func binary(
        _ operation: Operation,
        _ left: Checked,
        _ right: Checked,
        at offset: Int
    ) throws(BadPattern) {
        let (left, right) = try (read(left), read(right))
        var instruction = Instruction(operation)
        (instruction.left, instruction.a) = (left.place, left.distance)
        (instruction.right, instruction.b) = (right.place, right.distance)
        instruction.pops = (left.isTemporary ? 1 : 0) + (right.isTemporary ? 1 : 0)
        emit(instruction, at: offset)
        height += 1 - Int(instruction.pops)
    }

    /// Puts texts together at once: one after the other, a chain of `+` copies what it has with
    /// each.
    private mutating func join(_ texts: [Checked], at offset: Int) throws(BadPattern) {
        for text in texts { try value(text) }
        emit(Instruction(.join, a: texts.count), at: offset)
        height += 1 - texts.count
    }

    /// Where an operand can be read: where it lies already, or on the stack, where this puts it.
    private mutating func read(
        _ operand: Checked
    ) throws(BadPattern) -> (place: Place, distance: Int32, isTemporary: Bool) {
        switch operand.form {
        case .constant(let value): return (.constant, Self.distance(constant(value)), false)
        case .argument(let position): return (.argument, Self.distance(position), false)
        case .local(let number):
            let slot = slots[number] ?? 0
            if failing.contains(number) {
                emit(Instruction(.raiseLocal, a: slot), at: operand.offset)
            }
            return (.stack, Self.distance(slot), false)
        default:
            try value(operand)
            return (.stack, Self.distance(height - 1), true)
        }
    }

    private static func distance(_ position: Int) -> Int32 {
        Int32(truncatingIfNeeded: position * MemoryLayout<Value>.stride)
    }

    private mutating func call(
        _ function: Function,
        _ arguments: [Checked],
        at offset: Int
    ) throws(BadPattern) {
        if function.needsRegexEngine, arguments.count == 2, case .string(let pattern)? = arguments[1].constant
        {
            matchers.append(try matcher(for: pattern, at: arguments[1].offset))
            return try unary(Instruction(.match, b: matchers.count - 1), arguments[0], at: offset)
        }
        if arguments.count == 2, function.name == "or" || function.name == "orValue" {
            return try optionalOr(arguments[0], arguments[1], unwraps: function.name == "orValue", at: offset)
        }
        for argument in arguments {
            try value(argument)
        }
        emitCall(function, argumentCount: arguments.count, at: offset)
    }

    private func matcher(for pattern: String, at offset: Int) throws(BadPattern) -> any RegexMatcher {
        do throws(RegexProblem) {
            guard let literals else { throw RegexProblem("there is no engine for regular expressions") }
            return try literals.matcher(for: pattern)
        } catch {
            throw BadPattern(problem: error, offset: offset)
        }
    }

    /// Calls a function with the topmost values.
    mutating func emitCall(_ function: Function, argumentCount: Int, at offset: Int) {
        let position = functions.firstIndex { $0.name == function.name } ?? functions.count
        if position == functions.count {
            functions.append(function)
        }
        emit(Instruction(.call, a: position, b: argumentCount), at: offset)
        height += 1 - argumentCount
    }

    /// The other side is evaluated only when there is no value on this one.
    private mutating func optionalOr(
        _ optional: Checked,
        _ other: Checked,
        unwraps: Bool,
        at offset: Int
    ) throws(BadPattern) {
        let bottom = height
        try value(optional)
        let skip = emit(Instruction(unwraps ? .orUnwrapped : .orSkip), at: offset)
        height = bottom
        try value(other)
        if !unwraps {
            emit(Instruction(.checkOptional), at: offset)
        }
        instructions[skip].a = here
    }

    // MARK: Control

    private mutating func logical(isAnd: Bool, _ operands: [Checked], at offset: Int) throws(BadPattern) {
        var exits: [Int] = []
        let bottom = height
        var first = true
        for operand in operands {
            let start = instructions.count
            if !first { height = bottom + 1 }
            try value(operand)
            if first {
                exits.append(emit(Instruction(isAnd ? .andTest : .orTest), at: operand.offset))
                guarded(from: start, stackHeight: bottom)
            } else {
                emit(Instruction(.checkBool), at: operand.offset)
                guarded(from: start, stackHeight: bottom + 1)
                emit(Instruction(isAnd ? .andJoin : .orJoin), at: offset)
                height = bottom + 1
                exits.append(emit(Instruction(isAnd ? .andTest : .orTest), at: offset))
            }
            first = false
        }
        height = bottom + 1
        // The last join raises what no operand has made up for.
        emit(Instruction(.raise), at: offset)
        for exit in exits {
            instructions[exit].a = here
        }
    }

    /// Failures since `start` go on at the next instruction, with the failure in place of the
    /// value.
    mutating func guarded(from start: Int, stackHeight: Int) {
        handlers.append(
            Handler(
                range: start..<instructions.count,
                target: instructions.count,
                stackHeight: stackHeight,
                builderCount: builderCount
            )
        )
    }

    private mutating func conditional(
        _ condition: Checked,
        _ then: Checked,
        _ otherwise: Checked,
        at offset: Int
    ) throws(BadPattern) {
        let bottom = height
        try value(condition)
        let toOtherwise = emit(Instruction(.branch), at: condition.offset)
        height = bottom
        try value(then)
        let toEnd = emit(Instruction(.jump), at: offset)
        instructions[toOtherwise].a = here
        height = bottom
        try value(otherwise)
        instructions[toEnd].a = here
    }

    // MARK: Pieces

    var here: Int32 {
        Int32(truncatingIfNeeded: instructions.count)
    }

    @discardableResult
    mutating func emit(_ instruction: Instruction, at offset: Int) -> Int {
        var instruction = instruction
        instruction.height = Int32(truncatingIfNeeded: height)
        instructions.append(instruction)
        offsets.append(Int32(truncatingIfNeeded: offset))
        return instructions.count - 1
    }

    mutating func setTarget(ofB position: Int) {
        instructions[position].b = here
    }

    mutating func push(_ value: Value, at offset: Int) {
        push(.constant, constant(value), at: offset)
    }

    mutating func push(slot: Int, at offset: Int) {
        push(.stack, slot, at: offset)
    }

    private mutating func push(_ place: Place, _ position: Int, at offset: Int) {
        var instruction = Instruction(.push)
        (instruction.left, instruction.a) = (place, Self.distance(position))
        emit(instruction, at: offset)
        height += 1
    }

    private mutating func constant(_ value: Value) -> Int {
        constants.append(value)
        return constants.count - 1
    }

    private mutating func key(_ name: String) -> Int {
        keys.append(FieldKey(name: name, tag: KeyTag.of(name)))
        return keys.count - 1
    }
}

/// A constant pattern that the engine does not take, and where in the source it is made.
struct BadPattern: Error {
    let problem: RegexProblem
    let offset: Int
}

extension Checked {
    /// The operands of a chain of `+`, if there are more than two and all are texts.
    fileprivate var chainOfTexts: [Checked]? {
        var (first, texts) = (self, [Checked]())
        while case .binary(.add, let left, let right) = first.form,
            left.type == .string, right.type == .string
        {
            texts.append(right)
            first = left
        }
        guard texts.count > 1 else { return nil }
        texts.append(first)
        return texts.reversed()
    }
}

extension BinaryOperator {
    fileprivate var instruction: Operation {
        switch self {
        case .multiply: .multiply
        case .divide: .divide
        case .remainder: .remainder
        case .add: .add
        case .subtract: .subtract
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        case .equal: .equal
        case .notEqual: .notEqual
        case .isIn: .isIn
        }
    }
}
