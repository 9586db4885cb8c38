internal import CEL
internal import Definitions
internal import Graphs
internal import Support
internal import Values

/// The file that lists the tokens (`auth` in the configuration).
///
/// ```yaml
/// tokens:
///   - name: device:7
///     hash: sha256:9f86d081…
///     roles: [sensor]
///     can: [set]
///     graphs: [house]
///     nodes: ["room.*"]
///     expires: 2027-01-01T00:00:00Z
/// ```
///
/// The key `tokens` may be left out, so that `sluice token >> tokens.yaml` can create the file.
enum TokenFile {
    /// Reads the whole file and reports all problems at once.
    static func read(
        _ document: Document,
        file: String
    ) -> (tokens: [Principal], problems: [DefinitionProblem]) {
        let reader = DocumentReader(file: file, options: DefinitionOptions())
        let tokens = tokens(document, reader)
        let problems = reader.sortedProblems
        return (problems.isEmpty ? tokens : [], problems)
    }

    private static let keys = ["name", "hash", "roles", "can", "graphs", "nodes", "expires"]

    private static func tokens(_ document: Document, _ reader: DocumentReader) -> [Principal] {
        guard let list = document.elements ?? list(document, reader) else { return [] }
        var hashes: Set<[UInt8]> = []
        return list.compactMap { element in
            guard let token = token(element, reader) else { return nil }
            guard hashes.insert(token.digest).inserted else {
                return reader.refuse("this hash is given twice", at: element.position)
            }
            return token
        }
    }

    private static func list(_ document: Document, _ reader: DocumentReader) -> [Document]? {
        guard let members = reader.members(document, of: "the file of tokens") else { return nil }
        for (key, entry) in members where key != "tokens" {
            reader.addUnknown("unknown key '\(key)'", entry.key, among: ["tokens"])
        }
        guard let list = document["tokens"] else {
            return reader.refuse("the file of tokens needs 'tokens'", at: document.position)
        }
        if list.elements == nil {
            reader.add("'tokens' must be a list, not \(list.kindName)", at: list.position)
        }
        return list.elements
    }

    private static func token(_ document: Document, _ reader: DocumentReader) -> Principal? {
        guard let members = reader.members(document, of: "a token") else { return nil }
        for (key, entry) in members where !keys.contains(key) {
            reader.addUnknown("unknown key '\(key)' of a token", entry.key, among: keys)
        }
        guard let nameField = document["name"], let hashField = document["hash"] else {
            return reader.refuse(
                "a token needs 'name' and 'hash'",
                at: document.position,
                hint: "`sluice token` makes both"
            )
        }
        let can = document["can"].map { Rights($0, from: reader) } ?? .customary
        let expires = document["expires"].map { moment($0, reader) }
        guard let name = principalName(nameField, reader), let digest = digest(hashField, reader), let can
        else { return nil }
        let grant = Principal.Grant(
            graphs: document["graphs"].map { reader.texts($0, of: "graphs") } ?? ["*"],
            nodes: document["nodes"].map { reader.texts($0, of: "nodes") } ?? ["*"],
            can: can
        )
        let roles = document["roles"].map { reader.texts($0, of: "roles") } ?? []
        return Principal(name: name, roles: roles, grants: [grant], expires: expires ?? nil, digest: digest)
    }

    private static func principalName(_ document: Document, _ reader: DocumentReader) -> String? {
        guard let name = reader.text(document, of: "name") else { return nil }
        let isGood = (1...128).contains(name.utf8.count) && name.utf8.allSatisfy { $0 > 32 && $0 != 127 }
        guard isGood, name != "*", !name.hasPrefix("role:") else {
            return reader.refuse(
                "a name has 1 to 128 bytes without blanks, and is neither * nor role:…",
                at: document.position,
                hint: "names such as device:7 or alice"
            )
        }
        return name
    }

    private static func digest(_ document: Document, _ reader: DocumentReader) -> [UInt8]? {
        let prefix = "sha256:"
        if let text = document.scalar?.text, text.hasPrefix(prefix), text.utf8.count == prefix.utf8.count + 64
        {
            let digits = text.utf8.dropFirst(prefix.utf8.count).compactMap(ASCII.hexadecimal)
            if digits.count == 64 {
                return stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
            }
        }
        return reader.refuse(
            "a hash must be sha256: and 64 hexadecimal digits",
            at: document.position,
            hint:
                "`sluice token --name NAME` makes a token and prints its hash; the token itself is not stored in the file"
        )
    }

    private static func moment(_ document: Document, _ reader: DocumentReader) -> UInt64? {
        if let text = document.scalar?.text, let moment = CEL.Timestamp(rfc3339: text),
            moment.seconds >= 0
        {
            return UInt64(moment.seconds) * 1000
        }
        return reader.refuse("'expires' must be a time such as 2027-01-01T00:00:00Z", at: document.position)
    }
}
