internal import COpenSSL

/// SHA-256 (FIPS 180-4), by which tokens are known again.
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
}
