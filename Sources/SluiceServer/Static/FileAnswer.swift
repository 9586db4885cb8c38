internal import HTTP
internal import Support

/// Files of the public folder and of the mounted ones (docs/http.md).
struct FileAnswer {
    let folders: PublicFolders
    private let strictTransport: Duration
    /// The sites that may embed pages, as a directive of the content policy.
    private let ancestors: String

    init(_ folders: PublicFolders, _ configuration: Configuration) {
        self.folders = folders
        strictTransport = configuration.strictTransport
        ancestors = ContentPolicy.ancestors(configuration.frameAncestors)
    }

    /// Answers with the file of the path, compressed if that helps and the client accepts it.
    func send(_ head: RequestHead, on connection: HTTPConnection) {
        guard let (files, path) = folders.folder(of: head.path), let file = files.open(path) else {
            return connection.refuse(.notFound)
        }
        let isCompressible = file.isCompressible
        let takesGzip = isCompressible && Self.takesGzip(head)
        let (isSecure, policy) = (connection.isSecure, files.policy)
        let forwarded = connection.forwarding?.authority
        let authority = forwarded ?? String(decoding: head.authority, as: UTF8.self)
        let strictness = StrictTransport(strictTransport, for: authority)
        let fields = { (etag: String, out: inout ByteBuffer) in
            if isCompressible { out.append("Vary: Accept-Encoding\r\n") }
            out.append(securityOf: etag)
            if let policy {
                out.append(utf8: policy)
            } else if let host = forwarded {
                host.withBorrowedBytes { out.append(policyFor: $0, isSecure: isSecure) }
            } else {
                out.append(policyFor: head.authority, isSecure: isSecure)
            }
            out.append("; ")
            out.append(utf8: ancestors)
            out.append("\r\n")
            if isSecure { strictness.append(to: &out) }
        }
        let condition = head.value(.ifNoneMatch).flatMap { EntityTagCondition($0) }
        let codedTag = file.codedTag
        if takesGzip, let condition, condition.matches(quoted: codedTag) {
            return connection.answerEmpty(.notModified) { fields(codedTag, &$0) }
        }
        let coded = takesGzip ? files.gzip(file, on: connection.hub.loop) : nil
        let etag = coded == nil ? file.etag : codedTag
        if coded == nil, let condition, condition.matches(quoted: etag) {
            return connection.answerEmpty(.notModified) { fields(etag, &$0) }
        }
        Self.begin(file.type, size: coded?.count ?? file.size, on: connection) { out in
            if coded != nil { out.append("Content-Encoding: gzip\r\n") }
            fields(etag, &out)
        }
        guard !connection.framing.omitsBody else { return }
        if let coded { connection.send(FileBody(coded: coded)) } else { connection.send(FileBody(file)) }
    }

    private static func begin(
        _ type: String,
        size: Int,
        on connection: HTTPConnection,
        _ fields: (inout ByteBuffer) -> Void
    ) {
        connection.write { out in
            connection.begin(.ok, in: &out)
            out.field("Content-Type", string: type)
            fields(&out)
            out.append("Content-Length: ")
            out.append(decimal: size)
            out.append("\r\n\r\n")
        }
    }

    /// Whether `Accept-Encoding` names gzip, or everything, and does not rule it out.
    private static func takesGzip(_ head: RequestHead) -> Bool {
        guard let value = head.value(.acceptEncoding) else { return false }
        return Accept.quality(of: "gzip", in: value) > 0
    }
}

extension EntityTagCondition {
    fileprivate func matches(quoted tag: String) -> Bool {
        matches(String(tag.dropFirst().dropLast()))
    }
}

extension ByteBuffer {
    /// Appends the validator and the security fields for browsers, up to the policy.
    fileprivate mutating func append(securityOf etag: String) {
        field("ETag", string: etag)
        append(
            """
            Cache-Control: no-cache\r
            X-Content-Type-Options: nosniff\r
            Referrer-Policy: no-referrer\r
            Cross-Origin-Opener-Policy: same-origin\r
            Content-Security-Policy:\u{20}
            """
        )
    }

    /// Appends the sources that the page needs, and no others.
    ///
    /// `host` is the validated host that the client asked for: older Safari does not match `ws:`
    /// and `wss:` with `'self'`.
    fileprivate mutating func append(policyFor host: BorrowedBytes, isSecure: Bool) {
        append(
            """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws
            """
        )
        append(isSecure ? "s://" : "://")
        append(host)
        append("; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'")
    }
}
