internal import HTTP
internal import Support

/// What was probably meant by a path of the API that leads nowhere.
enum PathAdvice {
    /// A sentence for the client; nil where nothing near the path is served.
    static func of(_ path: BorrowedBytes, _ method: Method, _ router: Router) -> String? {
        let text = String(decoding: path, as: UTF8.self)
        guard text.hasPrefix("/v1/") else { return nil }
        let segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(
            String.init
        )
        if let wrong = segments.first(where: { !Name.isValid($0) }) {
            let repaired = segments.map { Name.isValid($0) ? $0 : "x" }
            return leads(repaired, method, router) ? refusal(of: wrong) : nil
        }
        // `/v1/graphs/home/living_c`: the word between graph and node is missing.
        guard segments.count == 4, segments[1] == "graphs" else { return nil }
        let meant = [segments[0], segments[1], segments[2], "nodes", segments[3]]
        guard leads(meant, method, router) else { return nil }
        return
            "there is nothing under this path; a node of graph \(segments[2]) is /\(meant.joined(separator: "/"))"
    }

    /// Whether the API serves this path, with whatever method.
    private static func leads(_ segments: [String], _ method: Method, _ router: Router) -> Bool {
        let path = Array(("/" + segments.joined(separator: "/")).utf8)
        return path.withBorrowedBytes { bytes in
            switch router.match(method, bytes) {
            case .found, .methodNotAllowed, .options: true
            case .notFound: false
            }
        }
    }

    private static func refusal(of segment: String) -> String {
        let rule =
            "a name has letters (A-Z, a-z), digits, '_', '.' and '-', and begins with none of the last two"
        if segment.isEmpty { return "there is a name missing in this path, or a / too many" }
        if segment.utf8.count > Name.maximumBytes {
            return
                "a name in this path has \(segment.utf8.count) bytes; names have at most \(Name.maximumBytes)"
        }
        return "'\(segment)' is no name: \(rule)"
    }
}
