/// Names of hosts, without port and without brackets.
enum HostName {
    /// Whether a `Host` field could ever name it: not empty, no path, no port (one colon), no
    /// brackets.
    static func isWellFormed(_ host: String) -> Bool {
        let colons = host.utf8.count { $0 == UInt8(ascii: ":") }
        return !host.isEmpty && !host.contains("/") && !host.contains("[") && colons != 1
    }

    /// Whether the name or address can only mean this machine: `localhost`, names under it,
    /// 127.0.0.0/8, ::1.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { (1...3).contains($0.utf8.count) && UInt8($0) != nil }
    }
}
