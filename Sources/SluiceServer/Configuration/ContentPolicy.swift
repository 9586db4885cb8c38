/// What a page may load and who may embed it (Content-Security-Policy).
enum ContentPolicy {
    /// Parses `/demo=default-src 'self'` from the configuration; nil if the form is another.
    static func parse(_ text: String) -> (path: String, policy: String)? {
        guard text.first == "/", let split = text.firstIndex(of: "=") else { return nil }
        let policy = text[text.index(after: split)...]
        // It becomes a header field.
        guard !policy.isEmpty, policy.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return (String(text[..<split]), String(policy))
    }

    static func isWellFormed(_ text: String) -> Bool { parse(text) != nil }

    /// Whether text names sites that may embed pages: an origin, `self` or `*`.
    static func isAncestor(_ text: String) -> Bool {
        text == "self" || text == "*" || Origin.isWellFormed(text)
    }

    /// The directive that says which sites may embed pages.
    static func ancestors(_ sites: [String]) -> String {
        let named = sites.map { $0 == "self" ? "'self'" : $0 }
        return "frame-ancestors \(named.isEmpty ? "'none'" : named.joined(separator: " "))"
    }
}
