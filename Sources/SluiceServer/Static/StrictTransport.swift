internal import Support

/// Tells browsers to use only https for the name of this server (RFC 6797).
struct StrictTransport {
    private let seconds: Int64

    /// For the host that a request names.
    ///
    /// Nothing is said of localhost, where other programs serve http under the same name. Browsers
    /// ignore the field for addresses.
    init(_ time: Duration, for authority: String) {
        let host = HostCheck.host(of: authority)
        let isNamed = host.map { !HostName.isLoopback($0) && IPAddress($0) == nil } ?? false
        seconds = isNamed ? time.components.seconds : 0
    }

    func append(to out: inout ByteBuffer) {
        guard seconds > 0 else { return }
        out.append("Strict-Transport-Security: max-age=")
        out.append(decimal: seconds)
        out.append("\r\n")
    }
}
