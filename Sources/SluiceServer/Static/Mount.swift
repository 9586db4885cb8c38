internal import Support

/// A folder whose files are served below a path of its own, with the same confinement as the public
/// one.
struct Mount {
    /// `/firmware`: begins with a slash and ends without.
    let path: String
    let files: StaticFiles

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

    /// The path within the folder, beginning with a slash; nil if the path is outside of it.
    func suffix(of path: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let count = self.path.utf8.count
        guard path.count > count, path[count] == UInt8(ascii: "/"), path.starts(with: self.path.utf8) else {
            return nil
        }
        return UnsafeRawBufferPointer(rebasing: path[count...])
    }
}
