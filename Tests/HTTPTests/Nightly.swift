#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether the long forms of tests run: `SLUICE_NIGHTLY=1`.
enum Nightly {
    static var isOn: Bool { getenv("SLUICE_NIGHTLY").map { String(cString: $0) == "1" } ?? false }
}
