/// How expressions are read and what they may cost.
public struct Options {
    /// Exactly the published standard: arithmetic does not mix int, uint and double.
    public var isStrict: Bool
    /// Whether types, names and functions are checked before anything is evaluated.
    ///
    /// Without, what does not go together fails when it is met, and what is never met does not
    /// matter.
    public var checksTypes = true
    /// Units one evaluation may spend: about one per operation, and the length of strings and lists
    /// handled.
    public var cost: Int
    /// The largest result, in bytes of strings and elements, that may leave an evaluation.
    public var outputBytes: Int
    /// Names are looked up in this namespace first, then outwards (`a.b` means `a.b.x`, `a.x`,
    /// `x`).
    public var container: String
    /// What `matches` and its relatives use; without one they are not available.
    public var regex: (any RegexEngine)?
    /// What the literal patterns of several expressions may take together; without it those of one
    /// are without bounds.
    public var literals: LiteralPatterns?
    /// Where named time zones are looked up; without it only offsets such as `+02:00` are known.
    public var zones: (any TimeZones)?

    /// The defaults: mixed arithmetic, 10,000 units, 64 KiB.
    public init(
        strict: Bool = false,
        cost: Int = 10_000,
        outputBytes: Int = 65_536,
        container: String = "",
        regex: (any RegexEngine)? = nil,
        zones: (any TimeZones)? = nil
    ) {
        self.isStrict = strict
        self.cost = cost
        self.outputBytes = outputBytes
        self.container = container
        self.regex = regex
        self.zones = zones
    }
}

/// A name an expression may use, and what is known of its values' type.
public struct Variable: Sendable {
    /// The name, as expressions write it.
    public let name: String
    /// What is known of its values' type: `dyn` where that is nothing.
    public let type: StaticType

    /// A variable called `name`, a CEL identifier or several joined by dots.
    public init(_ name: String, type: StaticType = .dyn) {
        self.name = name
        self.type = type
    }
}
