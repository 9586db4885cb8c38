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
