internal import ReactiveGraph
internal import Support

extension SinkDefinition {
    /// A mapping of names to sinks.
    static var schema: ArgumentSchema {
        ArgumentSchema(
            members:
                #""type":"object","maxProperties":\#(most),"propertyNames":{"pattern":"\#(Name.pattern)"},"#
                + #""additionalProperties":{\#(ArgumentSchema.mapping(fields).members)}"#
        )
    }

    fileprivate static let fields: [ArgumentField] = [
        .required("from", .node, "The node whose values are sent."),
        .required(
            "url",
            ArgumentSchema(members: #""type":"string","pattern":"^https?://[^#@ ]+$""#),
            "Where each value is sent by POST. The configuration key sinkHosts must list its host."
        ),
        .optional("mode", .word(Mode.self, default: .latest), "Whether all values are sent, or the newest."),
        .optional(
            "queue",
            .count(1, mostQueued),
            "How many values may wait in mode all, 256 without it; then the oldest is dropped."
        ),
        .optional("timeout", .duration, "How long an answer may take, at most a minute; 10s without it."),
        .optional(
            "secret",
            ArgumentSchema(members: #""type":"string","pattern":"^[A-Z][A-Z0-9_]{0,63}$""#),
            "The name of the secret that signs requests: the server reads it from SLUICE_SECRET_ followed by this name."
        ),
    ]
}

extension Notebook {
    /// Reads the section `sinks`; ``checkSinks(_:_:)`` checks the names in it.
    func sinks(_ document: Document) -> [(sink: SinkDefinition, from: Position)] {
        guard let members = members(document, of: "sinks") else { return [] }
        guard members.count <= SinkDefinition.most else {
            add("a graph has at most \(SinkDefinition.most) sinks", code: .tooLarge, at: document.position)
            return []
        }
        return members.compactMap { sink($0.key, $0.entry) }
    }

    private func sink(_ name: String, _ entry: Document.Entry) -> (sink: SinkDefinition, from: Position)? {
        let before = problems.count
        if !Name.isValid(name) {
            add("'\(name)' cannot be the name of a sink", at: entry.key.position, hint: Notebook.nameHint)
        }
        let fields = fields(entry.value, of: "a sink", SinkDefinition.fields)
        let from = fields["from"].flatMap { nodeName($0, "from must name a node") }
        let url = fields["url"].flatMap(sinkURL)
        let mode: SinkDefinition.Mode? = fields["mode"].flatMap { word($0, of: "mode") }
        let queue = fields["queue"].flatMap { count($0, of: "queue", in: 1...SinkDefinition.mostQueued) }
        if let document = fields["queue"], (mode ?? .latest) == .latest {
            add("'queue' is for mode all", at: document.position)
        }
        let timeout = fields["timeout"].flatMap { span($0, of: "timeout") }
        if let document = fields["timeout"], let timeout, timeout.milliseconds > SinkDefinition.longestTimeout
        {
            add("timeout must be at most 1m", at: document.position)
        }
        let secret = fields["secret"].flatMap(secretName)
        guard let from, let url, problems.count == before else { return nil }
        let sink = SinkDefinition(
            name: name,
            from: from,
            url: url,
            mode: mode ?? .latest,
            queue: queue ?? 256,
            timeout: timeout?.milliseconds ?? 10_000,
            secret: secret,
            canonical: entry.value.json(isCanonical: true)
        )
        return (sink, fields["from"]?.position ?? entry.key.position)
    }

    private func sinkURL(_ document: Document) -> SinkURL? {
        guard let text = text(document, of: "url") else { return nil }
        guard let url = SinkURL(text) else {
            add(
                "url must be an address such as https://example.org/hook",
                at: document.position,
                hint: "http or https, without a user, a fragment and blanks"
            )
            return nil
        }
        if let hosts = options.sinkHosts, !url.isAllowed(by: hosts) {
            add(
                "sinks must not send to '\(url.authority)'",
                at: document.position,
                hint:
                    "add '\(url.authority)' to the configuration key sinkHosts"
            )
            return nil
        }
        return url
    }

    private func secretName(_ document: Document) -> String? {
        guard let text = text(document, of: "secret") else { return nil }
        let isName =
            (1...64).contains(text.utf8.count) && text.utf8.first.map { (0x41...0x5A).contains($0) } == true
            && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || ASCII.isDigit($0) || $0 == 0x5F }
        if isName {
            guard let secrets = options.sinkSecrets, !secrets.contains(text) else { return text }
            add(
                "there is no secret '\(text)'",
                at: document.position,
                hint: "set SLUICE_SECRET_\(text) in the server's environment"
            )
            return nil
        }
        add(
            "secret must be the name of a secret",
            at: document.position,
            hint:
                "capital letters, digits and '_'; the secret of HOOK is in the environment as SLUICE_SECRET_HOOK"
        )
        return nil
    }

    /// Reports sinks of nodes that do not exist.
    func checkSinks(
        _ sinks: [(sink: SinkDefinition, from: Position)],
        _ nodes: [NodeDefinition]
    ) {
        guard !sinks.isEmpty else { return }
        let names = Set(nodes.map(\.name))
        for (sink, position) in sinks where !names.contains(sink.from) {
            if nodes.contains(where: { $0.pattern?.values(of: sink.from) != nil }) { continue }
            addUnknown(node: sink.from, among: names.sorted(), at: position)
        }
    }
}
