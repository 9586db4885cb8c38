package import ArgumentParser
package import Outbound
package import Support
internal import Platform

/// Where the server is, for the commands that talk to one.
package struct ServiceOptions: ParsableArguments {
    @Option(help: "The server's address. Without it: that of SLUICE_URL, else http://127.0.0.1:8080.")
    package var url: String?

    @Option(help: "For https: a PEM file of the authorities to trust, instead of the system's.")
    package var ca: String?

    package init() {}

    /// The address with the authorities that were named, and the token of the environment.
    package func trusting(_ service: ServiceURL) throws -> ServiceURL {
        var service = service
        service.authorities = ca
        service.token = try Self.token()
        return service
    }

    /// The token in SLUICE_TOKEN, or a usage error; nil if it is not set.
    ///
    /// There is no option for it: arguments are seen by everybody on the machine.
    package static func token() throws -> Token? {
        guard let text = environmentVariable("SLUICE_TOKEN") else { return nil }
        guard let token = Token(text) else {
            throw ValidationError("SLUICE_TOKEN is no token: it has 16 to 512 visible ASCII characters")
        }
        return token
    }

    /// The address, or a usage error.
    package func service() throws -> ServiceURL {
        try trusting(Self.named(url) ?? Self.service("http://127.0.0.1:8080", from: "the standard address"))
    }

    /// The server of `--url` or, without it, of SLUICE_URL; nil if neither is given.
    ///
    /// Throws a usage error if it is not a valid address.
    package static func named(_ url: String?) throws -> ServiceURL? {
        if let url { return try service(url, from: "--url") }
        return try environmentVariable("SLUICE_URL").map { try service($0, from: "SLUICE_URL") }
    }

    private static func service(_ text: String, from place: String) throws -> ServiceURL {
        guard let service = ServiceURL(text) else {
            throw ValidationError(
                "\(place) '\(text)' is not an address such as http://127.0.0.1:8080 or unix:/run/sluice.sock"
            )
        }
        return service
    }
}

/// One node of one graph on one server, as people write it.
package struct NodeAddress {
    package let service: ServiceURL
    package let graph: String
    /// Nil where only a graph was named.
    package let node: String?

    /// Parses `graph/node`, `graph`, or the same after a server:
    /// `http://127.0.0.1:8080/v1/graphs/house/nodes/mode`.
    package init(_ text: String, _ options: ServiceOptions) throws {
        var parts: [Substring]
        if text.contains("://") {
            guard let url = ServiceURL(text), let mark = url.path.firstRange(of: "/v1/graphs/") else {
                throw ValidationError(
                    "'\(text)' is not a URL such as http://localhost:8080/v1/graphs/house/nodes/mode"
                )
            }
            let scheme = url.isSecure ? "https" : "http"
            let origin = "\(scheme)://\(url.authority)\(url.path[..<mark.lowerBound])"
            guard let service = ServiceURL(origin) else { throw ValidationError("'\(text)' names no server") }
            self.service = try options.trusting(service)
            parts = url.path[mark.upperBound...].split(separator: "/", omittingEmptySubsequences: false)
            if parts.count == 3, parts[1] == "nodes" { parts.remove(at: 1) }
        } else {
            service = try options.service()
            parts = text.split(separator: "/", omittingEmptySubsequences: false)
        }
        guard (1...2).contains(parts.count), parts.allSatisfy({ Name.isValid($0) }) else {
            throw ValidationError("'\(text)' is not of the form graph/node")
        }
        graph = String(parts[0])
        node = parts.count == 2 ? String(parts[1]) : nil
    }

    /// The path of the node or, where none was named, of the graph.
    package var path: String { "/v1/graphs/\(graph)" + (node.map { "/nodes/\($0)" } ?? "") }
}
