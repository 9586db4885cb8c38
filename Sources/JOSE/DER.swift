/// The few forms of DER (ITU-T X.690) in which OpenSSL takes keys and signatures.
enum DER {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, parts.flatMap { $0 }) }

    /// A number that is not negative, from its big-endian bytes.
    static func integer(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return element(0x02, digits)
    }

    /// A public key with the identifier of its kind: `SubjectPublicKeyInfo` (RFC 5280 §4.1).
    static func publicKey(_ algorithm: [UInt8], _ key: [UInt8]) -> [UInt8] {
        sequence(algorithm, element(0x03, [0] + key))
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// `rsaEncryption` (RFC 3279 §2.3.1).
    static let rsa: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    /// `id-ecPublicKey` with the curve P-256 (RFC 5480 §2.1.1).
    static let p256: [UInt8] = [
        0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
    ]
    /// `id-Ed25519` (RFC 8410 §3).
    static let ed25519: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]
}
