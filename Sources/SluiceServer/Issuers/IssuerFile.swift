internal import CEL
internal import Definitions
internal import EventLoop
internal import JOSE
internal import Support
internal import TLS
internal import Values

/// The file of issuers whose tokens are accepted (`issuers` in the configuration).
///
/// ```yaml
/// issuers:
///   - issuer: https://id.example.org/realms/plant
///     name: plant
///     audience: sluice
///     roles: claims.realm_access.roles
///     rights:
///       - if: '"operator" in claims.realm_access.roles'
///         can: [read, set]
///         graphs: ["{claims.tenant}"]
///         nodes: ["user.{sub}.*"]
/// ```
enum IssuerFile {
    /// The longest file; there are a few issuers, each with some rules.
    static var mostBytes: Int { 1 << 20 }
    /// The most rules of one issuer, and the most roles or rights of a claim.
    static var mostRules: Int { 100 }

    /// Reads a file, and those with keys and authorities that it names; throws its problems.
    static func read(_ path: String, _ options: DefinitionOptions) throws(StartFailure) -> [Issuer] {
        let bytes: [UInt8]
        do throws(UVError) {
            bytes = try Files.read(path, limit: mostBytes).bytes
        } catch {
            throw StartFailure([FileProblem("issuers: cannot be read (\(error.message))", file: path)])
        }
        let (document, syntax) = YAMLReader.read(bytes, file: path)
        guard let document else {
            guard syntax.isEmpty else { throw StartFailure(syntax.map { FileProblem($0) }) }
            throw StartFailure([FileProblem("issuers: the file has no issuers", file: path)])
        }
        let reader = DocumentReader(file: path, options: options)
        let issuers = issuers(document, reader)
        let problems = reader.sortedProblems
        guard problems.isEmpty else { throw StartFailure(problems.map { FileProblem($0) }) }
        return issuers
    }

    private static func issuers(_ document: Document, _ reader: DocumentReader) -> [Issuer] {
        guard let fields = fields(document, "the file of issuers", ["issuers"], needed: ["issuers"], reader),
            let list = fields["issuers"]
        else { return [] }
        guard let elements = list.elements else {
            reader.add("'issuers' must be a list, not \(list.kindName)", at: list.position)
            return []
        }
        var (ids, names): (Set<String>, Set<String>) = ([], [])
        return elements.compactMap { element in
            guard let issuer = issuer(element, reader) else { return nil }
            guard ids.insert(issuer.id).inserted else {
                return reader.refuse("this issuer is given twice", at: element.position)
            }
            guard names.insert(issuer.name).inserted else {
                return reader.refuse("two issuers have the same name", at: element.position)
            }
            return issuer
        }
    }

    // MARK: - An issuer

    private static let keys = [
        "issuer", "name", "audience", "keys", "ca", "algorithms", "skew", "roles", "rights", "revoked",
    ]

    private static func issuer(_ document: Document, _ reader: DocumentReader) -> Issuer? {
        let needed = ["issuer", "audience", "rights"]
        guard let fields = fields(document, "an issuer", keys, needed: needed, reader) else { return nil }
        let all = SignatureAlgorithm.allCases
        let algorithms = fields["algorithms"].map { Self.algorithms($0, reader) } ?? all
        let authorities = fields["ca"].flatMap { reader.text($0, of: "ca") }
        let audiences = fields["audience"].map { reader.texts($0, of: "audience") } ?? []
        if let field = fields["audience"], audiences.isEmpty || audiences.contains("") {
            reader.add("'audience' must be a text or a list of texts", at: field.position)
        }
        let roles = fields["roles"].map { Claims.expression($0, of: "roles", from: reader) }
        let revoked = fields["revoked"].map { revocations($0, reader) } ?? []
        guard let idField = fields["issuer"], let id = reader.text(idField, of: "issuer"),
            let name = name(fields["name"], id, idField, reader), let algorithms,
            let source = keySource(fields["keys"], of: id, idField, Issuer.rsa(algorithms), reader),
            let skew = skew(fields["skew"], reader),
            let rights = fields["rights"].flatMap({ rights($0, reader) })
        else { return nil }
        return Issuer(
            id: id,
            name: name,
            audiences: audiences,
            keys: source,
            authorities: authorities,
            trust: trust(source, authorities, fields["ca"] ?? document, reader),
            algorithms: algorithms,
            skew: skew,
            roles: roles ?? nil,
            rights: rights,
            revoked: Revocations(revoked)
        )
    }

    /// Names begin with it and `#`, which no URL of an issuer has, so that no two issuers have the
    /// same client.
    private static func name(
        _ field: Document?,
        _ id: String,
        _ idField: Document,
        _ reader: DocumentReader
    ) -> String? {
        guard let name = field.map({ reader.text($0, of: "name") }) ?? id else { return nil }
        let isGood = (1...128).contains(name.utf8.count) && name.utf8.allSatisfy { $0 > 32 && $0 != 127 }
        guard isGood, !name.contains("#"), name != "*", !name.hasPrefix("role:") else {
            return reader.refuse(
                "an issuer's name has 1 to 128 bytes without blanks and #, and is neither * nor role:…",
                at: (field ?? idField).position,
                hint: field == nil ? "give it another one with 'name'" : nil
            )
        }
        return name
    }

