internal import ReactiveGraph
internal import Support
internal import Values

extension SinkDefinition {
    /// A mapping of names to sinks.
    static var schema: Schema {
        .map(of: .mapping(fields)).with("propertyNames", .schema(.any.with("pattern", .text(Name.pattern))))
            .with("maxProperties", .number(most))
    }

    private static let fields: [Schema.Field] = [
        .required(
            "from",
            .either(.node, AllArgument.schema),
            "The node whose values are sent, or a glob: then lists of the values of all nodes that match."
        ),
        .required(
            "url",
            .string(pattern: "^https?://[^#@ ]+$"),
            "Where each value is sent by POST. The configuration key sinkHosts must list its host."
        ),
        .optional("mode", .word(Mode.self, default: .latest), "Whether all values are sent, or the newest."),
        .optional(
            "queue",
            .count(1, mostQueuedOfGlob),
            "How many values may wait in mode all, 256 without it, 10,000 of a glob; then the oldest is dropped."
        ),
        .optional(
            "repeats",
            .boolean.with("default", false),
            "Whether mode latest also sends a value equal to the one that arrived last."
        ),
        .optional("timeout", .duration, "How long an answer may take, at most a minute; 10s without it."),
        .optional(
            "secret",
            .string(pattern: DocumentReader.secretPattern),
            "The name of the secret that signs requests: the server reads it from SLUICE_SECRET_ followed by this name."
        ),
    ]

    /// Reads the section `sinks`; ``check(_:_:_:)`` checks the names in it.
    package static func section(_ document: Document, from reader: DocumentReader) -> [SinkDefinition] {
        guard let members = reader.members(document, of: "sinks") else { return [] }
        guard members.count <= most else {
            reader.add("a graph has at most \(most) sinks", code: .tooLarge, at: document.position)
            return []
        }
        return members.compactMap { SinkDefinition($0.key, $0.entry, from: reader) }
    }

    private init?(_ name: String, _ entry: Document.Entry, from reader: DocumentReader) {
        let before = reader.problems.count
        if !Name.isValid(name) {
            reader.add(
                "'\(name)' cannot be the name of a sink",
                at: entry.key.position,
                hint: DocumentReader.nameHint
            )
        }
        let fields = reader.fields(entry.value, of: "a sink", Self.fields)
        let from = fields["from"].flatMap { Self.from($0, reader) }
        let isOverGlob = from.map(Glob.isGlob) ?? false
        let url = fields["url"].flatMap { Self.url($0, reader) }
        let mode: Mode? = fields["mode"].flatMap { reader.word($0, of: "mode") }
        let mostQueued = isOverGlob ? Self.mostQueuedOfGlob : Self.mostQueued
        let queue = fields["queue"].flatMap { reader.count($0, of: "queue", in: 1...mostQueued) }
        if let document = fields["queue"], (mode ?? .latest) == .latest {
            reader.add("'queue' is for mode all", at: document.position)
        }
        let repeats = fields["repeats"].flatMap { reader.flag($0, of: "repeats") }
        if let document = fields["repeats"], mode == .all {
            reader.add("'repeats' is for mode latest: mode all sends every value", at: document.position)
        }
        let timeout = fields["timeout"].flatMap { reader.span($0, of: "timeout") }
        if let document = fields["timeout"], let timeout, timeout.milliseconds > Self.longestTimeout {
            reader.add("timeout must be at most 1m", at: document.position)
        }
        let secret = fields["secret"].flatMap { reader.secret($0) }
        guard let from, let url, reader.problems.count == before else { return nil }
        self.init(
            name: name,
            from: from,
            url: url,
            mode: mode ?? .latest,
            queue: queue ?? (isOverGlob ? 10_000 : 256),
            repeats: repeats ?? false,
            timeout: timeout?.milliseconds ?? 10_000,
            secret: secret,
            canonical: entry.value.json(isCanonical: true),
            fromPosition: fields["from"]?.position ?? entry.key.position
        )
    }

    private static func from(_ document: Document, _ reader: DocumentReader) -> String? {
        guard let text = document.scalar?.text else {
            return reader.nodeName(document, "from must name a node")
        }
        if let pattern = try? NamePattern(text), NamePattern.isPattern(text) {
            return reader.refuse(
                "'\(text)' names a family",
                at: document.position,
                hint: "write '\(pattern.glob)' for all of its members"
            )
        }
        guard Glob.isGlob(text) else { return reader.nodeName(document, "from must name a node") }
        return reader.checkGlob(text, at: document.position) ? text : nil
    }

    private static func url(_ document: Document, _ reader: DocumentReader) -> RemoteURL? {
        guard let text = reader.text(document, of: "url") else { return nil }
        guard let url = RemoteURL(text) else {
            return reader.refuse(
                "url must be an address such as https://example.org/hook",
                at: document.position,
                hint: "http or https, without a user, a fragment and blanks"
            )
        }
        if let hosts = reader.options.sinkHosts, hosts.addresses(of: url) == nil {
            return reader.refuse(
                "sinks must not send to '\(url.authority)'",
                at: document.position,
                hint:
                    "add '\(url.authority)' to the configuration key sinkHosts"
            )
        }
        return url
    }

    static func check(_ sinks: [SinkDefinition], _ nodes: [NodeDefinition], _ reader: DocumentReader) {
        guard !sinks.isEmpty else { return }
        let names = Set(nodes.map(\.name))
        var globs = 0
        for sink in sinks where !names.contains(sink.from) {
            guard !sink.isOverGlob else {
                globs += 1
                guard globs <= mostOverGlobs else {
                    let message = "a graph has at most \(mostOverGlobs) sinks over globs"
                    return reader.add(message, code: .tooLarge, at: sink.fromPosition)
                }
                check(glob: sink.from, nodes, reader, at: sink.fromPosition)
                continue
            }
            if nodes.contains(where: { $0.pattern?.values(of: sink.from) != nil }) { continue }
            reader.addUnknown(node: sink.from, among: names.sorted(), at: sink.fromPosition)
        }
    }

    private static func check(
        glob: String,
        _ nodes: [NodeDefinition],
        _ reader: DocumentReader,
        at position: Position
    ) {
        if nodes.contains(where: { GlobOverlap.overlaps(glob, $0.name) }) { return }
        reader.add("'\(glob)' matches no node and no family", code: .unknownNode, at: position)
    }
}
