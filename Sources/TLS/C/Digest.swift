internal import COpenSSL
package import Support

/// The digest that the WebSocket handshake asks for (RFC 6455 §4.2.2); nothing here is secured by
/// it.
package enum SHA1 {
    package static func digest(_ bytes: BorrowedBytes) -> [UInt8] {
        unsafe output { unsafe EVP_Digest(bytes.baseAddress, bytes.count, $0, $1, method, nil) == 1 }
    }

    /// Never changed.
    ///
    /// `EVP_sha1` would be looked up with each digest, which takes longer than the digest.
    nonisolated(unsafe) private static let method = unsafe EVP_MD_fetch(nil, "SHA1", nil)
}

/// SHA-256 (FIPS 180-4), for recognising tokens and for the signatures of sinks.
package enum SHA256 {
    package static func digest(_ bytes: BorrowedBytes) -> [UInt8] {
        unsafe output { unsafe EVP_Digest(bytes.baseAddress, bytes.count, $0, $1, EVP_sha256(), nil) == 1 }
    }

    /// The HMAC of `bytes` (RFC 2104), in hexadecimal digits.
    package static func signature(of bytes: [UInt8], by secret: String) -> String {
        let key = Array(secret.utf8)
        let code = unsafe output {
            unsafe HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, $0, $1) != nil
        }
        return code.hexadecimal
    }
}

extension Sequence<UInt8> {
    /// Two lower-case digits for each byte.
    package var hexadecimal: String {
        let digits = flatMap { [ASCII.hexadecimalDigit($0 >> 4), ASCII.hexadecimalDigit($0 & 15)] }
        return String(decoding: digits, as: UTF8.self)
    }
}

/// The bytes that a function of OpenSSL writes, which returns whether it could.
private func output(
    _ write: (_ bytes: UnsafeMutablePointer<UInt8>?, _ length: UnsafeMutablePointer<UInt32>) -> Bool
) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
        var length: UInt32 = 0
        unsafe precondition(write(buffer.baseAddress, &length), "this OpenSSL does not offer the digest")
        count = Int(length)
    }
}
