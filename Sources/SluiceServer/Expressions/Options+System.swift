public import CEL

/// What expressions take from this system; one is enough for a server, whatever thread reads them.
public struct ExpressionSystem: Sendable {
    private let regex = RE2Engine()
    private let zones = SystemTimeZones()

    /// Regular expressions by RE2, and the time zones of this machine.
    public init() {}

    /// Expressions with all that this system has for them.
    ///
    /// - Parameter isStrict: exactly the published standard.
    /// - Returns: options that share patterns and zones with all others of this system.
    public func options(strict isStrict: Bool = false) -> Options {
        Options(strict: isStrict, regex: regex, zones: zones)
    }
}

extension Options {
    /// The same with a system of their own.
    public static func system(strict isStrict: Bool = false) -> Options {
        ExpressionSystem().options(strict: isStrict)
    }
}
