public import CEL

extension Options {
    /// Expressions with all that this system has for them: regular expressions by RE2, named time zones.
    ///
    /// - Parameters:
    ///   - isStrict: exactly the published standard.
    ///   - limits: `patterns` and `patternBytes` of a configuration.
    /// - Returns: options with an engine of their own.
    public static func system(
        strict isStrict: Bool = false,
        limits: Configuration.Limits = Configuration.Limits()
    ) -> Options {
        Options(
            strict: isStrict,
            regex: RE2Engine(most: limits.patterns, memoryBytes: limits.patternBytes),
            zones: SystemTimeZones()
        )
    }
}
