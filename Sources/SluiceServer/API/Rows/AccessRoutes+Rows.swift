internal import HTTP
internal import Values

extension AccessRoutes: Routes {
    static let rows: [Operation] = [
        Operation(
            method: .post,
            path: "/v1/session",
            side: .service,
            need: .nothing,
            handler: signIn,
            name: "signIn",
            summary: "A cookie for a token, for pages of browsers",
            body: Body(
                types: json,
                schema: .object([.required("token", .string)])
            ),
            successes: [Success(status: 204, summary: "Signed in")],
            errors: ["bad_json", "bad_field", .notFound]
        ),
        Operation(
            method: .delete,
            path: "/v1/session",
            side: .service,
            need: .nothing,
            handler: signOut,
            name: "signOut",
            summary: "The cookie is no longer valid",
            successes: [Success(status: 204, summary: "Signed out")]
        ),
    ]
}
