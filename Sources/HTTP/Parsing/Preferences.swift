public import Support

/// What the client prefers (RFC 7240).
///
/// Unknown preferences are ignored, the first of a repeated one counts.
public struct Preferences: Sendable {
    /// `return=minimal`: answer 204 without a body.
    public var returnsMinimal = false
    /// `return=representation`.
    public var returnsRepresentation = false
    /// `wait=n`: seconds the client lets a long poll last.
    public var waitSeconds: Int?

    public init() {}

    /// Reads every `Prefer` field of a request.
    public init(_ head: RequestHead) {
        head.forEachValue(.prefer) {
            add($0)
            return true
        }
    }

    /// Reads one value of `Prefer`.
    public mutating func add(_ value: BorrowedBytes) {
        value.forEachListElement { element in
            // Parameters of a preference follow a semicolon; none of these has any.
            let end = element.firstIndex(of: UInt8(ascii: ";")) ?? element.count
            let preference = element.part(..<end).trimmed
            let split = preference.firstIndex(of: UInt8(ascii: "=")) ?? preference.count
            let name = preference.part(..<split).trimmed
            let given = BorrowedBytes(
                rebasing: preference[min(split + 1, preference.count)...]
            )
            .trimmed
            if name.equalsIgnoringCase("return"), !returnsMinimal, !returnsRepresentation {
                returnsMinimal = given.unquoted.equalsIgnoringCase("minimal")
                returnsRepresentation = given.unquoted.equalsIgnoringCase("representation")
            } else if name.equalsIgnoringCase("wait"), waitSeconds == nil {
                waitSeconds = given.unquoted.decimal
            }
            return true
        }
    }
}
