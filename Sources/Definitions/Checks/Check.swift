internal import CEL
internal import Support
public import Values

/// The conditions that a value must meet to be set on a node.
///
/// Checks are compiled when the definition is read. A failed check is `type_mismatch`; its message
/// says what was expected and never repeats the value.
public struct Check {
    /// The type a value must have.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case any, number, integer, string, boolean, object, array
    }

    /// The type.
    public var kind: Kind = .any
    /// Inclusive bounds of a number.
    public var min: Number?
    public var max: Number?
    /// Inclusive bounds of a string's length in characters (Unicode scalars), or of an array's in
    /// elements.
    public var minLength: Int?
    public var maxLength: Int?
    /// A pattern that must match somewhere in a string (RE2 syntax; `^` and `$` anchor it), as it
    /// was written.
    public var pattern: String?
    /// The pattern, compiled.
    var matcher: (any RegexMatcher)?
    /// The values allowed; nil: all.
    public var allowed: AllowedValues?
    public var schema: JSONSchema?

    /// A check that everything passes.
    public init(kind: Kind = .any) {
        self.kind = kind
    }

    /// Whether there is nothing to check.
    public var passesEverything: Bool {
        kind == .any && min == nil && max == nil && minLength == nil && maxLength == nil && pattern == nil
            && allowed == nil && schema == nil
    }

    /// The error message for `datum`, without a full stop; nil if the datum passes.
    public func complaint(about datum: Datum) -> String? {
        var budget = CheckBudget()
        return complaint(about: datum, within: &budget)
    }

    /// The same, for several values that share a budget.
    func complaint(about datum: Datum, within budget: inout CheckBudget) -> String? {
        if datum.isFail { return "a failure cannot be set" }
        if kind == .any, allowed == nil { return schema?.complaint(about: datum, within: &budget) }
        let found = datum.kind
        if let wrong = wrongKind(datum, found) { return wrong }
        switch found {
        case .number:
            if min != nil || max != nil, let number = datum.number {
                if let min, number < min { return "must be at least \(min.text)" }
                if let max, number > max { return "must be at most \(max.text)" }
            }
        case .string:
            if let wrong = wrongText(datum, &budget) { return wrong }
        case .array:
            if minLength != nil || maxLength != nil, case .list(let list) = datum.tree {
                if let minLength, list.count < minLength { return "must have at least \(minLength) elements" }
                if let maxLength, list.count > maxLength { return "must have at most \(maxLength) elements" }
            }
        default:
            break
        }
        if let allowed, !allowed.contains(datum) { return allowed.complaint }
        return schema?.complaint(about: datum, within: &budget)
    }

    private func wrongKind(_ datum: Datum, _ found: JSONKind) -> String? {
        switch (kind, found) {
        case (.any, _), (.number, .number), (.string, .string), (.boolean, .bool), (.object, .object),
            (.array, .array):
            nil
        case (.integer, .number):
            datum.withBytes(JSONNumber.isWhole) ? nil : "must be a whole number"
        case (.integer, _): "must be a whole number"
        case (.object, _), (.array, _): "must be an \(kind.rawValue)"
        default: "must be a \(kind.rawValue)"
        }
    }

    private func wrongText(_ datum: Datum, _ budget: inout CheckBudget) -> String? {
        guard minLength != nil || maxLength != nil || matcher != nil else { return nil }
        guard case .string(let text) = datum.tree else { return nil }
        if minLength != nil || maxLength != nil {
            let length = text.unicodeScalars.count
            if let minLength, length < minLength { return "must have at least \(minLength) characters" }
            if let maxLength, length > maxLength { return "must have at most \(maxLength) characters" }
        }
        guard let matcher else { return nil }
        budget.spend(matcher.cost(ofBytes: text.utf8.count))
        if budget.isSpent { return CheckBudget.complaint }
        do throws(RegexProblem) {
            return try matcher.isFound(in: text) ? nil : "must match \(pattern ?? "the pattern")"
        } catch {
            return "cannot be matched: \(error.message)"
        }
    }
}

extension JSONNumber {
    /// Whether a number has no fractional part, however it is written (`1e3`, `5.0`) and however
    /// large it is.
    static func isWhole(_ text: BorrowedBytes) -> Bool {
        let decimal = JSONDecimal(text)
        return decimal.isZero || decimal.leadingExponent >= decimal.significantDigits - 1
    }
}
