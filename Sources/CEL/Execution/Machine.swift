/// Runs code: a stack of values, a program counter, and what may still be spent.
///
/// Invariant: every slot below `top` is initialised, none above is. An operation takes its operands off the stack
/// only when it has succeeded, so a failure leaves the stack in order.
struct Machine {
    let code: Code
    let arguments: UnsafePointer<Value>
    let stack: UnsafeMutablePointer<Value>
    var top: UnsafeMutablePointer<Value>
    var position = 0
    var meter: Meter
    var failures: [Failure] = []
    var builders: [Builder] = []

    init(
        code: Code,
        arguments: UnsafePointer<Value>,
        stack: UnsafeMutablePointer<Value>,
        meter: Meter
    ) {
        self.code = code
        self.arguments = arguments
        self.stack = stack
        top = stack
        self.meter = meter
    }

    /// Runs to the end. Afterwards the stack is empty.
    mutating func run() throws(EvaluationError) -> Value {
        while true {
            do throws(Failure) {
                try steps()
                top -= 1
                return top.move()
            } catch {
                try recover(from: error)
            }
        }
    }

    /// Goes on at the handler of the failed instruction, or empties the stack and gives up.
    private mutating func recover(from failure: Failure) throws(EvaluationError) {
        let failed = position - 1
        // Nobody absorbs the end of the budget.
        let handler = failure.code == .cost ? nil : code.handlers.first { $0.range.contains(failed) }
        let height = handler?.stackHeight ?? 0
        let surplus = top - (stack + height)
        top -= surplus
        top.deinitialize(count: surplus)
        guard let handler else {
            throw EvaluationError(
                code: failure.code,
                message: failure.message,
                offset: Int(code.offsets[failed])
            )
        }
        builders.removeSubrange(handler.builderCount...)
        failures.append(failure)
        top.initialize(to: .failure(failures.count - 1))
        top += 1
        position = handler.target
    }

    /// The instructions from `position` until the end or a failure.
    private mutating func steps() throws(Failure) {
        let instructions = UnsafePointer(code.instructions.baseAddress!)
        var pc = position
        var sp = top
        do throws(Failure) {
            while true {
                let instruction = instructions + pc
                pc += 1
                try meter.spend(1)
                switch instruction.pointee.operation {
                case .push:
                    sp.initialize(to: left(instruction, sp).pointee)
                    sp += 1

                case .add:
                    let (a, b) = (left(instruction, sp), right(instruction, sp))
                    if case .double(let x) = a.pointee {
                        if case .double(let y) = b.pointee {
                            sp = replace(instruction, sp, .double(x + y))
                            continue
                        }
                        if case .int(let y) = b.pointee, !meter.isStrict {
                            sp = replace(instruction, sp, .double(x + Double(y)))
                            continue
                        }
                    }
                    sp = try slow(instruction, sp, a, b)
                case .subtract:
                    let (a, b) = (left(instruction, sp), right(instruction, sp))
                    if case .double(let x) = a.pointee {
                        if case .double(let y) = b.pointee {
                            sp = replace(instruction, sp, .double(x - y))
                            continue
                        }
                        if case .int(let y) = b.pointee, !meter.isStrict {
                            sp = replace(instruction, sp, .double(x - Double(y)))
                            continue
                        }
                    }
                    sp = try slow(instruction, sp, a, b)
                case .multiply:
                    let (a, b) = (left(instruction, sp), right(instruction, sp))
                    if case .double(let x) = a.pointee {
                        if case .double(let y) = b.pointee {
                            sp = replace(instruction, sp, .double(x * y))
                            continue
                        }
                        if case .int(let y) = b.pointee, !meter.isStrict {
                            sp = replace(instruction, sp, .double(x * Double(y)))
                            continue
                        }
                    }
                    sp = try slow(instruction, sp, a, b)
                case .divide:
                    let (a, b) = (left(instruction, sp), right(instruction, sp))
                    if case .double(let x) = a.pointee {
                        if case .double(let y) = b.pointee {
                            sp = replace(instruction, sp, .double(x / y))
                            continue
                        }
                        if case .int(let y) = b.pointee, !meter.isStrict {
                            sp = replace(instruction, sp, .double(x / Double(y)))
                            continue
                        }
                    }
                    sp = try slow(instruction, sp, a, b)

                case .less:
                    let (a, b) = (left(instruction, sp), right(instruction, sp))
                    if case .double(let x) = a.pointee, case .double(let y) = b.pointee {
                        sp = replace(instruction, sp, .bool(x < y))
                        continue
                    }
                    sp = try slow(instruction, sp, a, b)
                case .lessOrEqual:
                    let (a, b) = (left(instruction, sp), right(instruction, sp))
                    if case .double(let x) = a.pointee, case .double(let y) = b.pointee {
                        sp = replace(instruction, sp, .bool(x <= y))
                        continue
                    }
                    sp = try slow(instruction, sp, a, b)
                case .greater:
                    let (a, b) = (left(instruction, sp), right(instruction, sp))
                    if case .double(let x) = a.pointee, case .double(let y) = b.pointee {
                        sp = replace(instruction, sp, .bool(x > y))
                        continue
                    }
                    sp = try slow(instruction, sp, a, b)
                case .greaterOrEqual:
                    let (a, b) = (left(instruction, sp), right(instruction, sp))
                    if case .double(let x) = a.pointee, case .double(let y) = b.pointee {
                        sp = replace(instruction, sp, .bool(x >= y))
                        continue
                    }
                    sp = try slow(instruction, sp, a, b)
                case .remainder, .equal, .notEqual, .isIn, .index, .optionalIndex:
                    sp = try slow(instruction, sp, left(instruction, sp), right(instruction, sp))

                case .select:
                    let operand = left(instruction, sp)
                    if case .map(let map) = operand.pointee {
                        let key = code.keys.baseAddress! + Int(instruction.pointee.b)
                        if let position = map.position(of: key.pointee.name, tag: key.pointee.tag) {
                            let value = map.storage.entries[position].value
                            sp = replaceAny(instruction, sp, value)
                            continue
                        }
                    }
                    sp = try replaceAny(instruction, sp, slowSelect(instruction, operand))
                case .has, .optionalSelect:
                    sp = try replaceAny(instruction, sp, slowSelect(instruction, left(instruction, sp)))
                case .not, .negate:
                    let result = try left(instruction, sp).pointee.applying(instruction.pointee.operation)
                    sp = replaceAny(instruction, sp, result)

                case .jump:
                    pc = Int(instruction.pointee.a)
                case .branch:
                    guard case .bool(let condition) = (sp - 1).pointee else {
                        throw .type("the condition is not a bool but \((sp - 1).pointee.typeName.rawValue)")
                    }
                    sp -= 1
                    if !condition { pc = Int(instruction.pointee.a) }
                case .andTest:
                    if try (sp - 1).pointee.outcome() == .some(false) { pc = Int(instruction.pointee.a) }
                case .orTest:
                    if try (sp - 1).pointee.outcome() == .some(true) { pc = Int(instruction.pointee.a) }
                case .checkBool:
                    guard case .bool = (sp - 1).pointee else { throw (sp - 1).pointee.isNoBool }
                case .andJoin, .orJoin:
                    let joined = try (sp - 2).pointee.joined(
                        with: (sp - 1).pointee,
                        isAnd: instruction.pointee.operation == .andJoin
                    )
                    sp -= 1
                    (sp - 1).pointee = joined
                case .raise:
                    if let number = (sp - 1).pointee.failureNumber { throw failures[number] }
                case .drop:
                    let count = Int(instruction.pointee.a)
                    sp -= count
                    sp.deinitialize(count: count)
                case .slide:
                    let count = Int(instruction.pointee.a)
                    let result = (sp - 1).move()
                    sp -= count + 1
                    sp.deinitialize(count: count)
                    sp.initialize(to: result)
                    sp += 1
                case .end:
                    position = pc
                    top = sp
                    return
                default:
                    (pc, sp) = try seldom(instruction, pc, sp)
                }
            }
        } catch {
            position = pc
            top = sp
            throw error
        }
    }

