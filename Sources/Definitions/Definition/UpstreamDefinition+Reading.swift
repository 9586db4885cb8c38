internal import ReactiveGraph
internal import Support
internal import Values

extension UpstreamDefinition {
    /// A mapping of names to upstreams.
    static var schema: Schema {
        .map(of: .mapping(fields)).with("propertyNames", .schema(.string(pattern: Name.pattern)))
            .with("maxProperties", .number(most))
    }

    private static var fields: [Schema.Field] {
        [
            .required(
                "url",
                .string(pattern: "^https?://[^#@? ]+$"),
                "What the addresses of its sources begin with. The configuration key sourceHosts must list its host."
            ),
            .optional("headers", RequestHeader.schema, "Header fields of every request."),
        ]
    }

    /// Reads the section `upstreams`.
    static func section(_ document: Document, from reader: DocumentReader) -> [UpstreamDefinition] {
        guard let members = reader.members(document, of: "upstreams") else { return [] }
        guard members.count <= most else {
            reader.add("a graph has at most \(most) upstreams", code: .tooLarge, at: document.position)
            return []
        }
        return members.compactMap { UpstreamDefinition($0.key, $0.entry, from: reader) }
    }

    private init?(_ name: String, _ entry: Document.Entry, from reader: DocumentReader) {
        if !Name.isValid(name) || name.contains(":") {
            reader.add(
                "'\(name)' cannot be the name of an upstream",
                at: entry.key.position,
                hint: DocumentReader.nameHint
            )
        }
        let fields = reader.fields(entry.value, of: "an upstream", Self.fields)
        let headers = fields["headers"].map { RequestHeader.list($0, from: reader) } ?? []
        guard let url = fields["url"].flatMap({ Self.url($0, reader) }) else { return nil }
        self.init(name: name, url: url, headers: headers)
    }

    private static func url(_ document: Document, _ reader: DocumentReader) -> RemoteURL? {
        guard let text = reader.text(document, of: "url") else { return nil }
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard !text.contains("?"), let url = RemoteURL(trimmed) else {
            return reader.refuse(
                "url must be an address such as https://api.example.org/v2",
                at: document.position,
                hint: "http or https, without a user, a query, a fragment and blanks"
            )
        }
        if let hosts = reader.options.sourceHosts, hosts.addresses(of: url) == nil {
            return reader.refuse(
                "sources must not reach '\(url.authority)'",
                at: document.position,
                hint: "add '\(url.authority)' to the configuration key sourceHosts"
            )
        }
        return url
    }
}
