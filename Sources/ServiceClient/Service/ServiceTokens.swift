public import Outbound
internal import Support
internal import Values

/// Tokens that are made at a server and what is revoked at it, for the command line.
public struct ServiceTokens {
    /// A token to be made, as the server takes it.
    public struct Request {
        let body: [UInt8]

        /// The body of a request with these members; absent and empty ones are left out.
        public init(
            _ texts: [(key: StaticString, text: String?)],
            lists: [(key: StaticString, words: [String])] = []
        ) {
            var body = ByteBuffer()
            body.append("{")
            for (key, text) in texts { body.member(key, text) }
            for (key, words) in lists where !words.isEmpty {
                body.member(key, list: words) { $1.append(json: $0) }
            }
            body.append("}")
            self.body = Array(body.bytes)
        }
    }

    /// The answer as it came, without the line end.
    public let text: String
    /// The id of a new entry; empty for a list.
    public let id: String
    /// A line for each entry of a list.
    public let lines: [String]

    /// Has the server know a token from now on.
    public static func make(_ request: Request, at service: ServiceURL) throws -> ServiceTokens {
        try post(request, to: "/v1/tokens", service)
    }

    /// Has the server refuse tokens of an issuer from now on.
    public static func revoke(_ request: Request, at service: ServiceURL) throws -> ServiceTokens {
        try post(request, to: "/v1/revocations", service)
    }

    /// Has the server forget a token, or take a revocation back.
    public static func remove(_ id: String, isRevocation: Bool = false, at service: ServiceURL) throws {
        let place = isRevocation ? "/v1/revocations/" : "/v1/tokens/"
        try ServiceRequest.delete(place + ServiceRequest.escaped(id), at: service)
    }

    /// The tokens, or the revocations.
    public static func list(revocations: Bool = false, at service: ServiceURL) throws -> ServiceTokens {
        let path = revocations ? "/v1/revocations" : "/v1/tokens"
        return try ServiceRequest.read(ServiceRequest.get(path, from: service), ServiceTokens.init)
    }

    private static func post(
        _ request: Request,
        to path: String,
        _ service: ServiceURL
    ) throws -> ServiceTokens {
        let answer = try ServiceRequest.post(request.body, to: path, at: service)
        return try ServiceRequest.read(answer, ServiceTokens.init)
    }

    private init(_ answer: JSONReader) {
        text = String(decoding: answer.bytes, as: UTF8.self)
        id = answer["id"]?.string ?? ""
        let rows = answer["tokens"] ?? answer["revocations"]
        lines = ((rows?.elements).map(Array.init) ?? []).map(Self.line)
    }

    private static func line(_ row: JSONReader) -> String {
        let keys: [StaticString] = ["name", "issuer", "jti", "sub", "before"]
        var parts = [row["id"]?.string ?? ""] + keys.compactMap { row[$0]?.string }
        if let can = (row["can"]?.elements).map({ $0.compactMap(\.string) }) {
            parts.append(can.joined(separator: ","))
        }
        if let end = row["expires"]?.string { parts.append("until \(end)") }
        if let by = row["by"]?.string { parts.append("by \(by)") }
        return parts.joined(separator: "  ")
    }
}
