internal import HTTP

extension HTTP.Limits {
    init(_ configuration: Configuration) {
        self = configuration.fixed.requests
        bodyBytes = configuration.body
        allowsLongBody = { method, path, query in
            DefinitionRoutes.isDryRun(method, path, query)
        }
    }
}
