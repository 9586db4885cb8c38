internal import Values

extension UpstreamRow {
    static let all: [UpstreamRow] = [web]

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
}
