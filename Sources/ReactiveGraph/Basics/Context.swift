/// Something the caller of a set attaches to it, handed unchanged to everything the emission
/// reaches (G-45).
///
/// The engine never looks inside. Delayed emissions keep it; a settled join takes that of the input
/// delivered last; a replay at connection has none. It may go with its emission to another thread,
/// so what is attached must be `Sendable`.
public final class Context: Sendable {
    /// What the caller attached.
    public let value: any Sendable
    /// Where the value came from, if known; listeners of events receive it (``NodeEvent``).
    public let source: ValueSource?

    /// Wraps `value`.
    public init(_ value: any Sendable, source: ValueSource? = nil) {
        self.value = value
        self.source = source
    }

    /// Says only where the value came from; the attached value is `()`.
    public convenience init(source: ValueSource) {
        self.init((), source: source)
    }

    /// The attached value, if it is of the type asked for.
    public func value<T>(as type: T.Type = T.self) -> T? {
        value as? T
    }
}
