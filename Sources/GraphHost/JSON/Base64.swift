/// Base64 with padding (RFC 4648 §4), as the JSON form of bytes.
enum Base64 {
    static func append(_ data: [UInt8], to bytes: inout [UInt8]) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        bytes.reserveCapacity(bytes.count + (data.count + 2) / 3 * 4)
        var at = 0
        while at < data.count {
            let available = min(3, data.count - at)
            var group: UInt32 = 0
            for index in 0..<3 {
                group = group << 8 | (index < available ? UInt32(data[at + index]) : 0)
            }
            for place in 0..<4 {
                let sextet = Int(group >> (18 - 6 * UInt32(place)) & 63)
                bytes.append(place <= available ? alphabet[sextet] : UInt8(ascii: "="))
            }
            at += 3
        }
    }
}
