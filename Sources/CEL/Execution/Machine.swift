/// Runs code: a stack of values whose height every instruction knows, and what may still be spent.
///
/// Invariant: before an instruction exactly the slots below its height are initialised, those of a
/// ``Borrowing`` with bits that belong to another value. It takes its operands off the stack only
/// when it has succeeded, so a failure leaves the stack in order.
@safe
struct Machine {
    /// What few evaluations need: failures that may still be absorbed, containers being collected.
    final class Side {
        @exclusivity(unchecked) var failures: [Failure] = []
        /// The innermost container that is being collected.
        @exclusivity(unchecked) var builder = Collected()
        /// Those around it, from the outermost.
        @exclusivity(unchecked) private var outer: [Collected] = []
        /// How many there are.
        @exclusivity(unchecked) private var count = 0

        /// Adds an element to the list that is being collected.
        @inline(never)
        func append(_ value: consuming Value) {
            unsafe builder.elements.append(value)
        }

        /// Begins a container within the present one.
        func begin(_ inner: Collected) {
            if unsafe count > 0 { unsafe outer.append(builder) }
            unsafe builder = inner
            unsafe count += 1
        }

        /// Ends the innermost container.
        func end() -> Collected {
            var ended = unsafe outer.popLast() ?? Collected()
            unsafe swap(&ended, &builder)
            unsafe count -= 1
            return ended
        }

        /// Drops all containers except the `outermost` first ones.
        func dropContainers(after outermost: Int) {
            while unsafe count > outermost { _ = end() }
        }
    }

    let instructions: UnsafePointer<Instruction>
    let constants: UnsafePointer<Value>
    let keys: UnsafePointer<FieldKey>
    let arguments: UnsafePointer<Value>
    let stack: UnsafeMutablePointer<Value>
    /// Where to continue: after the failed instruction, if one has failed.
    private var position = 0
    var meter: Meter

    /// The evaluation keeps the code alive; counting references would cost more than a simple
    /// expression.
    private let unmanagedCode: Unmanaged<Code>
    /// Made when it is needed, owned, and let go by `finish`: most evaluations have nothing to let
    /// go.
    private var madeSide: Unmanaged<Side>?

    init(code: Code, arguments: UnsafePointer<Value>, stack: UnsafeMutablePointer<Value>, cost: Int) {
        unsafe unmanagedCode = unsafe Unmanaged.passUnretained(code)
        unsafe instructions = unsafe UnsafePointer(code.instructions.baseAddress!)
        unsafe constants = unsafe UnsafePointer(code.constants.baseAddress!)
        unsafe keys = unsafe UnsafePointer(code.keys.baseAddress!)
        unsafe self.arguments = unsafe arguments
        unsafe self.stack = unsafe stack
        meter = Meter(fuel: cost, of: code.resources)
    }

    var code: Code { unsafe unmanagedCode.takeUnretainedValue() }

    var side: Side {
        mutating get {
            if let madeSide = unsafe madeSide { return unsafe madeSide.takeUnretainedValue() }
            let side = Side()
            unsafe madeSide = unsafe Unmanaged.passRetained(side)
            return side
        }
    }

    /// Must be called once, after `run`, however that ended.
    @inline(__always)
    func finish() {
        unsafe madeSide?.release()
    }

    /// Runs to the end, where the result is alone on the stack.
    @inline(__always)
    mutating func run() throws(EvaluationError) {
        while true {
            do throws(Failure) {
                return try steps()
            } catch {
                try recover(from: error)
            }
        }
    }

    /// Takes what is above `height` off the stack; values that are borrowed stay with their owner.
    private func cutStack(to height: Int, before position: Int) {
        for borrowing in code.borrowings where borrowing.slot >= height && borrowing.range.contains(position)
        {
            unsafe (stack + borrowing.slot).initialize(to: .null)
        }
        unsafe (stack + height).deinitialize(count: Int(instructions[position].height) - height)
    }

    /// Goes on at the handler of the failed instruction, or empties the stack and gives up.
    private mutating func recover(from failure: Failure) throws(EvaluationError) {
        let failed = position - 1
        // The end of the budget is not absorbed.
        let handler = failure.code == .cost ? nil : code.handlers.first { $0.range.contains(failed) }
        meter.fuel &-= Price.failure + failure.message.utf8.count >> 3
        let height = handler?.stackHeight ?? 0
        cutStack(to: height, before: failed)
        guard let handler else {
            throw EvaluationError(
                code: failure.code,
                message: failure.message,
                offset: Int(code.offsets[failed])
            )
        }
        meter.fuel &-= code.handlers.count >> 3
        // A budget that this has used up ends the evaluation at the next instruction.
        side.dropContainers(after: handler.builderCount)
        unsafe side.failures.append(failure)
        unsafe (stack + height).initialize(to: .failure(side.failures.count - 1))
        position = handler.target
    }

