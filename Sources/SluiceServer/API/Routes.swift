internal import HTTP

extension Route {
    static let graphs = Route(rawValue: 0)
    static let graph = Route(rawValue: 1)
    static let values = Route(rawValue: 2)
    static let readNode = Route(rawValue: 3)
    static let setNode = Route(rawValue: 4)
    static let patchNode = Route(rawValue: 5)
    static let clearNode = Route(rawValue: 6)
    static let batch = Route(rawValue: 7)
    static let picture = Route(rawValue: 8)
    static let listeners = Route(rawValue: 9)
    static let connections = Route(rawValue: 10)
    static let endConnection = Route(rawValue: 11)
    static let operators = Route(rawValue: 12)
    static let metrics = Route(rawValue: 13)
    static let health = Route(rawValue: 14)
    static let ready = Route(rawValue: 15)
    static let version = Route(rawValue: 16)
    static let socket = Route(rawValue: 17)
    static let echo = Route(rawValue: 18)
    static let history = Route(rawValue: 19)
    static let events = Route(rawValue: 20)
    static let eval = Route(rawValue: 21)
    static let explain = Route(rawValue: 22)
    static let signIn = Route(rawValue: 23)
    static let signOut = Route(rawValue: 24)
}

extension Router {
    /// Every path of the API (wire-protocol.md §3).
    ///
    /// What matches none of them is a static file.
    static func api(hasEcho: Bool) -> Router {
        var router = Router()
        let node = "/v1/graphs/{g}/nodes/{n}"
        router.add(.post, node, .setNode)
        router.add(.put, node, .setNode)
        router.add(.get, node, .readNode)
        router.add(.patch, node, .patchNode)
        router.add(.delete, node + "/value", .clearNode)
        router.add(.get, node + "/history", .history)
        router.add(.get, node + "/explain", .explain)
        router.add(.post, "/v1/graphs/{g}/eval", .eval)
        router.add(.get, "/v1/graphs/{g}/events", .events)
        router.add(.get, "/v1/graphs", .graphs)
        router.add(.get, "/v1/graphs/{g}", .graph)
        router.add(.get, "/v1/graphs/{g}/values", .values)
        router.add(.post, "/v1/graphs/{g}/batch", .batch)
        router.add(.get, "/v1/graphs/{g}/graph", .picture)
        router.add(.get, "/v1/graphs/{g}/listeners", .listeners)
        router.add(.get, "/v1/connections", .connections)
        router.add(.delete, "/v1/connections/{c:any}", .endConnection)
        router.add(.post, "/v1/session", .signIn)
        router.add(.delete, "/v1/session", .signOut)
        router.add(.get, "/v1/operators", .operators)
        router.add(.get, "/v1/ws", .socket)
        if hasEcho { router.add(.get, "/v1/diagnostics/echo", .echo) }
        router.add(.get, "/metrics", .metrics)
        router.add(.get, "/healthz", .health)
        router.add(.get, "/readyz", .ready)
        router.add(.get, "/version", .version)
        return router
    }
}
