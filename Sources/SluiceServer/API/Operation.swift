internal import HTTP
internal import Values

/// One row of the HTTP API (docs/protocol-http.md): the router, `Allow`, the rights,
/// `/openapi.json` and the table of docs/http.md are made from it.
struct Operation: Sendable {
    /// What the path speaks after an upgrade to WebSocket.
    enum Upgrade { case messages, echo, node }

    /// Answers a request, now or later; what it throws is the answer as well.
    typealias Handler = @Sendable (Request) throws(HostError) -> Void

    struct Parameter: Sendable {
        let name: String
        let schema: Schema
        let summary: String
        let isRequired: Bool
        /// Whether it may be given more than once.
        let repeats: Bool

        init(
            _ name: String,
            _ schema: Schema,
            _ summary: String,
            isRequired: Bool = false,
            repeats: Bool = false
        ) {
            (self.name, self.schema, self.summary) = (name, schema, summary)
            (self.isRequired, self.repeats) = (isRequired, repeats)
        }

        static func text(
            _ name: String,
            _ summary: String,
            isRequired: Bool = false,
            repeats: Bool = false
        ) -> Parameter {
            Parameter(name, .string, summary, isRequired: isRequired, repeats: repeats)
        }

        static func integer(
            _ name: String,
            from least: Int,
            to most: Int? = nil,
            default usual: Int? = nil,
            _ summary: String
        ) -> Parameter {
            let schema = Schema.count(least, most)
            return Parameter(name, usual.map { schema.with("default", .number($0)) } ?? schema, summary)
        }

        static func choice<Word: RawRepresentable & CaseIterable>(
            _ name: String,
            _ type: Word.Type,
            default usual: Word? = nil,
            _ summary: String
        ) -> Parameter where Word.RawValue == String {
            choice(name, Word.allCases.map(\.rawValue), default: usual?.rawValue, summary)
        }

        static func choice(
            _ name: String,
            _ words: [String],
            default usual: String? = nil,
            _ summary: String
        ) -> Parameter {
            let schema = Schema.string.and(.oneOf(words: words))
            return Parameter(name, usual.map { schema.with("default", .text($0)) } ?? schema, summary)
        }

        /// One that is set if given with no value, `1` or `true`.
        static func flag(_ name: String, _ summary: String) -> Parameter {
            choice(name, ["", "0", "1", "false", "true"], summary)
        }
    }

    /// A body, of a request or an answer.
    struct Body: Sendable {
        let types: [String]
        /// Its JSON Schema, for those types that are JSON.
        let schema: Schema
        var remark = ""

        /// A body of the same types with another schema.
        func of(_ schema: Schema) -> Body { Body(types: types, schema: schema, remark: remark) }
    }

    /// A way in which it succeeds.
    struct Success: Sendable {
        let status: Int
        let summary: String
        var body: Body?
    }

    let method: Method
    /// The path pattern of the router.
    let path: String
    /// Where it is answered if the operations side has a listener of its own.
    let side: HTTPListener.Side
    let need: Need
    let handler: Handler
    var upgrade: Upgrade?
    /// Whether the configuration has to switch it on; then no description has it.
    var isDiagnostic = false
    var audited: RequestRecord.Audited?
    /// What it is called by programs that are made from the description.
    let name: String
    let summary: String
    var parameters: [Parameter] = []
    /// Whether it reads a state that can be asked to include a commit (`after`).
    var takesCommit: Bool { parameters.contains { $0.name == "after" } }
    /// Header fields of the request that it uses.
    var fields: [HeaderName] = []
    var body: Body?
    let successes: [Success]
    /// Its errors besides those that every request may get.
    var errors: [ErrorCode] = []

    /// Errors that any request may get before it is performed.
    static let everywhere: [ErrorCode] = [
        .badRequest, .badOrigin, .timeout, .tooLarge, .uriTooLong, .misdirected, .headersTooLarge, "internal",
        .draining,
        "too_many_connections", "unauthenticated", "token_expired", "issuer_down", .forbidden,
    ]

    /// All of them.
    ///
    /// The number of a ``Route`` is a place in this list.
    static let all: [Operation] =
        ReadingRoutes.rows + HistoryRoutes.rows + EventRoutes.rows + CommitRoutes.rows
        + EvaluationRoutes.rows + DefinitionRoutes.rows + InspectionRoutes.rows + DashboardRoutes.rows
        + AccessRoutes.rows + TokenRoutes.rows + SocketRoutes.rows + OperatorRoutes.rows + BackupRoutes.rows
}
