internal import ReactiveGraph
internal import Support
internal import Values

extension UpstreamDefinition {
    /// A mapping of names to upstreams.
    static var schema: Schema {
        .map(of: .oneOf(UpstreamRow.all.map(\.schema)))
            .with("propertyNames", .schema(.string(pattern: Name.pattern)))
            .with("maxProperties", .number(most))
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
        let hint = "such as { url: \(UpstreamRow.web.example) }"
        guard
            let (row, fields) = reader.row(
                entry.value,
                of: "an upstream",
                among: UpstreamRow.all,
                hint: hint
            )
        else { return nil }
        // Also if something else about it is wrong: its sources are not.
        reader.upstreams[name] = row.word
        guard let url = fields[row.word].flatMap({ Self.url($0, row, reader) }),
            let kind = row.read(reader, fields, url)
        else { return nil }
        self.init(name: name, url: url, kind: kind)
    }

    private static func url(_ document: Document, _ row: UpstreamRow, _ reader: DocumentReader) -> RemoteURL?
    {
        guard let text = reader.text(document, of: row.word) else { return nil }
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard !text.contains("?"), let url = RemoteURL(trimmed, in: row.schemes) else {
            let schemes = row.schemes.map(\.rawValue).joined(separator: " or ")
            return reader.refuse(
                "\(row.word) must be an address such as \(row.example)",
                at: document.position,
                hint: "\(schemes), without a user, a query, a fragment and blanks"
            )
        }
        // What only sinks use has to be permitted to them alone; see ``check(_:_:_:)``.
        let isForSink =
            row.takesValues && reader.options.sinkHosts.map { $0.addresses(of: url) != nil } ?? true
        if !isForSink, refuses(url, at: document.position, reader) { return nil }
        return url
    }

    /// Reports a host that sources must not reach.
    private static func refuses(_ url: RemoteURL, at position: Position, _ reader: DocumentReader) -> Bool {
        guard let hosts = reader.options.sourceHosts, hosts.addresses(of: url) == nil else { return false }
        reader.add(
            "sources must not reach '\(url.authority)'",
            at: position,
            hint: "add '\(url.authority)' to the configuration key sourceHosts"
        )
        return true
    }

    /// Reports sources whose upstream only sinks may reach.
    static func check(_ upstreams: [UpstreamDefinition], _ nodes: [NodeDefinition], _ reader: DocumentReader)
    {
        let brokers = upstreams.filter(\.isBroker)
        guard !brokers.isEmpty else { return }
        for feed in nodes.compactMap(\.feed) {
            guard let broker = brokers.first(where: { $0.name == feed.upstream }) else { continue }
            if refuses(broker.url, at: feed.position, reader) { return }
        }
    }
}
