/// A function of the library: what it takes, what it gives, and how it is done.
struct Function: Sendable {
    typealias Body = @Sendable (_ arguments: Arguments, _ meter: inout Meter) throws(Failure) -> Value

    /// One way to call it.
    ///
    /// A method's target is its first parameter.
    struct Overload: Sendable {
        let isMethod: Bool
        let parameters: [TypePattern]
        let result: TypePattern
        /// The last parameter may be given any number of times.
        var isVariadic = false

        static func global(_ parameters: TypePattern..., gives result: TypePattern) -> Overload {
            Overload(isMethod: false, parameters: parameters, result: result)
        }

        static func method(_ parameters: TypePattern..., gives result: TypePattern) -> Overload {
            Overload(isMethod: true, parameters: parameters, result: result)
        }

        static func variadic(_ parameters: TypePattern..., gives result: TypePattern) -> Overload {
            Overload(isMethod: false, parameters: parameters, result: result, isVariadic: true)
        }

        func accepts(count: Int) -> Bool {
            isVariadic ? count >= parameters.count : count == parameters.count
        }
    }

    /// With its namespace: `math.round`.
    let name: String
    /// False for what this project adds to the published libraries.
    let isStandard: Bool
    let overloads: [Overload]
    let body: Body

    init(_ name: String, isStandard: Bool = true, _ overloads: [Overload], body: @escaping Body) {
        self.name = name
        self.isStandard = isStandard
        self.overloads = overloads
        self.body = body
    }
}

/// A type in a signature; parameters stand for the same type wherever they occur.
indirect enum TypePattern: Sendable {
    case exact(StaticType)
    case parameter(Int)
    /// The type of a parameter, or any other type where not strict; then the parameter is open.
    case alternative(Int)
    case list(TypePattern)
    case map(TypePattern, TypePattern)
    case optional(TypePattern)

    static let dyn = exact(.dyn)
    static let bool = exact(.bool)
    static let int = exact(.int)
    static let uint = exact(.uint)
    static let double = exact(.double)
    static let string = exact(.string)
    static let bytes = exact(.bytes)
    static let timestamp = exact(.timestamp)
    static let duration = exact(.duration)
    static let type = exact(.type)
    static let a = parameter(0)
    static let b = parameter(1)
    static let orA = alternative(0)
}
