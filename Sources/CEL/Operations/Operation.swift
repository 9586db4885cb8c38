/// What one step of the machine does; `a` and `b` are the operands of its instruction.
enum Operation: UInt8 {
    // Two operands, one result.
    case add, subtract, multiply, divide, remainder
    case less, lessOrEqual, greater, greaterOrEqual, equal, notEqual, isIn
    case index, optionalIndex

    // One operand, one result; the key is `b`.
    case select, has, optionalSelect
    case push, not, negate

    /// Calls function `a` with the `b` topmost values.
    case call
    /// Searches the operand with the compiled regular expression `b`.
    case match

    /// Puts the `a` topmost values, which are texts, together.
    case join

    /// Fails with the message that is constant `a`.
    case fail

    /// Takes the `a` topmost values, or pairs of values.
    case makeList, makeMap

    case jump
    /// Consumes a bool and jumps to `a` when it is false.
    case branch
    /// Keeps the bool on top and jumps to `a` when it decides the whole chain.
    case andTest, orTest
    /// Fails unless a bool is on top.
    case checkBool
    /// Takes two outcomes, bools or failures, and leaves or raises what both make.
    case andJoin, orJoin

    // Lists and maps that grow. `beginList` makes room for as many elements as the range at slot
    // `a` has; −1: there is none.
    case beginList, append, appendOptional, endList
    case beginMap, insert, insertOptional, insertEntries, endMap

    /// Fails unless the top can be run over, and pushes position 0.
    case iterate
    /// Puts the next element of the range at slot `a`, or key and value, on top in place of the one
    /// before, or jumps to `b` at its end. `next` leaves the element to the range (``Borrowing``).
    case next, nextPair
    /// Takes a condition's outcome and updates the bool or failure at slot `a`; jumps to `b` when
    /// decided.
    case allStep, existsStep
    /// Takes a bool and counts it at slot `a`.
    case countStep
    /// Raises the failure on top, if it is one.
    case raise
    /// Raises the failure in slot `a`, if it is one.
    case raiseLocal
    /// Replaces the count on top by whether it is one.
    case isOne

    /// Takes the top and drops the `a` values below it, then puts it back.
    case slide
    case drop
    /// Jumps to `a` when the optional on top is empty; else unwraps it.
    case unwrap
    case wrap
    /// Jumps to `a` when the optional on top has a value (which the first puts in its place); else
    /// drops it.
    case orUnwrapped, orSkip
    /// Fails unless an optional is on top.
    case checkOptional

    case end
}
