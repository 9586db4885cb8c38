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
    static let openAPI = Route(rawValue: 25)
    static let defineGraph = Route(rawValue: 26)
    static let readDefinition = Route(rawValue: 27)
    static let removeGraph = Route(rawValue: 28)
    static let reload = Route(rawValue: 29)
    static let backup = Route(rawValue: 30)
    static let dropNode = Route(rawValue: 31)
    static let nodes = Route(rawValue: 32)
    static let why = Route(rawValue: 33)
    static let flush = Route(rawValue: 34)
    static let loadNode = Route(rawValue: 40)
    static let dashboards = Route(rawValue: 60)
    static let readDashboard = Route(rawValue: 61)
    static let saveDashboard = Route(rawValue: 62)
    static let removeDashboard = Route(rawValue: 63)
}

extension Router {
    /// Every path of the API that is answered on that side.
    ///
    /// What matches none of them is a static file.
    static func api(hasEcho: Bool, for side: Door.Side) -> Router {
        var router = Router()
        for operation in Operation.all where side.has(operation.route) {
            router.add(operation.method, operation.path, operation.route)
        }
        if hasEcho, side.has(.echo) { router.add(.get, "/v1/diagnostics/echo", .echo) }
        return router
    }
}
