public import CEL

/// The system's part of expressions, shared by all threads of a server.
public struct ExpressionSystem: Sendable {
    private let regex = RE2Engine()
    private let zones = SystemTimeZones()

    /// Regular expressions by RE2, and the time zones of this machine.
    public init() {}

    /// Options with the functions that need this system, whose patterns and zones all of them
    /// share.
    ///
    /// `isStrict` leaves out all that the published standard does not have.
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
