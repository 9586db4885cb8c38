extension Code {
    /// Evaluates with the arguments at `arguments`, which stay the caller's, for at most `cost` units.
    ///
    /// What it took is added to `spent`, also when it fails.
    @inline(__always)
    func evaluate(
        _ arguments: UnsafePointer<Value>,
        cost: Int,
        spent: inout Int
    ) throws(EvaluationError) -> Value {
        let result = withUnsafeTemporaryAllocation(of: Value.self, capacity: stackSize) { stack in
            var machine = Machine(code: self, arguments: arguments, stack: stack.baseAddress!, cost: cost)
            defer { machine.finish() }
            let result = Result<Value, EvaluationError> { () throws(EvaluationError) in try machine.run() }
            spent &+= cost - max(0, machine.meter.fuel)
            return result
        }
        return try result.get()
    }
}
