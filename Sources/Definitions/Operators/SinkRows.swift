internal import ReactiveGraph
internal import Support
internal import Values

extension SinkRow {
    static let all: [SinkRow] = [web, topic]

    static let web = SinkRow(
        word: "url",
        value: .string(pattern: "^https?://[^#@ ]+$"),
        fields: [
            .optional(
                "secret",
                .string(pattern: DocumentReader.secretPattern),
                "The name of the secret that signs requests: the server reads it from SLUICE_SECRET_ followed by this name."
            )
        ],
        summary: "Where each value is sent by POST. The configuration key sinkHosts must list its host.",
        read: { reading in
            let secret = reading.fields["secret"].flatMap { reading.reader.secret($0) }
            return reading.url().map { .web($0, secret: secret) }
        }
    )
}

extension SinkReading {
    fileprivate func url() -> RemoteURL? {
        guard let text = reader.text(document, of: "url") else { return nil }
        guard let url = RemoteURL(text) else {
            return reader.refuse(
                "url must be an address such as https://example.org/hook",
                at: document.position,
                hint: "http or https, without a user, a fragment and blanks"
            )
        }
        return Self.permits(url, at: document.position, reader) ? url : nil
    }

    /// Whether sinks may send there; reports it otherwise.
    static func permits(_ url: RemoteURL, at position: Position, _ reader: DocumentReader) -> Bool {
        guard let hosts = reader.options.sinkHosts, hosts.addresses(of: url) == nil else { return true }
        reader.add(
            "sinks must not send to '\(url.authority)'",
            at: position,
            hint: "add '\(url.authority)' to the configuration key sinkHosts"
        )
        return false
    }
}

extension SinkRow {
    static let topic = SinkRow(
        word: "topic",
        value: .string(pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*:"),
        fields: [
            .optional(
                "retain",
                .boolean.with("default", true),
                "Whether the broker keeps the last value for those that subscribe later."
            ),
            .optional(
                "qos",
                .count(0, 1).with("default", 1),
                "0: a value is sent once; 1: until the broker says that it has it."
            ),
            .optional(
                "as",
                .word(FeedFormat.self, default: .json),
                "Whether values are sent as JSON; `text` sends strings without quotation marks."
            ),
            .optional(
                "discovery",
                .oneOf(words: ["homeassistant"]),
                "Tells Home Assistant about the nodes, so that it shows them by itself."
            ),
        ],
        summary:
            "Where values are published: an upstream with `mqtt`, a colon, and a topic; `{node}` in it is the node's name, with `/` for each dot. The configuration key sinkHosts must list the broker's host.",
        read: { reading in
            let (reader, fields) = (reading.reader, reading.fields)
            guard let (upstream, template) = reading.topic() else { return nil }
            let format: FeedFormat? = fields["as"].flatMap { reader.word($0, of: "as") }
            if let document = fields["discovery"], document.scalar?.text != "homeassistant" {
                reader.add("discovery must be 'homeassistant'", at: document.position)
            }
            return .topic(
                SinkDefinition.Topic(
                    upstream: upstream,
                    template: template,
                    isRetained: fields["retain"].flatMap { reader.flag($0, of: "retain") } ?? true,
                    quality: fields["qos"].flatMap { reader.count($0, of: "qos", in: 0...1) } ?? 1,
                    isText: format == .text,
                    announces: fields["discovery"] != nil,
                    position: reading.document.position
                )
            )
        }
    )
}

extension SinkReading {
    /// The name of the upstream, and the topic.
    fileprivate func topic() -> (upstream: String, template: Template)? {
        guard let text = reader.text(document, of: "topic") else { return nil }
        let place = document.position
        guard let colon = text.firstIndex(of: ":") else {
            return reader.refuse(
                "topic must begin with the name of an upstream and a colon",
                at: place,
                hint: "such as topic: hall:house/door"
            )
        }
        let rest = text[text.index(after: colon)...]
        if let problem = TopicText.problem(of: rest) { return reader.refuse(problem, at: place) }
        guard let template = try? Template(rest) else {
            return reader.refuse("'\(rest)' has a brace without its other", at: place)
        }
        let others = template.placeholders.filter { $0 != "node" } + template.lists.map { "\($0)*" }
        if let other = others.first {
            return reader.refuse(
                "a sink has no placeholder {\(other)}",
                at: place,
                hint: "{node} is the node's name, with a slash for each dot"
            )
        }
        if isOverGlob, template.placeholders.isEmpty {
            return reader.refuse(
                "a sink over a glob needs a topic for each node",
                at: place,
                hint: "write {node} in the topic: it is the node's name, with a slash for each dot"
            )
        }
        return (String(text[..<colon]), template)
    }
}
