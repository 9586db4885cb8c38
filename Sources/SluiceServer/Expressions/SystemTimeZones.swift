public import CEL
internal import Support
internal import Platform

/// The time zones of this machine: the compiled files under `/usr/share/zoneinfo`, each read once.
public final class SystemTimeZones: TimeZones, Sendable {
    private struct Table {
        var known: [String: TimeZoneRules] = [:]
        /// Unknown names; bounded, because clients choose them.
        var unknown: Set<String> = []
    }

    private let folder: String
    private let table = Locked(Table())

    public init(folder: String = "/usr/share/zoneinfo") {
        self.folder = folder
    }

    public func rules(of zone: String) -> TimeZoneRules? {
        table.withLock { table in
            if let rules = table.known[zone] { return rules }
            guard !table.unknown.contains(zone), Self.isName(zone),
                let bytes = Self.read("\(folder)/\(zone)"),
                let rules = TimeZoneRules(tzif: bytes)
            else {
                if table.unknown.count >= 1_000 { table.unknown.removeAll() }
                table.unknown.insert(zone)
                return nil
            }
            table.known[zone] = rules
            return rules
        }
    }

    /// Names such as `America/Argentina/Buenos_Aires`; no path to elsewhere.
    private static func isName(_ zone: String) -> Bool {
        let parts = zone.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count <= 3
            && parts.allSatisfy { part in
                guard let first = part.first, part.count <= 32 else { return false }
                return ASCII.isLetter(first)
                    && part.allSatisfy { ASCII.isWord($0) || $0 == 0x2B || $0 == 0x2D }
            }
    }

    /// A small file's bytes; zone files have less than 4 KiB.
    private static func read(_ path: String) -> [UInt8]? {
        guard let file = unsafe fopen(path, "rb") else { return nil }
        defer { unsafe fclose(file) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = unsafe fread(buffer.baseAddress, 1, buffer.count, file)
        }
        return bytes.isEmpty || bytes.count == 65_536 ? nil : bytes
    }
}
