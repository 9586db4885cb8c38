#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The long forms of tests: they run when `SLUICE_NIGHTLY` is 1.
public enum Nightly {
    /// Whether the long forms run.
    public static let isOn = getenv("SLUICE_NIGHTLY").map { String(cString: $0) == "1" } ?? false
}
