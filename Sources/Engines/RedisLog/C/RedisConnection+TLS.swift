internal import CHiredis

#if canImport(CHiredisSSL)
    internal import CHiredisSSL
    internal import COpenSSL
#endif

extension RedisConnection {
    #if canImport(CHiredisSSL)
        /// Begins TLS 1.2 or 1.3.
        ///
        /// hiredis does not compare the name in the certificate with that of the host, so OpenSSL
        /// is asked to.
        ///
        /// - Parameters:
        ///   - host: the name or the address that must be in the certificate.
        ///   - authorities: path of a PEM file of authorities, one of which must have signed it;
        ///     nil: those that the system trusts.
        /// - Throws: ``RedisError`` where the handshake fails or the certificate cannot be trusted.
        func secure(_ host: String, authorities: String?) throws(RedisError) {
            ERR_clear_error()
            guard let settings = unsafe SSL_CTX_new(TLS_client_method()) else {
                throw Self.failure(during: "TLS")
            }
            defer { unsafe SSL_CTX_free(settings) }
            _ = unsafe SSL_CTX_ctrl(settings, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
            unsafe SSL_CTX_set_verify(settings, SSL_VERIFY_PEER, nil)
            if let authorities {
                guard unsafe SSL_CTX_load_verify_file(settings, authorities) == 1 else {
                    throw Self.failure(during: "'\(authorities)' cannot be used as a list of authorities")
                }
            } else {
                guard unsafe SSL_CTX_set_default_verify_paths(settings) == 1 else {
                    throw Self.failure(during: "the system's authorities")
                }
            }
            guard let session = unsafe SSL_new(settings) else { throw Self.failure(during: "TLS") }
            guard unsafe Self.expect(host, in: session), unsafe redisInitiateSSL(context, session) == REDIS_OK
            else {
                // hiredis owns the session only once the handshake is over.
                defer { unsafe SSL_free(session) }
                let verdict = unsafe SSL_get_verify_result(session)
                guard verdict == Int(X509_V_OK) else {
                    let words = unsafe String(cString: X509_verify_cert_error_string(verdict))
                    throw .refused("the certificate cannot be trusted: \(words)")
                }
                throw .unreachable("the TLS handshake: \(failure().description)")
            }
        }

        /// Wants the certificate of that host, and names it in the handshake (RFC 6066 §3: names,
        /// not addresses).
        private static func expect(_ host: String, in session: OpaquePointer) -> Bool {
            if unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1 { return true }
            ERR_clear_error()
            guard unsafe SSL_set1_host(session, host) == 1 else { return false }
            return unsafe host.withCString { name in
                let name = unsafe UnsafeMutableRawPointer(mutating: name)
                let option = SSL_CTRL_SET_TLSEXT_HOSTNAME
                return unsafe SSL_ctrl(session, option, Int(TLSEXT_NAMETYPE_host_name), name) == 1
            }
        }

        private static func failure(during action: String) -> RedisError {
            let reason = unsafe ERR_reason_error_string(ERR_get_error()).map { unsafe String(cString: $0) }
            ERR_clear_error()
            return .refused(reason.map { "\(action): \($0)" } ?? action)
        }
    #else
        func secure(_ host: String, authorities: String?) throws(RedisError) { try Self.checkTLS() }
    #endif

    /// Refuses TLS where hiredis has none: before version 1.0, or without its library for that.
    static func checkTLS() throws(RedisError) {
        #if !canImport(CHiredisSSL)
            throw .refused(
                """
                this server was built with hiredis \(HIREDIS_MAJOR).\(HIREDIS_MINOR) without libhiredis_ssl, so it has no TLS to \
                Redis: build it with hiredis 1.0 or later, or put a TLS tunnel before Redis and use redis://
                """
            )
        #endif
    }
}
