/// What one error code means everywhere: over HTTP, on a WebSocket, in the documentation
/// (docs/protocol.md, Errors).
public struct ErrorRow: Sendable {
    public let code: String
    /// The status over HTTP; nil if the error does not occur there.
    public let statusNumber: UInt16?
    /// The close code, if the error closes a WebSocket (at once or when repeated).
    public let closeNumber: UInt16?
    /// Whether the same request may succeed later.
    public let retry: Bool
    public let sendsRetryAfter: Bool
    /// What it means, for people.
    public let sentence: String
}

/// The one table of errors.
///
/// Both sides answer by it, the messages of `GraphHost` and the responses of `HTTP`, which do not
/// know each other. Documentation and OpenAPI are generated from it.
public enum ErrorTable {
    /// The row of a code; a code without one is a mistake of ours and is answered as `internal`.
    public static func row(_ code: String) -> ErrorRow {
        rows[places[code] ?? rows.count - 1]
    }

    public static func knows(_ code: String) -> Bool { places[code] != nil }

    private static let places = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.code, $0) })

    /// Every error, grouped by status; `internal` is the last.
    public static let rows: [ErrorRow] = [
        row(
            "bad_json",
            400,
            4400,
            "The body or message is not well-formed JSON, repeats a key, or nests more than 64 levels deep."
        ),
        row("bad_op", 400, 4400, "The message has an unknown op."),
        row("bad_field", 400, 4400, "A field is missing, has the wrong type or is out of range."),
        row(
            "bad_request",
            400,
            4400,
            "The request is malformed or ambiguous; over HTTP the connection is closed."
        ),
        row("unauthenticated", 401, 4401, "A valid token or session is needed."),
        row("token_expired", 401, 4401, "The token has expired; ask for a new one."),
        row("forbidden", 403, 4403, "The caller may not do this."),
        row("bad_origin", 403, 4403, "The page's origin is neither the server's own nor allowed."),
        row("not_found", 404, nil, "There is nothing under this path."),
        row("unknown_graph", 404, nil, "There is no graph with this name that the caller may read."),
        row("unknown_node", 404, nil, "The graph has no node with this name that the caller may read."),
        row("unknown_id", 404, nil, "No subscription or connection has this id."),
        row(
            "not_mutable",
            405,
            nil,
            "The node is derived and cannot be set, or it is declared and cannot be dropped."
        ),
        row("method_not_allowed", 405, nil, "The path exists, but not with this method; see Allow."),
        row("not_acceptable", 406, nil, "None of the representations the client accepts can be made."),
        row("timeout", 408, 4508, retry: true, "The peer took too long."),
        row("in_use", 409, nil, "The graph is owned by its file, or by the API."),
        row("read_only", 409, nil, "The server cannot write where this would be kept."),
        row("gone", 410, nil, "The requested rev is not kept; `kept` has the revs that are."),
        row("conflict", 412, nil, "A condition of the request does not hold."),
        row(
            "too_large",
            413,
            1009,
            "The body, the message or the answer is too large, or a limit of nodes or graphs is reached."
        ),
        row("uri_too_long", 414, nil, "The request target is longer than 8 KiB."),
        row("unsupported_type", 415, 1003, "The body's media type or content coding is not supported."),
        row("misdirected", 421, nil, "Host does not name this server."),
        row("type_mismatch", 422, nil, "The value does not satisfy the node's checks."),
        row("expr_syntax", 422, nil, "The expression cannot be parsed."),
        row("expr_type", 422, nil, "The expression applies an operation to a value of the wrong type."),
        row("expr_cost", 422, nil, "The expression costs more than its budget."),
        row("expr_overflow", 422, nil, "A result of the expression is out of its type's range."),
        row("expr_divide", 422, nil, "The expression divides an int or uint by zero."),
        row("expr_index", 422, nil, "The expression uses an index outside the list or text."),
        row("expr_no_key", 422, nil, "The expression uses a key that the object does not have."),
        row("expr_bad_value", 422, nil, "The expression has a value that cannot be converted or stored."),
        row("key_reused", 422, nil, "The Idempotency-Key was used before with another body."),
        row("cycle_limit", 422, nil, "A ring of links did not settle within the limit."),
        row("node_failed", 424, nil, "The node's operator failed for the present input."),
        row("precondition_required", 428, nil, "The node may only be set with If-Match."),
        row("rate_limited", 429, 4429, after: true, "Too many requests or messages; slow down."),
        row("sub_limit", 429, 4429, after: true, "The connection has too many subscriptions."),
        row(
            "pipe_limit",
            429,
            4429,
            after: true,
            "The principal's pipelines hold too many bytes."
        ),
        row(
            "pattern_limit",
            429,
            4429,
            after: true,
            "Regular expressions take too long to compile, or the principal has too many."
        ),
        row("headers_too_large", 431, nil, "The header block exceeds 16 KiB or 100 fields."),
        row("id_in_use", nil, nil, "The id belongs to a message that has no terminal answer yet."),
        row("slow", nil, 4580, retry: true, "The client reads too slowly for its subscription."),
        row("engine_down", 503, 4503, after: true, "The graph's store cannot be reached."),
        row("issuer_down", 503, 4503, after: true, "The keys of the token's issuer cannot be fetched."),
        row("no_space", 503, 4503, after: true, "The graph's disk is full."),
        row("not_ready", 503, 4503, after: true, "The server is still reading stored data."),
        row("busy", 503, nil, after: true, "Too many requests of this kind are waiting already."),
        row("draining", 503, 4503, after: true, "The server is about to stop."),
        row(
            "too_many_connections",
            503,
            4529,
            after: true,
            "The server accepts no further connection at the moment."
        ),
        row("cycle", nil, nil, "The node is made from what asks for it, over other services."),
        row("internal", 500, 1011, retry: true, "The server has a fault; its log has the details."),
    ]

    /// A row; an error with `Retry-After` may be retried.
    private static func row(
        _ code: String,
        _ status: UInt16?,
        _ close: UInt16?,
        retry: Bool = false,
        after: Bool = false,
        _ sentence: String
    ) -> ErrorRow {
        ErrorRow(
            code: code,
            statusNumber: status,
            closeNumber: close,
            retry: retry || after,
            sendsRetryAfter: after,
            sentence: sentence
        )
    }
}
