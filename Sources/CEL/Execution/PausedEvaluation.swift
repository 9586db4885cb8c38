/// What one piece of an evaluation has come to.
public enum EvaluationState {
    /// The value; there is nothing left to do.
    case finished(Value)
    /// The evaluation waits until it is resumed.
    case paused(PausedEvaluation)
}

/// An evaluation that has paused before a macro went to its next element.
///
/// It keeps all that it needs to go on: the code, the arguments and what has been computed. When it
/// is released, at its end or before, so is all that.
@safe
public final class PausedEvaluation {
    private let code: Code
    private let outputBytes: Int
    /// The stack, followed by the arguments.
    private let memory: UnsafeMutablePointer<Value>
    private var machine: Machine

    init(_ machine: Machine, of code: Code, outputBytes: Int) {
        self.machine = machine
        self.code = code
        self.outputBytes = outputBytes
        unsafe memory = .allocate(capacity: code.stackSize + code.argumentCount)
        unsafe self.machine.move(to: memory)
    }

    deinit {
        machine.drop()
        machine.finish()
        unsafe (memory + code.stackSize).deinitialize(count: code.argumentCount)
        unsafe memory.deallocate()
    }

    /// Goes on until the end, or until it pauses again under the same rule: then it is this object
    /// that waits.
    ///
    /// The units that this piece took are added to `spent`, also when it fails. An evaluation that
    /// has ended must not be resumed.
    public func resume(
        pausingAfter units: Int,
        spent: inout Int
    ) throws(EvaluationError) -> EvaluationState {
        precondition(machine.isPaused, "the evaluation has ended")
        let value = try machine.result(pausingAfter: units, outputBytes: outputBytes, spent: &spent).get()
        return value.map { .finished($0) } ?? .paused(self)
    }
}
