/// A compiled expression.
///
/// Immutable, so any number of evaluations may use it.
final class Code {
    let instructions: UnsafeMutableBufferPointer<Instruction>
    let constants: UnsafeMutableBufferPointer<Value>
    let keys: UnsafeMutableBufferPointer<FieldKey>
    let functions: UnsafeMutableBufferPointer<Function>
    let matchers: [any RegexMatcher]
    /// Inner ranges before outer ones.
    let handlers: [Handler]
    let borrowings: [Borrowing]
    /// For each instruction the byte offset in the source.
    let offsets: [Int32]
    let stackSize: Int
    let argumentCount: Int
    let resources: Resources

    init(_ compiler: consuming Compiler, options: Options, argumentCount: Int) {
        instructions = .allocate(copying: compiler.instructions)
        constants = .allocate(copying: compiler.constants)
        keys = .allocate(copying: compiler.keys)
        functions = .allocate(copying: compiler.functions)
        matchers = compiler.matchers
        handlers = compiler.handlers
        borrowings = compiler.borrowings
        offsets = compiler.offsets
        stackSize = compiler.stackSize
        self.argumentCount = argumentCount
        resources = Resources(options)
    }

    deinit {
        instructions.deinitialize()
        instructions.deallocate()
        constants.deinitialize()
        constants.deallocate()
        keys.deinitialize()
        keys.deallocate()
        functions.deinitialize()
        functions.deallocate()
    }
}

extension UnsafeMutableBufferPointer {
    fileprivate static func allocate(copying elements: [Element]) -> UnsafeMutableBufferPointer {
        let buffer = UnsafeMutableBufferPointer.allocate(capacity: Swift.max(1, elements.count))
        _ = buffer.initialize(from: elements)
        return UnsafeMutableBufferPointer(rebasing: buffer[..<elements.count])
    }
}
