internal import COpenSSL
internal import EventLoop

/// What OpenSSL found wrong.
package struct TLSFailure: Error, CustomStringConvertible {
    /// One sentence: what was done, and OpenSSL's own words for what went wrong.
    package let description: String
    /// Whether the peer began to speak HTTP without TLS.
    package let isPlainHTTP: Bool

    init(_ sentence: String) {
        description = sentence
        isPlainHTTP = false
    }

    /// Takes the errors of this thread from OpenSSL's queue; the first one is the cause.
    init(during action: String) {
        let first = ERR_get_error()
        ERR_clear_error()
        guard first != 0 else {
            description = "\(action) failed"
            isPlainHTTP = false
            return
        }
        description = "\(action): \(Self.reason(first))"
        isPlainHTTP = first & 0x7f_ffff == UInt(SSL_R_HTTP_REQUEST)
    }

    /// OpenSSL's words for one of its errors, the system's for an error of the system, such as a
    /// file that is not there.
    private static func reason(_ error: UInt) -> String {
        // ERR_SYSTEM_FLAG and ERR_SYSTEM_MASK of OpenSSL 3.
        if error & 0x8000_0000 != 0 { return UVError(errno: Int32(error & 0x7fff_ffff), call: "TLS").message }
        return unsafe ERR_reason_error_string(error).map { unsafe String(cString: $0) } ?? "error \(error)"
    }
}
