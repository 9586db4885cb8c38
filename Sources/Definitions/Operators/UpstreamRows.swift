internal import Values

extension UpstreamRow {
    static let all: [UpstreamRow] = [web, broker]

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
}
