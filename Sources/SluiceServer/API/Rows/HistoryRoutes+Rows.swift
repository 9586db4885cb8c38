internal import GraphHost
internal import HTTP

extension HistoryRoutes: Routes {
    static let rows: [Operation] = [
        Operation(
            method: .get,
            path: node + "/history",
            side: .service,
            right: .ofNodes,
            handler: readHistory,
            name: "readHistory",
            summary: "A node's emissions: from its history, and further back from the log",
            parameters: [
                Parameter(
                    name: "since",
                    schema: #"{"type":"integer","minimum":0}"#,
                    summary: "Only what is newer than this rev, oldest first"
                ),
                Parameter(
                    name: "epoch",
                    schema: #"{"type":"string"}"#,
                    summary: "The epoch of since"
                ),
                Parameter(
                    name: "limit",
                    schema: #"{"type":"integer","minimum":1,"maximum":100000,"default":1000}"#,
                    summary: "The most emissions"
                ),
                facets,
            ],
            successes: [answer("The emissions", reference("History"))],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node", "gone", "busy"]
        )
    ]
}
