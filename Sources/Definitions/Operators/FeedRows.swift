internal import CEL
internal import ReactiveGraph
internal import Support
internal import Values

extension FeedRow {
    static let all: [FeedRow] = [get, events, socket, topic, node]

    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    static let mostInBatch = 1_000
    /// Milliseconds.
    static let shortestPause = 100

    static let get = FeedRow(
        word: "get",
        upstream: .web,
        fields: [
            .optional(
                "every",
                .duration,
                "How long after an answer it is asked again; without it, once each time it opens."
            ),
            .optional("method", .oneOf(words: methods).with("default", "GET"), "The method of the request."),
            .optional("headers", RequestHeader.schema, "Header fields besides those of the upstream."),
            .optional("body", .expression, "The body as JSON: an expression that may use `key`."),
            .optional(
                "as",
                .word(FeedFormat.self, default: .json),
                "Whether an answer is JSON, or `text`, which becomes a string."
            ),
            .optional(
                "batch",
                .count(1, mostInBatch).with("default", 100),
                "Beside `{id*}`: how many members one request asks for."
            ),
        ],
        summary: "The answer to an HTTP request.",
        read: { reading in
            let reader = reading.reader
            guard let target = reading.target() else { return nil }
            let fields = reading.fields
            let every = fields["every"].flatMap { reader.span($0, of: "every") }
            if let every, every.milliseconds < shortestPause, let place = fields["every"]?.position {
                reader.add("every must be at least \(shortestPause)ms", at: place)
            }
            let method: String? = fields["method"].flatMap { reading.method($0, among: methods) }
            let format: FeedFormat? = fields["as"].flatMap { reader.word($0, of: "as") }
            let body = reading.expression("body", seeing: [])
            let batch = fields["batch"].flatMap { reader.count($0, of: "batch", in: 1...mostInBatch) }
            if let place = fields["batch"]?.position, target.list == nil {
                reader.add("'batch' is for addresses with a placeholder such as {id*}", at: place)
            }
            if let place = fields["body"]?.position, target.list != nil {
                reader.add("a request for several members has no 'body'", at: place)
            }
            reading.check(
                placeholders: target.placeholders,
                joined: target.lists,
                [body, reading.pick]
            )
            return .poll(
                Feed.Poll(
                    method: method ?? "GET",
                    target: target,
                    headers: fields["headers"].map { RequestHeader.list($0, from: reader) } ?? [],
                    body: body,
                    isText: format == .text,
                    every: every?.milliseconds,
                    batch: batch ?? 100
                )
            )
        }
    )
}

extension FeedRow {
    static let events = FeedRow(
        word: "events",
        upstream: .web,
        fields: [
            .optional(
                "event",
                .string(atMost: 128).with("default", "message"),
                "The type of the events that are taken; without it, those that have none."
            ),
            .optional("headers", RequestHeader.schema, "Header fields besides those of the upstream."),
            .optional(
                "as",
                .word(FeedFormat.self, default: .json),
                "Whether the data is JSON, or `text`, which becomes a string."
            ),
        ],
        summary: "The events of a stream (server-sent events).",
        read: { reading in
            let reader = reading.reader
            guard let target = reading.target() else { return nil }
            if target.list != nil {
                reader.add("a stream is for one member: write {id}, not {id*}", at: reading.position)
            }
            reading.check(placeholders: target.placeholders, joined: [], [reading.pick])
            let fields = reading.fields
            let event = fields["event"].flatMap { reader.text($0, of: "event") }
            let format: FeedFormat? = fields["as"].flatMap { reader.word($0, of: "as") }
            return .events(
                Feed.Events(
                    target: target,
                    headers: fields["headers"].map { RequestHeader.list($0, from: reader) } ?? [],
                    event: event ?? "message",
                    isText: format == .text
                )
            )
        }
    )
}

