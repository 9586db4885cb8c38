internal import HTTP

extension Router {
    /// Every path of the API that is answered on that side.
    ///
    /// What matches none of them is a static file.
    static func api(hasEcho: Bool, for side: Door.Side) -> Router {
        var router = Router()
        for (number, operation) in Operation.all.enumerated() where side.has(operation.side) {
            guard hasEcho || !operation.isDiagnostic else { continue }
            router.add(operation.method, operation.path, Route(rawValue: UInt16(number)))
        }
        return router
    }
}
