/// A range of addresses that begin alike (CIDR, RFC 4632): `10.0.0.0/8`, `2001:db8::/32`, or one
/// address.
public struct Network: Hashable, Sendable {
    private let address: IPAddress
    /// How many bits count, of 128.
    private let bits: Int

    /// Parses a network; nil if it is invalid, or has bits set after the prefix.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
        let most = address.isV4 ? 32 : 128
        var length = most
        if parts.count == 2 {
            let digits = parts[1].utf8
            guard (1...3).contains(digits.count), digits.allSatisfy(ASCII.isDigit),
                digits.count == 1 || digits.first != 48, let number = Int(parts[1]), number <= most
            else { return nil }
            length = number
        }
        self.address = address
        bits = 128 - most + length
        guard Self.cut(address, bits) == address else { return nil }
    }

    /// The network of one address.
    public init(_ address: IPAddress) {
        self.address = address
        bits = 128
    }

    /// Whether the address begins like the network's.
    public func contains(_ address: IPAddress) -> Bool {
        // `::/0` means IPv6 only; IPv4 has networks of its own.
        address.isV4 == self.address.isV4 && Self.cut(address, bits) == self.address
    }

    private static func cut(_ address: IPAddress, _ bits: Int) -> IPAddress {
        func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : bits >= 64 ? .max : ~(UInt64.max >> UInt64(bits)) }
        return IPAddress(high: address.high & mask(bits), low: address.low & mask(bits - 64))
    }
}
