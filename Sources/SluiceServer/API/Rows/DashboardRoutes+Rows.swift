internal import Definitions
internal import HTTP
internal import Values

extension DashboardRoutes: Routes {
    static let rows: [Operation] = [
        Operation(
            method: .get,
            path: "/v1/dashboards",
            side: .service,
            need: Need(over: .shownGraphs),
            handler: listDashboards,
            name: "listDashboards",
            summary: "The server's dashboards",
            successes: [
                answer(
                    "The dashboards, and whether the caller can save any",
                    .object([
                        .required("writable", .boolean), .optional("why", .string),
                        .required(
                            "dashboards",
                            .list(
                                of: .object([
                                    .required("name", .string), .required("title", .string),
                                    .required("graph", .string),
                                ])
                            )
                        ),
                    ])
                )
            ]
        ),
        Operation(
            method: .get,
            path: dashboard,
            side: .service,
            need: Need(over: .dashboardGraph),
            handler: readDashboard,
            name: "readDashboard",
            summary: "One dashboard",
            fields: [.ifNoneMatch],
            successes: [
                answer("The dashboard", form),
                Success(status: 304, summary: "The client has this dashboard"),
            ],
            errors: [.notFound]
        ),
        Operation(
            method: .put,
            path: dashboard,
            side: .service,
            need: Need(.dashboards, over: .dashboardGraph),
            handler: saveDashboard,
            audited: .change,
            name: "saveDashboard",
            summary:
                "Saves a dashboard for every browser; needs the right `dashboards` on its graph",
            fields: [.ifMatch, .ifNoneMatch],
            body: Body(types: json, schema: form),
            successes: [
                Success(status: 201, summary: "It is new"),
                Success(status: 204, summary: "It is saved"),
            ],
            errors: ["bad_json", "bad_field", .notFound, "conflict", .readOnly]
        ),
        Operation(
            method: .delete,
            path: dashboard,
            side: .service,
            need: Need(.dashboards, over: .dashboardGraph),
            handler: removeDashboard,
            audited: .change,
            name: "removeDashboard",
            summary: "Removes a dashboard; needs the right `dashboards` on its graph",
            fields: [.ifMatch],
            successes: [Success(status: 204, summary: "It is gone")],
            errors: [.notFound, "conflict", .readOnly]
        ),
    ]

    private static let dashboard = "/v1/dashboards/{d}"
    private static let form = Schema.object([
        .required("v", .integer), .optional("title", .string), .optional("graph", .string),
        .required("widgets", .objects.with("maxItems", 64)),
    ])
}