    /// The instructions from `position` until the end or a failure.
    private mutating func steps() throws(Failure) {
        var next = unsafe instructions + position
        do throws(Failure) {
            while true {
                let instruction = unsafe next
                unsafe next += 1
                try meter.spend(1)
                switch unsafe instruction.pointee.operation {
                case .push:
                    unsafe top(instruction).initialize(to: left(instruction).pointee)

                case .add: try unsafe arithmetic(instruction) { $0 + $1 }
                case .subtract: try unsafe arithmetic(instruction) { $0 - $1 }
                case .multiply: try unsafe arithmetic(instruction, price: Price.product) { $0 * $1 }
                case .divide: try unsafe arithmetic(instruction, price: Price.product) { $0 / $1 }

                case .less: try unsafe comparison(instruction) { $0 < $1 }
                case .lessOrEqual: try unsafe comparison(instruction) { $0 <= $1 }
                case .greater: try unsafe comparison(instruction) { $0 > $1 }
                case .greaterOrEqual: try unsafe comparison(instruction) { $0 >= $1 }
                case .remainder, .equal, .notEqual, .isIn, .index, .optionalIndex:
                    try unsafe slow(instruction, left(instruction), right(instruction))

                case .select:
                    let operand = unsafe left(instruction)
                    if let value = unsafe InnerAccess.value(in: operand, keys + Int(instruction.pointee.b)) {
                        // The field's value must be held before its map may go.
                        unsafe putAny(value.pointee, instruction)
                    } else {
                        try unsafe slowSelect(instruction, operand)
                    }
                case .has, .optionalSelect:
                    try unsafe slowSelect(instruction, left(instruction))
                case .not, .negate:
                    let operation = unsafe instruction.pointee.operation
                    let result = try unsafe left(instruction).pointee.applying(
                        operation,
                        isStrict: meter.isStrict
                    )
                    unsafe putAny(result, instruction)

                case .next:
                    if unsafe !InnerAccess.advance(stack + Int(instruction.pointee.a), top(instruction)) {
                        unsafe next = unsafe instructions + Int(instruction.pointee.b)
                    }
                case .nextPair:
                    if unsafe !InnerAccess.advancePair(stack + Int(instruction.pointee.a), top(instruction)) {
                        unsafe next = unsafe instructions + Int(instruction.pointee.b)
                    }
                case .append:
                    try meter.spend(Price.append)
                    let element = unsafe (top(instruction) - 1).move()
                    unsafe madeSide?._withUnsafeGuaranteedRef { $0.append(element) }

                case .jump:
                    unsafe next = unsafe instructions + Int(instruction.pointee.a)
                case .branch:
                    guard case .bool(let condition) = unsafe (top(instruction) - 1).pointee else {
                        throw unsafe (top(instruction) - 1).pointee.isNoBool
                    }
                    if !condition { unsafe next = unsafe instructions + Int(instruction.pointee.a) }
                case .andTest:
                    if try unsafe (top(instruction) - 1).pointee.outcome() == .some(false) {
                        unsafe next = unsafe instructions + Int(instruction.pointee.a)
                    }
                case .orTest:
                    if try unsafe (top(instruction) - 1).pointee.outcome() == .some(true) {
                        unsafe next = unsafe instructions + Int(instruction.pointee.a)
                    }
                case .checkBool:
                    guard case .bool = unsafe (top(instruction) - 1).pointee else {
                        throw unsafe (top(instruction) - 1).pointee.isNoBool
                    }
                case .andJoin, .orJoin:
                    let outcomes = unsafe top(instruction) - 2
                    let isAnd = unsafe instruction.pointee.operation == .andJoin
                    unsafe outcomes[0] = try unsafe outcomes[0].joined(with: outcomes[1], isAnd: isAnd)
                case .raise:
                    if let number = unsafe (top(instruction) - 1).pointee.failureNumber {
                        throw unsafe side.failures[number]
                    }
                case .raiseLocal:
                    if let number = unsafe stack[Int(instruction.pointee.a)].failureNumber {
                        throw unsafe side.failures[number]
                    }
                case .drop:
                    let count = unsafe Int(instruction.pointee.a)
                    unsafe (top(instruction) - count).deinitialize(count: count)
                case .slide:
                    let count = unsafe Int(instruction.pointee.a)
                    let result = unsafe (top(instruction) - 1).move()
                    let bottom = unsafe top(instruction) - count - 1
                    unsafe bottom.deinitialize(count: count)
                    unsafe bottom.initialize(to: result)
                case .end:
                    return
                default:
                    let position = unsafe next - instructions
                    unsafe next = unsafe instructions + (try rare(instruction.pointee, position))
                }
            }
        } catch {
            position = unsafe next - instructions
            throw error
        }
    }

    // MARK: Operands and results

    /// Behind the topmost value.
    @inline(__always)
    private func top(_ instruction: UnsafePointer<Instruction>) -> UnsafeMutablePointer<Value> {
        unsafe stack + Int(instruction.pointee.height)
    }

