internal import HTTP

extension Router {
    /// The router with all paths of the API on that side.
    ///
    /// Other paths are static files.
    static func api(hasEcho: Bool, for side: Door.Side) -> Router {
        var router = Router()
        for (number, operation) in Operation.all.enumerated() where side.has(operation.side) {
            guard hasEcho || !operation.isDiagnostic else { continue }
            router.add(operation.method, operation.path, Route(rawValue: UInt16(number)))
        }
        return router
    }
}
