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
        let result = unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: stackSize) { stack in
            var machine = unsafe Machine(
                code: self,
                arguments: arguments,
                stack: stack.baseAddress!,
                cost: cost
            )
            defer { machine.finish() }
            return machine.result(outputBytes: outputBytes, spent: &spent)
        }
        return try result.get()
    }
}

extension Machine {
    /// What a run gives, unless it is too large.
    ///
    /// What it took is added to `spent`, also when it fails.
    @inline(__always)
    mutating func result(
        outputBytes: Int,
        spent: inout Int
    ) -> Result<Value, EvaluationError> {
        let before = meter.fuel
        let result = Result<Value, EvaluationError> { () throws(EvaluationError) in
            try run()
            let value = unsafe stack.move()
            if !value.isScalar { try meter.measure(value, room: outputBytes) }
            return value
        }
        // What was refused because too little was left was not done.
        if case .failure = result { meter.fuel = max(0, meter.fuel) }
        spent &+= before &- meter.fuel
        return result
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
