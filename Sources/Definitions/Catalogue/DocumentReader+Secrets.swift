internal import Support
internal import Values

// Secrets are in the environment of the server; definitions only name them.
extension DocumentReader {
    /// What the name of a secret looks like; see ``isSecretName(_:)``.
    static let secretPattern = "^[A-Z][A-Z0-9_]{0,63}$"

    /// Whether a secret can have that name: capital letters, digits and `_`.
    package static func isSecretName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.first.map { (0x41...0x5A).contains($0) } == true
            && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || ASCII.isDigit($0) || $0 == 0x5F }
    }

    /// The name of a secret that the graph may use.
    func secret(_ document: Document) -> String? {
        guard let text = text(document, of: "secret") else { return nil }
        if Self.isSecretName(text) {
            guard let secrets = options.secrets, !secrets.contains(text) else { return text }
            return refuse(
                "there is no secret '\(text)' for this graph",
                at: document.position,
                hint:
                    "set SLUICE_SECRET_\(text) in the server's environment; a graph defined over HTTP must also be named by the configuration key secrets"
            )
        }
        return refuse(
            "secret must be the name of a secret",
            at: document.position,
            hint:
                "capital letters, digits and '_'; the secret of HOOK is in the environment as SLUICE_SECRET_HOOK"
        )
    }
}
