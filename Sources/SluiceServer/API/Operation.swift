internal import HTTP

/// One row of the HTTP API (docs/protocol.md, HTTP): the router and `/openapi.json` are made from it.
struct Operation {
    /// A parameter in the query.
    struct Parameter {
        let name: String
        /// Its JSON Schema.
        let schema: String
        let summary: String
        var isRequired = false
        /// Whether it may be given more than once.
        var repeats = false
    }

    /// A body, of a request or an answer.
    struct Body {
        let types: [String]
        /// Its JSON Schema, for those types that are JSON.
        let schema: String
    }

    /// A way in which it succeeds.
    struct Success {
        let status: Int
        let summary: String
        var body: Body?
    }

    let method: Method
    /// As the router takes it.
    let path: String
    let route: Route
    /// What it is called by programs that are made from the description.
    let name: String
    let summary: String
    var parameters: [Parameter] = []
    /// Header fields of the request that it minds.
    var fields: [HeaderName] = []
    var body: Body?
    let successes: [Success]
    /// Errors besides those that every request can meet.
    var errors: [ErrorCode] = []

    /// Errors that any request can meet before it is looked at.
    static let everywhere: [ErrorCode] = [
        .badRequest, .badOrigin, .timeout, .tooLarge, .uriTooLong, .misdirected, .headersTooLarge, "internal",
        .draining,
        "too_many_connections", "unauthenticated", "token_expired", .forbidden,
    ]
}

extension Operation {
    static let json = ["application/json"]
    static let text = ["text/plain"]
    static let anyValue = Body(types: json, schema: "{}")
    /// What a set takes: every one of these as JSON, so that `curl -d 21.5 URL` works.
    static let valueBody = Body(
        types: ["application/json", "text/plain", "application/x-www-form-urlencoded"],
        schema: "{}"
    )

    static func answer(_ summary: String, _ schema: String, _ status: Int = 200) -> Success {
        Success(status: status, summary: summary, body: Body(types: json, schema: schema))
    }

    static func reference(_ name: String) -> String { "{\"$ref\":\"#/components/schemas/\(name)\"}" }

    /// All of them.
    static let all: [Operation] = reading + setting + asking + defining + pictures + dashboards + operations

    static let node = "/v1/graphs/{g}/nodes/{n}"
    static let graph = "/v1/graphs/{g}"
}
