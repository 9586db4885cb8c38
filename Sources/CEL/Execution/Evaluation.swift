extension Code {
    /// Evaluates with the arguments at `arguments`, which stay the caller's, for at most `cost`
    /// units; the result takes at most `outputBytes`.
    ///
    /// What it took is added to `spent`, also when it fails.
    @inline(__always)
    func evaluate(
        _ arguments: UnsafePointer<Value>,
        cost: Int,
        outputBytes: Int,
        spent: inout Int
    ) throws(EvaluationError) -> Value {
        let result = withUnsafeTemporaryAllocation(of: Value.self, capacity: stackSize) { stack in
            var machine = Machine(code: self, arguments: arguments, stack: stack.baseAddress!, cost: cost)
            defer { machine.finish() }
            let result = Result<Value, EvaluationError> { () throws(EvaluationError) in
                let value = try machine.run()
                if !value.isScalar { try machine.meter.measure(value, room: outputBytes) }
                return value
            }
            // What was refused because too little was left was not done.
            if case .failure = result { machine.meter.fuel = max(0, machine.meter.fuel) }
            spent &+= cost &- machine.meter.fuel
            return result
        }
        return try result.get()
    }
}

extension Meter {
    /// Finds out whether a result is small enough; looking at its elements is paid for.
    @inline(never)
    fileprivate mutating func measure(_ value: Value, room: Int) throws(EvaluationError) {
        let most = fuel &* ValueSize.elementsPerUnit
        var size = ValueSize(room: room, elements: most)
        let fits = size.takes(value)
        fuel &-= (most - size.elements) / ValueSize.elementsPerUnit
        guard !fits else { return }
        fuel &-= Price.failure
        guard size.elements >= 0 else {
            throw EvaluationError(code: .cost, message: Failure.cost.message, offset: 0)
        }
        throw EvaluationError(code: .badValue, message: "the result is larger than \(room) bytes", offset: 0)
    }
}
