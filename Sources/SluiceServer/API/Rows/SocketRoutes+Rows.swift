internal import HTTP
internal import Values

extension SocketRoutes: Routes {
    static let rows: [Operation] = [
        Operation(
            method: .get,
            path: "/v1/ws",
            side: .service,
            need: .nothing,
            handler: requireUpgrade,
            upgrade: .messages,
            name: "openSocket",
            summary: "WebSocket, subprotocol sluice.v1.json",
            successes: [
                Success(status: 101, summary: "The connection is a WebSocket now"),
                answer(
                    "bad_request: The request is no upgrade to WebSocket, version 13.",
                    .problem,
                    426,
                    as: ["application/problem+json"]
                ),
            ]
        ),
        Operation(
            method: .get,
            path: "/v1/diagnostics/echo",
            side: .service,
            need: .nothing,
            handler: requireUpgrade,
            upgrade: .echo,
            isDiagnostic: true,
            name: "echo",
            summary: "A WebSocket that returns every message",
            successes: []
        ),
    ]
}