    @inline(__always)
    private func left(_ instruction: UnsafePointer<Instruction>) -> UnsafePointer<Value> {
        unsafe operand(instruction.pointee.left, instruction.pointee.a)
    }

    @inline(__always)
    private func right(_ instruction: UnsafePointer<Instruction>) -> UnsafePointer<Value> {
        unsafe operand(instruction.pointee.right, instruction.pointee.b)
    }

    @inline(__always)
    func operand(_ place: Place, _ distance: Int32) -> UnsafePointer<Value> {
        var base = unsafe UnsafeRawPointer(stack)
        unsafe base = unsafe place == .constant ? UnsafeRawPointer(constants) : base
        unsafe base = unsafe place == .argument ? UnsafeRawPointer(arguments) : base
        return unsafe (base + Int(distance)).assumingMemoryBound(to: Value.self)
    }

    /// A double, or where numbers mix an int as one that holds it.
    @inline(__always)
    private func mixed(_ value: UnsafePointer<Value>) -> Double? {
        if case .double(let number) = unsafe value.pointee { return number }
        if case .int(let number) = unsafe value.pointee, !meter.isStrict { return Self.held(number) }
        return nil
    }

    /// A double, or an int as one that holds it: published comparisons mix them even strictly.
    @inline(__always)
    private func compared(_ value: UnsafePointer<Value>) -> Double? {
        if case .double(let number) = unsafe value.pointee { return number }
        if case .int(let number) = unsafe value.pointee { return Self.held(number) }
        return nil
    }

    @inline(__always)
    private static func held(_ number: Int64) -> Double? {
        number.magnitude <= 1 << 53 ? Double(number) : nil
    }

    /// Puts a scalar where scalars were.
    @inline(__always)
    private func put(_ result: Value, _ instruction: UnsafePointer<Instruction>) {
        unsafe (top(instruction) - Int(instruction.pointee.pops)).initialize(to: result)
    }

    /// Puts any value where any values were.
    @inline(__always)
    private func putAny(_ result: consuming Value, _ instruction: UnsafePointer<Instruction>) {
        let pops = unsafe Int(instruction.pointee.pops)
        let place = unsafe top(instruction) - pops
        if pops > 0 {
            unsafe place.deinitialize(count: 1)
            if pops > 1 { unsafe (place + 1).deinitialize(count: 1) }
        }
        unsafe place.initialize(to: result)
    }

    /// An operation on doubles, or the same on whatever the operands are.
    @inline(__always)
    private mutating func arithmetic(
        _ instruction: UnsafePointer<Instruction>,
        price: Int = 0,
        _ result: (Double, Double) -> Double
    ) throws(Failure) {
        let (a, b) = unsafe (left(instruction), right(instruction))
        guard let x = unsafe a.pointee.asDouble, let y = unsafe mixed(b) else {
            return try unsafe slow(instruction, a, b)
        }
        let result = result(x, y)
        // Beyond, a whole number may have lost digits.
        guard result.magnitude < 0x1p53 else { return try unsafe slow(instruction, a, b) }
        meter.fuel &-= price
        unsafe put(.double(result), instruction)
    }

    /// A comparison of a double with a number, or of whatever the operands are.
    @inline(__always)
    private mutating func comparison(
        _ instruction: UnsafePointer<Instruction>,
        _ result: (Double, Double) -> Bool
    ) throws(Failure) {
        let (a, b) = unsafe (left(instruction), right(instruction))
        guard let x = unsafe a.pointee.asDouble, let y = unsafe compared(b) else {
            return try unsafe slow(instruction, a, b)
        }
        unsafe put(.bool(result(x, y)), instruction)
    }

    @inline(never)
    private mutating func slow(
        _ instruction: UnsafePointer<Instruction>,
        _ a: UnsafePointer<Value>,
        _ b: UnsafePointer<Value>
    ) throws(Failure) {
        let operation = unsafe instruction.pointee.operation
        if operation == .add, case .string(let first) = unsafe a.pointee,
            case .string(let second) = unsafe b.pointee
        {
            try meter.spend(2)
            unsafe putAny(try meter.joined(first, second), instruction)
        } else {
            unsafe putAny(try meter.binary(operation, a.pointee, b.pointee), instruction)
        }
    }

    @inline(never)
    private mutating func slowSelect(
        _ instruction: UnsafePointer<Instruction>,
        _ operand: UnsafePointer<Value>
    ) throws(Failure) {
        let key = unsafe keys[Int(instruction.pointee.b)]
        try meter.spend(Price.lookUp)
        try meter.spend(bytes: key.name.utf8.count)
        let result: Value =
            switch unsafe instruction.pointee.operation {
            case .has: unsafe .bool(try operand.pointee.hasField(key))
            case .optionalSelect: try unsafe operand.pointee.optionalField(key)
            default: try unsafe operand.pointee.field(key)
            }
        unsafe putAny(result, instruction)
    }
}

extension Value {
    @inline(__always)
    fileprivate var asDouble: Double? {
        if case .double(let number) = self { return number }
        return nil
    }
}
