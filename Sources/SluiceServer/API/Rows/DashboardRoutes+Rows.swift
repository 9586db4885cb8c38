internal import Definitions
internal import HTTP

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
                    #"{"type":"object","required":["writable","dashboards"],"properties":{"writable":{"type":"boolean"},"why":{"type":"string"},"dashboards":{"type":"array","items":{"type":"object","required":["name","title","graph"],"properties":{"name":{"type":"string"},"title":{"type":"string"},"graph":{"type":"string"}}}}}}"#
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
            summary: "Saves a dashboard for every browser; needs the right `dashboards` on its graph",
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
    private static let form =
        #"{"type":"object","required":["v","widgets"],"properties":{"v":{"type":"integer"},"title":{"type":"string"},"graph":{"type":"string"},"widgets":{"type":"array","maxItems":64,"items":{"type":"object"}}}}"#
}
