/// An IPv4 or IPv6 address as a number; IPv4 in the range `::ffff:0:0/96` (RFC 4291 §2.5.5.2).
public struct IPAddress: Hashable, Sendable {
    /// The first and the last eight bytes.
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads an address as it is usually written: `192.0.2.1`, `2001:db8::1`, `::ffff:192.0.2.1`.
    ///
    /// Nil for everything else: names, ports, brackets, zones, numbers with leading zeros or in
    /// other bases.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 45 else { return nil }
        if let v4 = Self.v4(bytes[...]) {
            self.init(high: 0, low: 0xffff_0000_0000 | UInt64(v4))
        } else if let groups = Self.groups(bytes) {
            func half(_ range: Range<Int>) -> UInt64 { groups[range].reduce(0) { $0 << 16 | UInt64($1) } }
            self.init(high: half(0..<4), low: half(4..<8))
        } else {
            return nil
        }
    }

    /// Whether it is an IPv4 address.
    public var isV4: Bool { high == 0 && low >> 32 == 0xffff }

    /// Four decimal numbers with dots between.
    private static func v4(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(ASCII.isDigit) else {
                return nil
            }
            guard part.count == 1 || part.first != 48 else { return nil }
            let number = part.reduce(UInt32(0)) { $0 * 10 + UInt32($1 - 48) }
            guard number <= 255 else { return nil }
            address = address << 8 | number
        }
        return address
    }

    /// Eight groups of hexadecimal digits, one run of zeros perhaps left out as `::`, the last two
    /// perhaps as IPv4.
    private static func groups(_ bytes: [UInt8]) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        guard bytes.contains(colon) else { return nil }
        let gaps = zip(bytes.indices, bytes.indices.dropFirst()).filter {
            bytes[$0] == colon && bytes[$1] == colon
        }
        guard gaps.count <= 1 else { return nil }
        guard let gap = gaps.first else {
            return run(bytes[...]).flatMap { $0.count == 8 ? $0 : nil }
        }
        let (left, right) = (bytes[..<gap.0], bytes[(gap.1 + 1)...])
        guard let first = left.isEmpty ? [] : run(left, mayEndInV4: false),
            let last = right.isEmpty ? [] : run(right),
            first.count + last.count < 8
        else { return nil }
        return first + Array(repeating: 0, count: 8 - first.count - last.count) + last
    }

    /// Groups with single colons between.
    private static func run(_ bytes: ArraySlice<UInt8>, mayEndInV4: Bool = true) -> [UInt16]? {
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var groups: [UInt16] = []
        for (place, part) in parts.enumerated() {
            if mayEndInV4, place == parts.count - 1, let v4 = v4(part) {
                groups += [UInt16(v4 >> 16), UInt16(v4 & 0xffff)]
                continue
            }
            let digits = part.compactMap(ASCII.hexadecimal)
            guard (1...4).contains(part.count), digits.count == part.count else { return nil }
            groups.append(digits.reduce(0) { $0 << 4 | UInt16($1) })
        }
        return groups
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address in its one form (RFC 5952).
    public var description: String {
        if isV4 {
            return stride(from: 24, through: 0, by: -8).map { "\(low >> $0 & 255)" }.joined(separator: ".")
        }
        let groups = [high, low].flatMap { half in
            stride(from: 48, through: 0, by: -16).map { UInt16(truncatingIfNeeded: half >> $0) }
        }
        // The longest run of two zeros or more is left out, the first of equally long ones.
        var gap = 0..<0
        var start = 0
        for place in 0...8 where place == 8 || groups[place] != 0 {
            if place - start > max(1, gap.count) { gap = start..<place }
            start = place + 1
        }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        if gap.isEmpty { return text(groups[...]) }
        return text(groups[..<gap.lowerBound]) + "::" + text(groups[gap.upperBound...])
    }
}
