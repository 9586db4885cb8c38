internal import HTTP

// Files of the public folder (frontend.md §9).
extension HTTPConnection {
    /// Answers with the file that the path names.
    func serveFile(_ head: RequestHead) {
        guard let file = server.files?.open(head.path) else { return refuse(Self.notFound) }
        if let value = head.value(.ifNoneMatch), let condition = EntityTagCondition(value),
            file.isKnown(condition)
        {
            return answerEmpty(.notModified) { $0.append(securityOf: file.etag, head.authority) }
        }
        guard !framing.omitsBody else {
            return write { out in
                server.encoder.begin(.ok, framing, in: &out)
                out.field("Content-Type", string: file.type)
                out.append(securityOf: file.etag, head.authority)
                out.append("Content-Length: ")
                out.append(decimal: file.size)
                out.append("\r\n\r\n")
            }
        }
        guard let bytes = file.read() else {
            return refuse(Refusal(.internalError, "the file cannot be read"))
        }
        write { out in
            server.encoder.begin(.ok, framing, in: &out)
            out.field("Content-Type", string: file.type)
            out.append(securityOf: file.etag, head.authority)
            bytes.withUnsafeBytes { server.encoder.finish($0, framing, in: &out) }
        }
    }
}

extension StaticFile {
    fileprivate borrowing func isKnown(_ condition: EntityTagCondition) -> Bool {
        var tag = etag
        return tag.withUTF8 { quoted in
            condition.matchesWeakly(
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(quoted)[1..<quoted.count - 1])
            )
        }
    }
}

extension ByteBuffer {
    /// Appends the validator and what browsers are told to allow and to refuse.
    ///
    /// `host` is the validated Host of the request: older Safari does not match `ws:` with `'self'`.
    fileprivate mutating func append(securityOf etag: String, _ host: UnsafeRawBufferPointer) {
        field("ETag", string: etag)
        append(
            """
            Cache-Control: no-cache\r
            X-Content-Type-Options: nosniff\r
            Referrer-Policy: no-referrer\r
            Cross-Origin-Opener-Policy: same-origin\r
            Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
            connect-src 'self' ws://
            """
        )
        append(host)
        append(
            """
            ; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'\r

            """
        )
    }
}
