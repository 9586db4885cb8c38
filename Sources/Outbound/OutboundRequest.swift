package import HTTP

/// What a server is asked.
package struct OutboundRequest {
    package var method: HTTP.Method
    package var server: ServiceURL
    /// Path and query, escaped already.
    package var target: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]?

    package init(
        _ method: HTTP.Method,
        _ server: ServiceURL,
        _ target: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8]? = nil
    ) {
        (self.method, self.server, self.target) = (method, server, target)
        (self.headers, self.body) = (headers, body)
    }
}
