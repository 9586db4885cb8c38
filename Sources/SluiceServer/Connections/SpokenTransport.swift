/// What is spoken on a connection, by its name in `GET /v1/connections` and in the metrics.
enum SpokenTransport: String, CaseIterable {
    /// HTTP, before any other.
    case http
    /// WebSockets: the protocol, bare values, and what comes back as it was sent.
    case ws, plain, echo
    /// Server-sent events.
    case sse
}
