extension Code {
    /// Evaluates with the arguments at `arguments`, which stay the caller's, for at most `cost` units.
    @inline(__always)
    func evaluate(_ arguments: UnsafePointer<Value>, cost: Int) throws(EvaluationError) -> Value {
        let result = withUnsafeTemporaryAllocation(of: Value.self, capacity: stackSize) { stack in
            var machine = Machine(code: self, arguments: arguments, stack: stack.baseAddress!, cost: cost)
            defer { machine.finish() }
            return Result<Value, EvaluationError> { () throws(EvaluationError) in try machine.run() }
        }
        return try result.get()
    }
}
