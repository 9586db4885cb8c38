/// The arguments of one function call, where the machine has them.
@safe
struct Arguments {
    let name: String
    let values: UnsafeBufferPointer<Value>

    var count: Int { unsafe values.count }

    var all: [Value] { unsafe Array(values) }

    subscript(position: Int) -> Value {
        unsafe values[position]
    }

    /// The failure that says that the function does not take such values.
    var mismatch: Failure {
        .noOverload(name, all.map(\.typeName))
    }
}

extension Arguments {
    /// The argument as a string; anything else is a mismatch.
    ///
    /// Likewise the others.
    func string(_ position: Int) throws(Failure) -> String {
        guard case .string(let text) = self[position] else { throw mismatch }
        return text
    }

    func bytes(_ position: Int) throws(Failure) -> [UInt8] {
        guard case .bytes(let bytes) = self[position] else { throw mismatch }
        return bytes
    }

    func list(_ position: Int) throws(Failure) -> ValueList {
        guard case .list(let list) = self[position] else { throw mismatch }
        return list
    }

    func optional(_ position: Int) throws(Failure) -> OptionalValue {
        guard case .optional(let optional) = self[position] else { throw mismatch }
        return optional
    }

    /// An int; where numbers mix, any number that is whole.
    func int(_ position: Int, _ meter: Meter) throws(Failure) -> Int {
        switch self[position] {
        case .int(let number): return Int(number)
        case .uint(let number) where !meter.isStrict:
            if let int = Int(exactly: number) { return int }
        case .double(let number) where !meter.isStrict:
            if let int = Int(exactly: number) { return int }
            throw .badValue("'\(name)' needs a whole number")
        default: break
        }
        throw mismatch
    }

    /// A double; where numbers mix, any number.
    func double(_ position: Int, _ meter: Meter) throws(Failure) -> Double {
        if case .double(let number) = self[position] { return number }
        guard !meter.isStrict, let number = self[position].number else { throw mismatch }
        return number
    }
}
