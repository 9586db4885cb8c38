internal import ReactiveGraph
internal import Support
internal import Values

extension UpstreamRow {
    static let all: [UpstreamRow] = [web, broker, service]

    static let web = UpstreamRow(
        word: "url",
        schemes: RemoteURL.Scheme.web,
        example: "https://api.example.org/v2",
        fields: [
            .optional("headers", RequestHeader.schema, "Header fields of every request.")
        ],
        summary:
            "What the addresses of its sources begin with. The configuration key sourceHosts must list its host.",
        read: { reader, fields, _ in
            .web(headers: fields["headers"].map { RequestHeader.list($0, from: reader) } ?? [])
        }
    )

    static let broker = UpstreamRow(
        word: "mqtt",
        schemes: RemoteURL.Scheme.brokers,
        takesValues: true,
        example: "mqtts://broker.example.org",
        fields: [
            .optional("user", .string(atMost: 256), "As whom the server connects."),
            .optional(
                "password",
                .mapping([.required("secret", .string(pattern: DocumentReader.secretPattern))]),
                "The secret that is the user's password."
            ),
        ],
        summary:
            "An MQTT broker. The configuration key sourceHosts must list its host, or sinkHosts if only sinks use it.",
        read: { reader, fields, url in
            if url.target != "/", let place = fields["mqtt"]?.position {
                reader.add("a broker has no path: topics stand in sources and sinks", at: place)
            }
            let user = fields["user"].flatMap { reader.text($0, of: "user") }
            if let user, user.isEmpty || !TopicText.isClean(user), let place = fields["user"]?.position {
                reader.add("user must have characters, and no control characters", at: place)
            }
            let password = fields["password"].flatMap { password in
                reader.fields(password, of: "password", [.required("secret", .string)])["secret"]
                    .flatMap { reader.secret($0) }
            }
            if user == nil, let place = fields["password"]?.position {
                reader.add("a password needs a 'user'", at: place)
            }
            return .broker(user: user, password: password)
        }
    )

    static let service = UpstreamRow(
        word: "sluice",
        schemes: RemoteURL.Scheme.web,
        example: "https://cabin.example/v1/graphs/house",
        fields: [
            .optional(
                "token",
                .mapping([.required("secret", .string(pattern: DocumentReader.secretPattern))]),
                "The secret that is the server's token there."
            )
        ],
        summary:
            "A graph of another Sluice, by its address. The configuration key sourceHosts must list its host.",
        read: { reader, fields, url in
            guard let (path, graph) = graphPlace(url.target) else {
                let place = fields["sluice"]?.position ?? .start
                return reader.refuse(
                    "sluice must be the address of a graph",
                    at: place,
                    hint: "such as https://cabin.example/v1/graphs/house"
                )
            }
            var headers: [RequestHeader] = []
            if let token = fields["token"] {
                guard let name = token["secret"], token.entries?.count == 1,
                    let secret = reader.secret(name)
                else {
                    return reader.refuse(
                        "token must be a secret",
                        at: token.position,
                        hint: "such as { secret: CABIN }"
                    )
                }
                headers = [RequestHeader(name: "Authorization", value: .token(secret: secret))]
            }
            return .service(path: path, graph: graph, headers: headers)
        }
    )

    /// What is before `/v1/graphs/` in a path, and the name after it.
    private static func graphPlace(_ path: String) -> (path: String, graph: String)? {
        guard let range = path.ranges(of: "/v1/graphs/").last else { return nil }
        let graph = String(path[range.upperBound...])
        return Name.isValid(graph) ? (String(path[..<range.lowerBound]), graph) : nil
    }
}
