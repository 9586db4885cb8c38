internal import Definitions
internal import HTTP
internal import Values

extension TokenRoutes: Routes {
    static let rows: [Operation] = [
        Operation(
            method: .get,
            path: "/v1/tokens",
            side: .operations,
            need: Need(.admin, over: .everything),
            handler: listTokens,
            name: "listTokens",
            summary: "The tokens that were made here",
            successes: [answer("All but the secrets themselves", .list(of: token, as: "tokens"))],
            errors: [.notFound]
        ),
        Operation(
            method: .post,
            path: "/v1/tokens",
            side: .operations,
            need: Need(.admin, over: .everything),
            handler: makeToken,
            audited: .change,
            name: "makeToken",
            summary: "Makes a token, which only the answer has",
            body: Body(
                types: json,
                schema: .object([.required("name", .string), .optional("hash", .string)] + grant)
            ),
            successes: [answer("The token", .object([.optional("token", .string)] + token), 201)],
            errors: changeErrors + ["bad_json", "bad_field", "too_large", .unsupportedType]
        ),
        Operation(
            method: .delete,
            path: "/v1/tokens/{id}",
            side: .operations,
            need: Need(.admin, over: .everything),
            handler: revokeToken,
            audited: .change,
            name: "revokeToken",
            summary: "A token that was made here counts no longer",
            successes: [Success(status: 204, summary: "Its sessions end, at every server")],
            errors: changeErrors
        ),
        Operation(
            method: .get,
            path: "/v1/revocations",
            side: .operations,
            need: Need(.admin, over: .everything),
            handler: listRevocations,
            name: "listRevocations",
            summary: "Which tokens of issuers were revoked here",
            successes: [answer("The revocations", .list(of: revocation, as: "revocations"))],
            errors: [.notFound]
        ),
        Operation(
            method: .post,
            path: "/v1/revocations",
            side: .operations,
            need: Need(.admin, over: .everything),
            handler: revoke,
            audited: .change,
            name: "revoke",
            summary: "Tokens of an issuer count no longer: one (`jti`), or those of a subject (`sub`)",
            body: Body(types: json, schema: .object([.required("issuer", .string)] + revoked)),
            successes: [answer("The revocation", .object(revocation), 201)],
            errors: changeErrors + ["bad_json", "bad_field", "too_large", .unsupportedType]
        ),
        Operation(
            method: .delete,
            path: "/v1/revocations/{id}",
            side: .operations,
            need: Need(.admin, over: .everything),
            handler: takeBack,
            audited: .change,
            name: "takeBackRevocation",
            summary: "Takes a revocation back",
            successes: [Success(status: 204, summary: "It is gone")],
            errors: changeErrors
        ),
    ]

    private static let changeErrors: [ErrorCode] = [
        .notFound, .readOnly, "not_ready", "engine_down", "no_space", "conflict",
    ]

    private static let grant: [Schema.Field] =
        ["roles", "can", "graphs", "nodes"].map { .optional($0, .list(of: .string)) }
        + [.optional("expires", .string)]

    private static let origin: [Schema.Field] = [.optional("by", .string), .optional("at", .string)]

    private static let token: [Schema.Field] =
        [.required("id", .string), .required("name", .string)] + grant + origin

    private static let revoked: [Schema.Field] =
        ["jti", "sub", "before", "expires"].map { .optional($0, .string) }

    private static let revocation: [Schema.Field] =
        [.required("id", .string), .required("issuer", .string)] + revoked + origin
}

extension Schema {
    /// An object with a list of such objects.
    fileprivate static func list(of fields: [Field], as key: String) -> Schema {
        .object([.required(key, .list(of: .object(fields)))])
    }
}
