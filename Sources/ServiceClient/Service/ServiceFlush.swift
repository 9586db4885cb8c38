public import Outbound
internal import Values

/// Asks a server to release what one of its graphs keeps only for later, for the command line.
public struct ServiceFlush {
    /// The answer as it came, without the line end.
    public let text: String
    public let line: String

    /// Sends the request and waits for the answer; `pattern` is a name or glob.
    public static func run(
        _ graph: String,
        matching pattern: String,
        at service: ServiceURL
    ) throws -> ServiceFlush {
        let path = "/v1/graphs/\(graph)/flush?match=\(ServiceRequest.escaped(pattern))"
        return try ServiceRequest.read(try ServiceRequest.post(to: path, at: service), ServiceFlush.init)
    }

    private init(_ answer: JSONReader) {
        text = String(decoding: answer.bytes, as: UTF8.self)
        let names = (answer["names"]?.elements).map { $0.compactMap(\.string) } ?? []
        let released = answer["released"]?.int ?? 0
        let shown = names.prefix(10).joined(separator: " ") + (names.count > 10 ? " …" : "")
        let graph = answer["graph"]?.string ?? ""
        line = "\(graph): \(released) nodes released" + (names.isEmpty ? "" : " (\(shown))")
    }
}