    // MARK: Operands and results

    @inline(__always)
    private func left(
        _ instruction: UnsafePointer<Instruction>,
        _ sp: UnsafeMutablePointer<Value>
    ) -> UnsafePointer<Value> {
        switch instruction.pointee.left {
        case .stack: UnsafePointer(sp - Int(instruction.pointee.pops))
        case .constant: UnsafePointer(code.constants.baseAddress! + Int(instruction.pointee.a))
        case .argument: arguments + Int(instruction.pointee.a)
        case .local: UnsafePointer(stack + Int(instruction.pointee.a))
        }
    }

    @inline(__always)
    private func right(
        _ instruction: UnsafePointer<Instruction>,
        _ sp: UnsafeMutablePointer<Value>
    ) -> UnsafePointer<Value> {
        switch instruction.pointee.right {
        case .stack: UnsafePointer(sp - 1)
        case .constant: UnsafePointer(code.constants.baseAddress! + Int(instruction.pointee.b))
        case .argument: arguments + Int(instruction.pointee.b)
        case .local: UnsafePointer(stack + Int(instruction.pointee.b))
        }
    }

    /// Puts a scalar where scalars were.
    @inline(__always)
    private func replace(
        _ instruction: UnsafePointer<Instruction>,
        _ sp: UnsafeMutablePointer<Value>,
        _ result: Value
    ) -> UnsafeMutablePointer<Value> {
        let sp = sp - Int(instruction.pointee.pops)
        sp.initialize(to: result)
        return sp + 1
    }

    /// Puts any value where any values were.
    @inline(__always)
    private func replaceAny(
        _ instruction: UnsafePointer<Instruction>,
        _ sp: UnsafeMutablePointer<Value>,
        _ result: consuming Value
    ) -> UnsafeMutablePointer<Value> {
        let count = Int(instruction.pointee.pops)
        let sp = sp - count
        if count > 0 {
            sp.deinitialize(count: count)
        }
        sp.initialize(to: result)
        return sp + 1
    }

    @inline(never)
    private mutating func slow(
        _ instruction: UnsafePointer<Instruction>,
        _ sp: UnsafeMutablePointer<Value>,
        _ a: UnsafePointer<Value>,
        _ b: UnsafePointer<Value>
    ) throws(Failure) -> UnsafeMutablePointer<Value> {
        let result = try meter.binary(instruction.pointee.operation, a.pointee, b.pointee)
        return replaceAny(instruction, sp, result)
    }

    @inline(never)
    private func slowSelect(
        _ instruction: UnsafePointer<Instruction>,
        _ operand: UnsafePointer<Value>
    ) throws(Failure) -> Value {
        let key = code.keys[Int(instruction.pointee.b)]
        switch instruction.pointee.operation {
        case .has: return .bool(try operand.pointee.hasField(key))
        case .optionalSelect: return try operand.pointee.optionalField(key)
        default: return try operand.pointee.field(key)
        }
    }
}
