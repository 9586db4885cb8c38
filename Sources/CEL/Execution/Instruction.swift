/// One step of the machine.
///
/// The height of the stack is known for every instruction, so slots are counted from its bottom and
/// the machine keeps no stack pointer.
struct Instruction {
    var operation: Operation
    /// Where the operands are.
    var left: Place = .stack
    var right: Place = .stack
    /// How many of the operands are the topmost values of the stack, to be replaced by the result.
    var pops: UInt8 = 0
    /// How many values are on the stack before the instruction.
    var height: Int32 = 0
    /// The left operand's distance in bytes from the beginning of its place; or a count, a slot, a
    /// target.
    var a: Int32 = 0
    /// The right operand's distance in bytes; or a key, a target.
    var b: Int32 = 0

    init(_ operation: Operation, a: Int = 0, b: Int = 0) {
        self.operation = operation
        self.a = Int32(truncatingIfNeeded: a)
        self.b = Int32(truncatingIfNeeded: b)
    }
}

/// Where an operand is.
enum Place: UInt8 {
    case stack, constant, argument
}

/// While an instruction in a range runs, a slot has the bits of an element that the list or map
/// below it holds, and no reference of its own: counting them would be a fifth of a macro's cost.
struct Borrowing {
    let range: Range<Int>
    let slot: Int
}

/// Where to go on when an instruction in a range fails.
struct Handler {
    let range: Range<Int>
    let target: Int
    /// The height the stack is cut to before the failure is pushed.
    let stackHeight: Int
    let builderCount: Int
}
