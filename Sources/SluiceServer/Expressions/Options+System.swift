public import CEL

extension Options {
    /// Expressions with all that this system has for them: regular expressions by RE2, named time zones.
    ///
    /// - Parameter isStrict: exactly the published standard.
    /// - Returns: options with an engine of their own.
    public static func system(strict isStrict: Bool = false) -> Options {
        Options(strict: isStrict, regex: RE2Engine(), zones: SystemTimeZones())
    }
}
