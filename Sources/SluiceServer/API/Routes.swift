internal import HTTP
internal import Sessions
internal import Values

/// The routes of one subject: a row for each, and a function that answers it.
protocol Routes {
    static var rows: [Operation] { get }
}

extension Routes {
    typealias Parameter = Operation.Parameter
    typealias Body = Operation.Body
    typealias Success = Operation.Success
    typealias Need = Operation.Need

    static var node: String { "/v1/graphs/{g}/nodes/{n}" }
    static var graph: String { "/v1/graphs/{g}" }

    static var json: [String] { ["application/json"] }
    /// The body of a set: each of these types is read as JSON, so that `curl -d 21.5 URL` works.
    static var valueBody: Body {
        Body(
            types: ["application/json"],
            schema: .any,
            remark: "text/plain and form types, as `curl -d` sends, are read as JSON, too"
        )
    }

    static func answer(
        _ summary: String,
        _ schema: Schema,
        _ status: Int = 200,
        as types: [String] = json
    ) -> Success {
        Success(status: status, summary: summary, body: Body(types: types, schema: schema))
    }

    static func text(_ summary: String, as type: String = "text/plain") -> Success {
        answer(summary, .string, as: [type])
    }

    static var streamParameters: [Parameter] {
        [
            .integer(
                "every",
                from: 0,
                to: 86400000,
                default: 0,
                "The shortest time between deliveries, in milliseconds"
            ),
            .choice("mode", DeliveryMode.self, default: .latest, "Whether values may be folded"),
            facets, load,
            .text("pipe", "Stages, as a JSON list"),
        ]
    }

    static var facets: Parameter { .flag("facets", "1: also facets, the state besides the value") }
    static var load: Parameter { .flag("load", "1: ask producers for missing and stale values") }

    static var commit: Parameter {
        .text("after", "EPOCH:REV of an answer: the state includes that commit; waits for it if necessary")
    }

    static var pastParameters: [Parameter] {
        [
            .text(
                "at",
                "The state to read, instead of the present one: a rev, or @ and a time, as milliseconds or RFC 3339"
            ),
            .text("epoch", "The epoch of at, if that is a rev"),
        ]
    }
}

extension Router {
    /// The router with all paths of the API on that side.
    ///
    /// Other paths are static files.
    static func api(hasEcho: Bool, for side: HTTPListener.Side) -> Router {
        var router = Router()
        for (number, operation) in Operation.all.enumerated() where side.has(operation.side) {
            guard hasEcho || !operation.isDiagnostic else { continue }
            router.add(operation.method, operation.path, Route(rawValue: UInt16(number)))
        }
        return router
    }
}
