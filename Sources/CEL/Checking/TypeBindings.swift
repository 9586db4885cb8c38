/// What the type parameters of one signature have been found to be.
struct TypeBindings {
    let mixesNumbers: Bool
    private var types: [Int: StaticType] = [:]

    init(mixesNumbers: Bool) {
        self.mixesNumbers = mixesNumbers
    }

    /// Whether a value of `type` fits `pattern`, noting what parameters must be.
    mutating func accepts(_ type: StaticType, as pattern: TypePattern) -> Bool {
        switch pattern {
        case .exact(let expected):
            return type.mayBe(expected, mixingNumbers: mixesNumbers)
        case .parameter(let number), .alternative(let number):
            guard let known = types[number] else {
                types[number] = type
                return true
            }
            types[number] = known.joined(with: type)
            if mixesNumbers, case .alternative = pattern { return true }
            return known.mayBe(type, mixingNumbers: mixesNumbers)
        case .list(let element):
            if case .list(let actual) = type { return accepts(actual, as: element) }
            return type == .dyn
        case .map(let key, let value):
            if case .map(let actualKey, let actualValue) = type {
                return accepts(actualKey, as: key) && accepts(actualValue, as: value)
            }
            return type == .dyn
        case .optional(let wrapped):
            if case .optional(let actual) = type { return accepts(actual, as: wrapped) }
            return type == .dyn
        }
    }

    /// The type a pattern stands for, as far as it is known.
    func resolved(_ pattern: TypePattern) -> StaticType {
        switch pattern {
        case .exact(let type): type
        case .parameter(let number), .alternative(let number): types[number] ?? .dyn
        case .list(let element): .list(resolved(element))
        case .map(let key, let value): .map(resolved(key), resolved(value))
        case .optional(let wrapped): .optional(resolved(wrapped))
        }
    }
}
