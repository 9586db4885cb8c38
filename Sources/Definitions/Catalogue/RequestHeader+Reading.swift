internal import Support
internal import Values

extension RequestHeader {
    /// A mapping of field names to texts and secrets.
    static var schema: Schema {
        let secret = Schema.mapping([.required("secret", .string(pattern: DocumentReader.secretPattern))])
        return .map(of: .either(.text, secret)).with("maxProperties", .number(most))
    }

    private static let most = 32
    /// Fields that say how a message is sent, which only the server knows (RFC 9110 section 7.6.1).
    private static let own: Set<String> = [
        "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade",
        "keep-alive", "expect", "accept-encoding", "if-none-match", "if-modified-since",
    ]

    static func list(_ document: Document, from reader: DocumentReader) -> [RequestHeader] {
        guard let members = reader.members(document, of: "headers") else { return [] }
        guard members.count <= most else {
            reader.add("a request has at most \(most) headers", code: .tooLarge, at: document.position)
            return []
        }
        return members.compactMap { RequestHeader($0.key, $0.entry, reader) }
    }

    private init?(_ name: String, _ entry: Document.Entry, _ reader: DocumentReader) {
        guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy({ ASCII.isWord($0) || $0 == 0x2D })
        else {
            reader.add("'\(name)' cannot be the name of a header field", at: entry.key.position)
            return nil
        }
        guard !Self.own.contains(name.lowercased()) else {
            reader.add("the server itself sets the header field '\(name)'", at: entry.key.position)
            return nil
        }
        if let secret = entry.value["secret"], entry.value.entries?.count == 1 {
            guard let secret = reader.secret(secret) else { return nil }
            self.init(name: name, value: .secret(secret))
            return
        }
        guard let text = reader.text(entry.value, of: "the header field '\(name)'") else { return nil }
        guard text.utf8.count <= 4_096, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            reader.add("a header field has at most 4096 visible ASCII characters", at: entry.value.position)
            return nil
        }
        self.init(name: name, value: .text(text))
    }
}
