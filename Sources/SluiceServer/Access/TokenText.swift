public import Support
internal import TLS
internal import Values

/// An entry of the file of tokens as text.
public enum TokenText {
    /// An entry of the list `tokens`, with its indentation.
    public static func entry(
        name: String,
        hash: String,
        roles: [String] = [],
        can: [String] = [],
        graphs: [String] = [],
        nodes: [String] = [],
        expires: String? = nil
    ) -> String {
        var lines = ["  - name: \(quoted(name))", "    hash: \(hash)"]
        for (key, words) in [("roles", roles), ("can", can), ("graphs", graphs), ("nodes", nodes)]
        where !words.isEmpty {
            lines.append("    \(key): [\(words.map(quoted).joined(separator: ", "))]")
        }
        if let expires { lines.append("    expires: \(quoted(expires))") }
        return lines.joined(separator: "\n")
    }

    /// The server's complaint about an entry; nil: none.
    public static func problem(with entry: String) -> String? {
        let (document, syntax) = YAMLReader.read(Array("tokens:\n\(entry)\n".utf8), file: "token")
        guard let document else { return syntax.first?.message }
        return TokenFile.read(document, file: "token").problems.first?.message
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}

extension Token {
    /// Its entry in the file of tokens: `sha256:` and the digest in hexadecimal digits.
    ///
    /// A secret that cannot be guessed needs no salt and no slow function.
    public var hash: String {
        let digest = text.withBorrowedBytes { SHA256.digest($0) }
        return "sha256:\(digest.hexadecimal)"
    }
}
