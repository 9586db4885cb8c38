internal import ReactiveGraph
internal import Support
internal import Values

extension SinkDefinition {
    /// A mapping of names to sinks.
    static var schema: Schema {
        .map(of: .oneOf(SinkRow.all.map(\.schema)))
            .with("propertyNames", .schema(.any.with("pattern", .text(Name.pattern))))
            .with("maxProperties", .number(most))
    }

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
        let hint = "such as { from: alarm, url: https://example.org/hook }"
        guard let (row, fields) = reader.row(entry.value, of: "a sink", among: SinkRow.all, hint: hint) else {
            return nil
        }
        let from = fields["from"].flatMap { Self.from($0, reader) }
        let isOverGlob = from.map(Glob.isGlob) ?? false
        let target = fields[row.word].flatMap {
            row.read(SinkReading(reader: reader, fields: fields, document: $0, isOverGlob: isOverGlob))
        }
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
        guard let from, let target, reader.problems.count == before else { return nil }
        self.init(
            name: name,
            from: from,
            target: target,
            mode: mode ?? .latest,
            queue: queue ?? (isOverGlob ? 10_000 : 256),
            repeats: repeats ?? false,
            timeout: timeout?.milliseconds ?? 10_000,
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

    static func check(
        _ sinks: [SinkDefinition],
        _ nodes: [NodeDefinition],
        _ upstreams: [UpstreamDefinition],
        _ reader: DocumentReader
    ) {
        guard !sinks.isEmpty else { return }
        for case .topic(let topic) in sinks.map(\.target) { check(topic, upstreams, reader) }
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

    private static func check(_ topic: Topic, _ upstreams: [UpstreamDefinition], _ reader: DocumentReader) {
        guard let upstream = upstreams.first(where: { $0.name == topic.upstream }) else {
            // One that was found wrong itself was reported already.
            if reader.upstreams[topic.upstream] == nil {
                reader.addUnknown(upstream: topic.upstream, at: topic.position)
            }
            return
        }
        guard upstream.isBroker else {
            let word = reader.upstreams[upstream.name] ?? ""
            return reader.add(
                "'topic' needs an upstream with 'mqtt', and '\(upstream.name)' has '\(word)'",
                at: topic.position
            )
        }
        _ = SinkReading.permits(upstream.url, at: topic.position, reader)
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
