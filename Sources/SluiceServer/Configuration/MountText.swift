internal import Support

/// A folder and the path at which its files are served, as the configuration writes them.
enum MountText {
    /// Parses `/firmware=/srv/firmware` from the configuration; nil if the form is another.
    static func parse(_ text: String) -> (path: String, folder: String)? {
        guard let split = text.firstIndex(of: "="), text.first == "/" else { return nil }
        let path = String(text[..<split])
        let folder = String(text[text.index(after: split)...])
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let areGood = segments.allSatisfy { segment in
            !segment.isEmpty && segment.first != "."
                && segment.utf8.allSatisfy { ASCII.isWord($0) || $0 == 0x2D || $0 == 0x2E }
        }
        guard areGood, segments.first != "v1", !folder.isEmpty else { return nil }
        return (path, folder)
    }

    /// That form, as a regular expression.
    static let pattern = #"^/(?!v1(/|=))[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*=.+$"#

    static func isWellFormed(_ text: String) -> Bool { parse(text) != nil }
}
