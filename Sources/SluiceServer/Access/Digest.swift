internal import COpenSSL
internal import Support

/// SHA-256 (FIPS 180-4), for recognising tokens and for the signatures of sinks.
enum SHA256 {
    /// The 32 bytes of the digest of `bytes`.
    static func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var length: UInt32 = 0
        return [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            let status = EVP_Digest(
                bytes.baseAddress,
                bytes.count,
                buffer.baseAddress,
                &length,
                EVP_sha256(),
                nil
            )
            precondition(status == 1, "SHA-256 is not offered by this OpenSSL")
            count = Int(length)
        }
    }

    /// The HMAC of `bytes` (RFC 2104), in hexadecimal digits.
    static func signature(of bytes: [UInt8], by secret: String) -> String {
        let key = Array(secret.utf8)
        var length: UInt32 = 0
        let digest = [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            let made = HMAC(
                EVP_sha256(),
                key,
                Int32(key.count),
                bytes,
                bytes.count,
                buffer.baseAddress,
                &length
            )
            precondition(made != nil, "SHA-256 is not offered by this OpenSSL")
            count = Int(length)
        }
        return digest.map { String($0, width: 2, radix: 16) }.joined()
    }
}
