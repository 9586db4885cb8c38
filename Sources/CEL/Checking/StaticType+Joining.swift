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
