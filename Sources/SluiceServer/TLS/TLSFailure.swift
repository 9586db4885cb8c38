internal import COpenSSL

/// What OpenSSL found wrong.
struct TLSFailure: Error, CustomStringConvertible {
    /// One sentence: what was done, and OpenSSL's own words for what went wrong.
    let description: String
    /// Whether the peer began to speak HTTP without TLS.
    let isPlainHTTP: Bool

    init(_ sentence: String) {
        description = sentence
        isPlainHTTP = false
    }

    /// Takes the errors of this thread off OpenSSL's queue; the first is the one that says what happened.
    init(during action: String) {
        let first = ERR_get_error()
        ERR_clear_error()
        guard first != 0 else {
            description = "\(action) failed"
            isPlainHTTP = false
            return
        }
        let text = ERR_reason_error_string(first).map { String(cString: $0) } ?? "error \(first)"
        description = "\(action): \(text)"
        isPlainHTTP = first & 0x7f_ffff == UInt(SSL_R_HTTP_REQUEST)
    }
}
