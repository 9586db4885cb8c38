internal import COpenSSL

/// The digest that the WebSocket handshake asks for (RFC 6455 §4.2.2); nothing here is secured by
/// it.
package enum SHA1 {
    /// The twenty bytes of the digest of `bytes`.
    package static func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var length: UInt32 = 0
        let digest = [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            let status = EVP_Digest(
                bytes.baseAddress,
                bytes.count,
                buffer.baseAddress,
                &length,
                EVP_sha1(),
                nil
            )
            precondition(status == 1, "SHA-1 is not offered by this OpenSSL")
            count = Int(length)
        }
        return digest
    }
}

/// Random bytes from the kernel, for tokens, session names and epochs.
///
/// Not from OpenSSL: its generator takes the kernel's bytes too, and making it costs a start two
/// milliseconds and two megabytes that a server without TLS never needs again.
package enum RandomBytes {
    /// `count` unpredictable bytes.
    package static func make(_ count: Int) -> [UInt8] {
        var kernel = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &kernel) }
    }
}
