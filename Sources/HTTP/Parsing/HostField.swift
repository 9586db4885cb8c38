internal import Support

/// The value of the field `Host`, and the authority of a request target.
enum HostField {
    /// Whether the bytes are a host and perhaps a port (RFC 9112 §3.2); an empty host is refused,
    /// as nothing can be checked against it.
    static func isWellFormed(_ bytes: BorrowedBytes) -> Bool {
        var place = 0
        if bytes.first == UInt8(ascii: "[") {
            place = 1
            while place < bytes.count,
                bytes[place] == UInt8(ascii: ":") || ByteSet.host.contains(bytes[place])
            {
                place &+= 1
            }
            guard place > 1, place < bytes.count, bytes[place] == UInt8(ascii: "]") else {
                return false
            }
            place &+= 1
        } else {
            place = ByteSet.host.prefix(of: bytes)
        }
        guard place > 0 else { return false }
        guard place < bytes.count else { return true }
        guard bytes[place] == UInt8(ascii: ":") else { return false }
        repeat { place &+= 1 } while place < bytes.count && ASCII.isDigit(bytes[place])
        return place == bytes.count
    }
}
