public import CEL

/// The system's part of expressions, shared by all threads of a server.
public struct ExpressionSystem: Sendable {
    private let regex = RE2Engine()
    private let zones = SystemTimeZones()

    /// Regular expressions by RE2, and the time zones of this machine.
    public init() {}

    /// Options of expressions with the functions that need this system.
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
