/// A compiled expression.
///
/// Immutable, so any number of evaluations may use it.
@safe
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
        unsafe instructions = unsafe .allocate(copying: compiler.instructions)
        unsafe constants = unsafe .allocate(copying: compiler.constants)
        unsafe keys = unsafe .allocate(copying: compiler.keys)
        unsafe functions = unsafe .allocate(copying: compiler.functions)
        matchers = compiler.matchers
        handlers = compiler.handlers
        borrowings = compiler.borrowings
        offsets = compiler.offsets
        stackSize = compiler.stackSize
        self.argumentCount = argumentCount
        resources = Resources(options)
    }

    deinit {
        unsafe instructions.deinitialize()
        unsafe instructions.deallocate()
        unsafe constants.deinitialize()
        unsafe constants.deallocate()
        unsafe keys.deinitialize()
        unsafe keys.deallocate()
        unsafe functions.deinitialize()
        unsafe functions.deallocate()
    }
}

extension UnsafeMutableBufferPointer {
    fileprivate static func allocate(copying elements: [Element]) -> UnsafeMutableBufferPointer {
        let buffer = UnsafeMutableBufferPointer.allocate(capacity: Swift.max(1, elements.count))
        _ = unsafe buffer.initialize(from: elements)
        return unsafe UnsafeMutableBufferPointer(rebasing: buffer[..<elements.count])
    }
}
