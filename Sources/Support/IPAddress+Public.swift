extension IPAddress {
    /// Whether it can belong to another machine on the internet.
    ///
    /// It is not where the registries of special-purpose addresses say that it is this machine, a
    /// private network, a link, a group of receivers, an example or reserved (RFC 6890). An IPv6
    /// address that stands for an IPv4 address (RFC 6052) is what that one is.
    public var isPublic: Bool {
        if isV4 { return !Self.specialV4.contains { $0.contains(self) } }
        if Self.translated.contains(self) {
            return IPAddress(high: 0, low: 0xffff_0000_0000 | low & 0xffff_ffff).isPublic
        }
        return Self.globalV6.contains(self) && !Self.specialV6.contains { $0.contains(self) }
    }

    private static let specialV4 = networks(
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4"
    )
    /// What has been given out so far (RFC 4291 §2.4); the rest are links, private or reserved.
    private static let globalV6 = Network("2000::/3")!
    /// Protocol assignments, Teredo among them, examples, and 6to4, which leads to IPv4 addresses.
    private static let specialV6 = networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
    private static let translated = Network("64:ff9b::/96")!

    private static func networks(_ texts: String...) -> [Network] { texts.map { Network($0)! } }
}
