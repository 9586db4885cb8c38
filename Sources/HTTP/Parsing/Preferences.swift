internal import Support

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
        unsafe head.forEachValue(.prefer) {
            unsafe add($0)
            return true
        }
    }

    /// Reads one value of `Prefer`.
    public mutating func add(_ value: UnsafeRawBufferPointer) {
        unsafe value.forEachListElement { element in
            // Parameters of a preference follow a semicolon; none of these has any.
            let end = unsafe element.firstIndex(of: UInt8(ascii: ";")) ?? element.count
            let preference = unsafe UnsafeRawBufferPointer(rebasing: element[..<end]).trimmed
            let split = unsafe preference.firstIndex(of: UInt8(ascii: "=")) ?? preference.count
            let name = unsafe UnsafeRawBufferPointer(rebasing: preference[..<split]).trimmed
            let given = unsafe UnsafeRawBufferPointer(
                rebasing: preference[min(split + 1, preference.count)...]
            )
            .trimmed
            if unsafe name.equalsIgnoringCase("return"), !returnsMinimal, !returnsRepresentation {
                returnsMinimal = unsafe given.unquoted.equalsIgnoringCase("minimal")
                returnsRepresentation = unsafe given.unquoted.equalsIgnoringCase("representation")
            } else if unsafe name.equalsIgnoringCase("wait"), waitSeconds == nil {
                waitSeconds = unsafe given.unquoted.decimal
            }
            return true
        }
    }
}