    private static func algorithms(_ document: Document, _ reader: DocumentReader) -> [SignatureAlgorithm]? {
        let words = SignatureAlgorithm.allCases.map(\.rawValue)
        var algorithms: [SignatureAlgorithm] = []
        for element in document.elements ?? [document] {
            guard let algorithm = element.scalar.flatMap({ SignatureAlgorithm(name: $0.text) }) else {
                let sentence = "an algorithm must be one of \(words.joined(separator: ", "))"
                reader.addUnknown(sentence, element, among: words)
                continue
            }
            algorithms.append(algorithm)
        }
        guard !algorithms.isEmpty else {
            return reader.refuse("'algorithms' must name at least one", at: document.position)
        }
        return algorithms
    }

    private static func keySource(
        _ field: Document?,
        of id: String,
        _ idField: Document,
        _ rsa: SignatureAlgorithm,
        _ reader: DocumentReader
    ) -> Issuer.KeySource? {
        guard let field else {
            let base = id.hasSuffix("/") ? String(id.dropLast()) : id
            guard !base.contains("?"), let url = RemoteURL("\(base)/.well-known/openid-configuration") else {
                return reader.refuse(
                    "an issuer that is no URL needs 'keys'",
                    at: idField.position,
                    hint: "the path of a file with a JSON Web Key Set, or its address"
                )
            }
            return .discovery(url)
        }
        guard let text = reader.text(field, of: "keys") else { return nil }
        if text.contains("://") {
            guard let url = RemoteURL(text) else {
                return reader.refuse("'keys' is not a URL of https or http", at: field.position)
            }
            return .address(url)
        }
        do {
            let bytes = try Files.read(text, limit: KeySet.mostBytes).bytes
            return .file(try bytes.withBorrowedBytes { try KeySet($0, rsa: rsa) })
        } catch let error as UVError {
            return reader.refuse("keys: '\(text)' cannot be read (\(error.message))", at: field.position)
        } catch {
            return reader.refuse("keys: '\(text)': \(error)", at: field.position)
        }
    }

    /// Reading the system's authorities takes a while, so it is done here, on the thread that reads
    /// the file.
    private static func trust(
        _ source: Issuer.KeySource,
        _ authorities: String?,
        _ field: Document,
        _ reader: DocumentReader
    ) -> TLSContext? {
        // Metadata on this machine may name an address elsewhere.
        guard source.url != nil else { return nil }
        do throws(TLSFailure) {
            return try TLSContext.client(authorities: authorities)
        } catch {
            return reader.refuse("ca: \(error)", at: field.position)
        }
    }

    private static func skew(_ field: Document?, _ reader: DocumentReader) -> Double? {
        guard let field else { return 60 }
        if field.scalar?.text == "0" { return 0 }
        guard let span = reader.span(field, of: "skew") else { return nil }
        guard span.milliseconds <= 600_000 else {
            return reader.refuse("'skew' must be at most 10m", at: field.position)
        }
        return Double(span.milliseconds) / 1000
    }

    // MARK: - Rights

    private static func rights(_ document: Document, _ reader: DocumentReader) -> GrantRules? {
        guard let elements = document.elements else {
            guard document.scalar != nil else {
                return reader.refuse(
                    "'rights' must be a list of rules, or the claim that has them",
                    at: document.position,
                    hint: "write - { if: 'claims.admin', can: [read] }, or claims.NAME"
                )
            }
            return Claims.expression(document, of: "rights", from: reader).map(GrantRules.claim)
        }
        guard elements.count <= mostRules else {
            return reader.refuse("an issuer may have \(mostRules) rules", at: document.position)
        }
        return .rules(elements.compactMap { rule($0, reader) })
    }

    private static func rule(_ document: Document, _ reader: DocumentReader) -> GrantRules.Rule? {
        let keys = ["if", "can", "graphs", "nodes"]
        guard let fields = fields(document, "a rule of 'rights'", keys, reader) else { return nil }
        let condition = fields["if"].map { Claims.expression($0, of: "if", from: reader) }
        let can = fields["can"].map { Rights($0, from: reader) } ?? .customary
        func templates(_ key: String) -> [NameTemplate]? {
            fields[key].map { field in
                (field.elements ?? [field]).compactMap { NameTemplate($0, of: key, from: reader) }
            }
        }
        let (graphs, nodes) = (templates("graphs"), templates("nodes"))
        guard let can else { return nil }
        return GrantRules.Rule(condition: condition ?? nil, can: can, graphs: graphs, nodes: nodes)
    }

    // MARK: - Revoked tokens

    private static func revocations(_ document: Document, _ reader: DocumentReader) -> [Revocation] {
        guard let elements = document.elements else {
            reader.add("'revoked' must be a list, not \(document.kindName)", at: document.position)
            return []
        }
        return elements.compactMap { element in
            fields(element, "an entry of 'revoked'", Revocation.keys, reader)
                .flatMap { Revocation($0, at: element.position, reader) }
        }
    }

    // MARK: - Parts

    /// The values of a mapping with these keys; reports unknown and missing ones.
    static func fields(
        _ document: Document,
        _ what: String,
        _ known: [String],
        needed: [String] = [],
        _ reader: DocumentReader
    ) -> [String: Document]? {
        guard let members = reader.members(document, of: what) else { return nil }
        for (key, entry) in members where !known.contains(key) {
            reader.addUnknown("unknown key '\(key)' of \(what)", entry.key, among: known)
        }
        for key in needed where document[key] == nil {
            reader.add("\(what) needs '\(key)'", at: document.position)
        }
        return Dictionary(members.map { ($0.key, $0.entry.value) }) { first, _ in first }
    }
}
