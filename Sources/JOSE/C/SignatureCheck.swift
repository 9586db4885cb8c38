internal import COpenSSL
internal import Support

/// The public key of a signature, as OpenSSL has it.
///
/// Unchecked, because OpenSSL only reads a key while it checks signatures, on any thread.
@safe final class PublicKey: @unchecked Sendable {
    private let raw: OpaquePointer
    private let scheme: Scheme

    /// How it signs, as far as OpenSSL must know.
    enum Scheme {
        /// The digest of the message: RSA with PKCS #1, or ECDSA.
        case sha256
        /// The same with a salt: RSA with PSS.
        case salted
        /// The message itself: EdDSA.
        case whole
    }

    /// A key from its `SubjectPublicKeyInfo`; nil if its numbers are no key of that kind, such as a
    /// point that is not on the curve.
    init?(der: [UInt8], _ scheme: Scheme) {
        let read = unsafe der.withBorrowedBytes { bytes in
            var start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe d2i_PUBKEY(nil, &start, bytes.count)
        }
        guard let read = unsafe read else {
            ERR_clear_error()
            return nil
        }
        unsafe raw = unsafe read
        self.scheme = scheme
    }

    deinit {
        unsafe EVP_PKEY_free(raw)
    }

    /// Whether `signature`, in the form that OpenSSL expects, is that of `message`.
    func accepts(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        var parameters: OpaquePointer?
        let digest = unsafe scheme == .whole ? nil : sha256
        guard unsafe EVP_DigestVerifyInit(context, &parameters, digest, nil, raw) == 1 else { return false }
        if scheme == .salted {
            // The salt is as long as the digest (RFC 7518 §3.5).
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, 32) == 1
            else { return false }
        }
        return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

/// A secret that signer and verifier share.
struct SharedSecret: Sendable {
    let bytes: [UInt8]

    /// Whether `code` is the HMAC of `message`; how long the comparison takes says nothing.
    func accepts(_ code: [UInt8], of message: [UInt8]) -> Bool {
        var expected = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let size = Int32(bytes.count)
        let made = unsafe HMAC(sha256, bytes, size, message, message.count, &expected, &length)
        guard unsafe made != nil, code.count == Int(length) else { return false }
        return unsafe CRYPTO_memcmp(code, expected, code.count) == 0
    }
}

/// Never changed; looking it up takes longer than a short digest.
nonisolated(unsafe) private let sha256 = unsafe EVP_MD_fetch(nil, "SHA256", nil)
