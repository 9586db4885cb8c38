#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The value of an environment variable, if it is set.
public func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
