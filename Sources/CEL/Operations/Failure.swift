/// What stops an operation; the machine adds the place.
struct Failure: Error {
    let code: ExpressionErrorCode
    let message: String

    static let cost = Failure(code: .cost, message: "the cost budget is used up")
    static let depth = Failure(
        code: .badValue,
        message: "the result nests more than \(Value.maximumNestingDepth) levels deep"
    )

    static func noOverload(_ name: String, _ types: [TypeName]) -> Failure {
        let list = types.map(\.rawValue).joined(separator: ", ")
        return Failure(code: .type, message: "'\(name)' does not take (\(list))")
    }

    static func type(_ message: String) -> Failure {
        Failure(code: .type, message: message)
    }

    static func overflow(_ message: String) -> Failure {
        Failure(code: .overflow, message: message)
    }

    static func badValue(_ message: String) -> Failure {
        Failure(code: .badValue, message: message)
    }
}

/// What an evaluation may still spend, and what its functions need to know.
struct Meter {
    /// Units left.
    var fuel: Int
    let isStrict: Bool

    /// The code that runs; its evaluation keeps it alive, and nothing is counted for that.
    private let code: Unmanaged<Code>

    init(fuel: Int, of code: Code) {
        self.fuel = fuel
        isStrict = code.isStrict
        self.code = Unmanaged.passUnretained(code)
    }

    /// What `matches` may use.
    var regex: (any RegexEngine)? {
        code.takeUnretainedValue().regex
    }

    /// Where named time zones are looked up.
    var zones: (any TimeZones)? {
        code.takeUnretainedValue().zones
    }

    /// Spends units, or fails when there are not so many left.
    @inline(__always)
    mutating func spend(_ units: Int) throws(Failure) {
        fuel &-= units
        if fuel < 0 { throw .cost }
    }

    /// Spends what a new list costs into which so many elements are copied: each may be an object
    /// somewhere in memory.
    mutating func spend(elements count: Int) throws(Failure) {
        try spend(Price.object + 3 * count)
    }

    /// Spends what memory for a new text, bytes or optional costs; lists and maps are paid for by
    /// their elements.
    mutating func spend(memoryOf value: Value) throws(Failure) {
        switch value {
        case .string(let text) where text.utf8.count > 15: try spend(Price.object)
        case .bytes, .optional: try spend(Price.object)
        default: break
        }
    }

    /// Spends what handling so many bytes costs: one unit for eight.
    mutating func spend(bytes: Int) throws(Failure) {
        try spend(bytes >> 3)
    }
}

/// The arguments of one function call, where the machine has them.
struct Arguments {
    let name: String
    let values: UnsafeBufferPointer<Value>

    var count: Int { values.count }

    subscript(position: Int) -> Value {
        values[position]
    }

    /// The failure that says that the function does not take such values.
    var mismatch: Failure {
        .noOverload(name, values.map(\.typeName))
    }
}