extension FeedRow {
    static let socket = FeedRow(
        word: "socket",
        upstream: .web,
        fields: [
            .optional(
                "send",
                .any,
                "What is sent when the socket is open: a text, or JSON. `{id}` in a string stands for a member's text."
            ),
            .optional(
                "filter",
                .expression,
                "Which messages are taken: an expression like `pick`, true or false; without it, all."
            ),
            .optional("headers", RequestHeader.schema, "Header fields besides those of the upstream."),
            .optional(
                "as",
                .word(FeedFormat.self, default: .json),
                "Whether a message is JSON, or `text`, which becomes a string."
            ),
        ],
        summary: "The messages of a WebSocket.",
        read: { reading in
            let reader = reading.reader
            guard let target = reading.target() else { return nil }
            if target.list != nil {
                reader.add("a socket is for one member: write {id}, not {id*}", at: reading.position)
            }
            let fields = reading.fields
            let greeting = fields["send"].map {
                SocketGreeting($0, in: reader.family?.placeholders ?? [])
            }
            let filter = reading.expression("filter", seeing: ["value"])
            reading.check(
                placeholders: target.placeholders + (greeting?.placeholders ?? []),
                joined: [],
                [filter, reading.pick]
            )
            let format: FeedFormat? = fields["as"].flatMap { reader.word($0, of: "as") }
            return .socket(
                Feed.Socket(
                    target: target,
                    headers: fields["headers"].map { RequestHeader.list($0, from: reader) } ?? [],
                    greeting: greeting,
                    filter: filter,
                    isText: format == .text
                )
            )
        }
    )
}

extension FeedRow {
    static let node = FeedRow(
        word: "node",
        upstream: .service,
        fields: [],
        summary: "A node of another Sluice.",
        read: { reading in
            let reader = reading.reader
            guard let name = reading.template() else { return nil }
            if name.list != nil {
                reader.add("each member has a node: write {id}, not {id*}", at: reading.position)
            }
            let texts = name.placeholders.map { (placeholder: $0, text: "a") }
            guard Name.isValid(name.text(for: texts, encoding: { $0 })) else {
                return reader.refuse(
                    "'\(reading.rest)' cannot be the name of a node",
                    at: reading.position,
                    hint: "as in cabin:indoor_c: the name of the upstream, a colon, and that of a node"
                )
            }
            reading.check(placeholders: name.placeholders, joined: [], [reading.pick])
            return .node(name)
        }
    )
}

extension FeedRow {
    static let topic = FeedRow(
        word: "topic",
        upstream: .broker,
        fields: [
            .optional(
                "as",
                .word(FeedFormat.self, default: .json),
                "Whether a message is JSON, or `text`, which becomes a string."
            )
        ],
        summary: "The messages of an MQTT topic.",
        read: { reading in
            let reader = reading.reader
            guard let template = reading.template() else { return nil }
            if template.list != nil {
                reader.add("a topic is for one member: write {id}, not {id*}", at: reading.position)
            }
            if let problem = TopicText.problem(of: reading.rest) {
                reader.add(problem, at: reading.position, hint: "write a family with {id} in the topic")
            }
            reading.check(placeholders: template.placeholders, joined: [], [reading.pick])
            let format: FeedFormat? = reading.fields["as"].flatMap { reader.word($0, of: "as") }
            return .topic(Feed.Topic(topic: template, isText: format == .text))
        }
    )
}

/// What an answer is taken as.
enum FeedFormat: String, CaseIterable {
    case json, text
}

extension FeedReading {
    /// The path and query after the name of the upstream.
    fileprivate func target() -> Template? {
        guard rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?"),
            rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
        else {
            return reader.refuse(
                "'\(rest)' is no path with a query",
                at: position,
                hint: "as in met:/now?place=Bern: the name of the upstream, a colon, and a path"
            )
        }
        return template()
    }

    fileprivate func method(_ document: Document, among methods: [String]) -> String? {
        guard let text = document.scalar?.text, methods.contains(text) else {
            return reader.refuse(
                "method must be one of \(methods.joined(separator: ", "))",
                at: document.position
            )
        }
        return text
    }
}
