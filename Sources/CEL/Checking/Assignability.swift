extension StaticType {
    var isNumber: Bool {
        switch self {
        case .int, .uint, .double: true
        default: false
        }
    }

    /// Whether nothing about it is left open.
    var isKnown: Bool {
        switch self {
        case .dyn: false
        case .list(let inner), .optional(let inner): inner.isKnown
        case .map(let key, let value): key.isKnown && value.isKnown
        default: true
        }
    }

    /// The type of something that is either of these.
    public func joined(with other: StaticType) -> StaticType {
        guard mayBe(other, mixingNumbers: false) else { return .dyn }
        return switch (self, other) {
        case (_, _) where self == other: self
        case (.list(let a), .list(let b)): .list(a.joined(with: b))
        case (.map(let a, let b), .map(let c, let d)): .map(a.joined(with: c), b.joined(with: d))
        case (.optional(let a), .optional(let b)): .optional(a.joined(with: b))
        default: .dyn
        }
    }

    /// Whether a value of this type may turn out to be one of `other`.
    ///
    /// Where numbers mix (not in strict mode) any number may stand for any other.
    func mayBe(_ other: StaticType, mixingNumbers: Bool) -> Bool {
        switch (self, other) {
        case (.dyn, _), (_, .dyn): true
        case (.list(let a), .list(let b)), (.optional(let a), .optional(let b)):
            a.mayBe(b, mixingNumbers: mixingNumbers)
        case (.map(let a, let b), .map(let c, let d)):
            a.mayBe(c, mixingNumbers: mixingNumbers) && b.mayBe(d, mixingNumbers: mixingNumbers)
        case (.null, .optional), (.optional, .null), (.null, .timestamp), (.timestamp, .null),
            (.null, .duration), (.duration, .null):
            true
        default: self == other || (mixingNumbers && isNumber && other.isNumber)
        }
    }
}

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
