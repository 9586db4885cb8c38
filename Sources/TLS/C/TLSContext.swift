internal import COpenSSL

/// The shared part of all TLS connections of one side: certificate and key, trusted authorities,
/// versions.
///
/// TLS 1.2 and 1.3; no renegotiation, no compression. Connections keep the context they began with,
/// so it can be replaced while the server runs.
@safe package final class TLSContext {
    package let raw: OpaquePointer
    package let isServer: Bool

    /// The ciphers of TLS 1.2 (RFC 9325 §4.2).
    ///
    /// Keys are exchanged by Diffie-Hellman, so that a stolen key opens no recorded connection, and
    /// what is sent is encrypted with authentication. Those of TLS 1.3 are all of this kind.
    private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!PSK"

    private init(_ method: OpaquePointer, isServer: Bool) throws(TLSFailure) {
        ERR_clear_error()
        guard let raw = unsafe SSL_CTX_new(method) else { throw TLSFailure(during: "TLS") }
        unsafe self.raw = unsafe raw
        self.isServer = isServer
        _ = unsafe SSL_CTX_ctrl(raw, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        guard unsafe SSL_CTX_set_cipher_list(raw, Self.ciphers) == 1 else { throw TLSFailure(during: "TLS") }
        // A quiet connection holds no buffers; a write is taken whole.
        _ = unsafe SSL_CTX_ctrl(raw, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
        // SSL_OP_NO_RENEGOTIATION is 1 << 30, which Swift does not import.
        unsafe SSL_CTX_set_options(raw, 1 << 30)
        // Passwords are never asked for on the terminal: a key that needs one is an error.
        unsafe SSL_CTX_set_default_passwd_cb(raw) { _, _, _, _ in 0 }
    }

    deinit {
        unsafe SSL_CTX_free(raw)
    }

    /// The server's side, from the paths of two PEM files.
    ///
    /// They are the server's certificate, then those between it and the authority; and its private
    /// key, without a password.
    ///
    /// - Throws: what cannot be used, and why.
    package static func server(certificate: String, key: String) throws(TLSFailure) -> TLSContext {
        let context = try unsafe TLSContext(TLS_server_method(), isServer: true)
        let raw = unsafe context.raw
        guard unsafe SSL_CTX_use_certificate_chain_file(raw, certificate) == 1 else {
            throw TLSFailure(during: "tls.cert: '\(certificate)' cannot be used")
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(raw, key, SSL_FILETYPE_PEM) == 1 else {
            throw TLSFailure(during: "tls.key: '\(key)' cannot be used")
        }
        guard unsafe SSL_CTX_check_private_key(raw) == 1 else {
            throw TLSFailure(during: "tls.key: '\(key)' does not belong to the certificate")
        }
        unsafe SSL_CTX_set_alpn_select_cb(raw, selectProtocol, nil)
        return context
    }

    /// A client's context.
    ///
    /// `authorities` is the path of a PEM file of authorities; nil means those that the system
    /// trusts.
    package static func client(authorities: String?) throws(TLSFailure) -> TLSContext {
        let context = try unsafe TLSContext(TLS_client_method(), isServer: false)
        let raw = unsafe context.raw
        if let authorities {
            guard unsafe SSL_CTX_load_verify_file(raw, authorities) == 1 else {
                throw TLSFailure(during: "'\(authorities)' cannot be used as a list of authorities")
            }
        } else {
            guard unsafe SSL_CTX_set_default_verify_paths(raw) == 1 else {
                throw TLSFailure(during: "the system's authorities")
            }
        }
        unsafe SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nil)
        return context
    }
}

/// Chooses HTTP/1.1 (RFC 7301); a client that offers only other protocols gets an alert.
private let selectProtocol: SSL_CTX_alpn_select_cb_func = { _, chosen, chosenLength, offered, length, _ in
    guard let offered = unsafe offered, let chosen = unsafe chosen, let chosenLength = unsafe chosenLength
    else { return SSL_TLSEXT_ERR_NOACK }
    var offset = 0
    while offset < Int(length) {
        let size = unsafe Int(offered[offset])
        guard offset + 1 + size <= Int(length) else { break }
        let name = unsafe UnsafeBufferPointer(start: offered + offset + 1, count: size)
        if unsafe name.elementsEqual("http/1.1".utf8) {
            unsafe chosen.pointee = unsafe offered + offset + 1
            unsafe chosenLength.pointee = UInt8(size)
            return SSL_TLSEXT_ERR_OK
        }
        offset += 1 + size
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
