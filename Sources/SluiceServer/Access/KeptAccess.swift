internal import CEL
internal import Commits
internal import Definitions
internal import Graphs
internal import JOSE
internal import Logging
internal import ReactiveGraph
internal import Support
internal import Values

/// The tokens that were made at the server, and what was revoked at it (docs/access.md).
///
/// They are values of a graph that no client finds, ``Host/ownGraph``. So the store or Redis keeps
/// them, and every server has them, as it has the values of other graphs. It begins with the first
/// of them. A value is never changed: it comes, and goes.
final class KeptAccess: NameWatcher {
    /// What the nodes of the graph are called.
    enum Kind: String, CaseIterable {
        case token, revoked

        var glob: String { "\(rawValue).*" }

        /// The node of an entry.
        func node(_ id: String) -> String { "\(rawValue).\(id)" }
    }

    /// A revocation of one issuer's tokens.
    struct Revoked {
        let issuer: String
        let revocation: Revocation
        /// When it is no longer needed, in milliseconds since 1970; nil: never.
        let expires: UInt64?
    }

    private static let definition =
        #"{"nodes":{"token.{id}":{"set":"object"},"revoked.{id}":{"set":"object"}}}"#
    /// How many entries that are over one change takes out.
    private static let mostSwept = 1_000

    private unowned let host: Host
    private let log: Logger
    /// Another one takes its place if its history is lost.
    private weak var graph: LiveGraph?
    /// ``Host/definitionChanges`` when it was looked for.
    private var lookedAt: UInt64?
    /// Changes that wait for the graph's first commit.
    private var waiting: [(Result<LiveGraph, HostError>) -> Void] = []
    /// The nodes that have come in the present commit.
    private var coming: [NamedNode] = []
    private var tokens: [String: Principal] = [:]
    private var names: [[UInt8]: String] = [:]
    private var revoked: [String: Revoked] = [:]
    private var byIssuer: [String: Revocations] = [:]
    private var isNarrower = false

    init(_ host: Host, _ log: Logger) {
        (self.host, self.log) = (host, log)
    }

    // MARK: - Asking

    /// The client of a token, by the digest of that; nil: it was not made here.
    subscript(digest: [UInt8]) -> Principal? {
        names.isEmpty ? nil : names[digest].flatMap { tokens[$0] }
    }

    /// Whether a token of an issuer was revoked here.
    func isRevoked(_ claims: RegisteredClaims) -> Bool {
        byIssuer.isEmpty ? false : byIssuer[claims.issuer]?.cover(claims) == true
    }

    /// A token, with its node.
    func token(_ node: NamedNode) -> Principal? { tokens[node.name] }

    /// A revocation, with its node.
    func revoked(_ node: NamedNode) -> Revoked? { revoked[node.name] }

    /// The nodes of the entries, by name.
    func nodes(_ kind: Kind) -> [NamedNode] { graph?.visibleNodes(matching: kind.glob) ?? [] }

    /// The node of an entry; nil: there is no such entry.
    func node(_ kind: Kind, _ id: String) -> NamedNode? {
        let name = kind.node(id)
        return tokens[name] == nil && revoked[name] == nil ? nil : graph?.existing(name)
    }

    // MARK: - Following

    /// Follows the graph that there is now.
    ///
    /// - Returns: whether tokens count no longer that did when this was called last.
    func follow() -> Bool {
        if lookedAt != host.definitionChanges {
            lookedAt = host.definitionChanges
            let present = host.held(Host.ownGraph)
            if present !== graph { take(present) }
        }
        defer { isNarrower = false }
        return isNarrower
    }

    private func take(_ present: LiveGraph?) {
        for kind in Kind.allCases { graph?.members.watchers.remove(self, from: kind.glob) }
        isNarrower = isNarrower || !tokens.isEmpty || present != nil
        (tokens, names, revoked, byIssuer) = ([:], [:], [:], [:])
        graph = present
        guard let present else { return }
        for kind in Kind.allCases {
            present.members.watchers.add(self, to: kind.glob)
            for node in present.visibleNodes(matching: kind.glob) { read(node) }
        }
    }

    func appeared(_ node: NamedNode) { coming.append(node) }

    func settled() {
        for node in coming { read(node) }
        coming = []
    }

    func vanished(_ node: NamedNode) {
        if let token = tokens.removeValue(forKey: node.name) {
            // Two servers may have been given the same hash at once.
            if names[token.digest] == node.name { names[token.digest] = nil }
            isNarrower = true
        }
        if let gone = revoked.removeValue(forKey: node.name) {
            byIssuer[gone.issuer]?.remove(gone.revocation)
            if byIssuer[gone.issuer]?.isEmpty == true { byIssuer[gone.issuer] = nil }
        }
    }

    private func read(_ node: NamedNode) {
        guard let value = node.living?.value?.text else { return }
        if node.name.hasPrefix(Kind.token.node("")), let token = try? Self.token(value) {
            tokens[node.name] = token
            names[token.digest] = node.name
        } else if let entry = try? Self.revoked(value) {
            revoked[node.name] = entry
            byIssuer[entry.issuer, default: Revocations()].insert(entry.revocation)
            isNarrower = true
        } else {
            log.warning("a stored token cannot be read", metadata: ["node": "\(node.name)"])
        }
    }

    // MARK: - Values

    /// Reads a token as the file of tokens has it.
    static func token(_ json: String) throws(HostError) -> Principal {
        let (tokens, problems) = TokenFile.read(try document("[\(json)]"), file: "")
        guard let token = tokens.first else { throw refusal(problems) }
        return token
    }

    /// Reads a revocation: an entry of `revoked` of an issuer, with its `issuer` and `expires`.
    static func revoked(_ json: String) throws(HostError) -> Revoked {
        let document = try document(json)
        let reader = DocumentReader(file: nil, options: DefinitionOptions())
        let known = Revocation.keys + ["issuer", "expires"]
        if let fields = IssuerFile.fields(document, "a revocation", known, needed: ["issuer"], reader) {
            let revocation = Revocation(fields, at: document.position, reader)
            let issuer = fields["issuer"].flatMap { reader.text($0, of: "issuer") }
            let expires = fields["expires"].flatMap { Revocation.moment($0, of: "expires", reader) }
            if let revocation, let issuer, reader.sortedProblems.isEmpty {
                return Revoked(
                    issuer: issuer,
                    revocation: revocation,
                    expires: expires.map { UInt64(max(0, $0) * 1000) }
                )
            }
        }
        throw refusal(reader.sortedProblems)
    }

    private static func document(_ json: String) throws(HostError) -> Document {
        do throws(DefinitionProblem) {
            return try Document.parse(json: json)
        } catch {
            throw HostError(.badJSON, error.message)
        }
    }

    private static func refusal(_ problems: [DefinitionProblem]) -> HostError {
        let messages = problems.prefix(3).map(\.message).joined(separator: "; ")
        var error = HostError(.badField, messages.isEmpty ? "an object is needed" : messages)
        error.hint = problems.first?.hint
        return error
    }

    // MARK: - Changing

    /// Keeps an entry, and takes out those that are over at `now`, milliseconds since 1970.
    ///
    /// `answer` is called once, now or in a later turn.
    func keep(
        _ kind: Kind,
        _ id: String,
        _ value: Datum,
        by: String?,
        at now: UInt64,
        _ answer: @escaping (Result<Applied, HostError>) -> Void
    ) {
        withGraph { [unowned self] result in
            do throws(HostError) {
                let graph = try result.get()
                guard let node = graph.node(kind.node(id)) else { throw host.noGraph }
                var commit = Commit(graph: graph)
                commit.by = by
                commit.set.append(Assignment(node, value))
                commit.clear = over(at: now, in: graph)
                submit(commit, answer)
            } catch {
                answer(.failure(error))
            }
        }
    }

    /// Takes an entry out.
    func remove(
        _ node: NamedNode,
        by: String?,
        _ answer: @escaping (Result<Applied, HostError>) -> Void
    ) {
        var commit = Commit(graph: node.graph)
        commit.by = by
        commit.clear.append(node)
        submit(commit, answer)
    }

    private func over(at now: UInt64, in graph: LiveGraph) -> [NamedNode] {
        let ends = tokens.mapValues(\.expires).merging(revoked.mapValues(\.expires)) { first, _ in first }
        let names = ends.compactMap { name, end in end.map { $0 <= now } == true ? name : nil }
        return names.sorted().prefix(Self.mostSwept).compactMap(graph.existing)
    }

    private func submit(_ commit: Commit, _ answer: @escaping (Result<Applied, HostError>) -> Void) {
        Self.await(host.submit(commit), answer)
    }

    private static func await(
        _ submission: Submission,
        _ answer: @escaping (Result<Applied, HostError>) -> Void
    ) {
        switch submission {
        case .applied(let applied): answer(.success(applied))
        case .refused(let error): answer(.failure(error))
        case .pending(let pending): pending.onAnswer(answer)
        }
    }

    /// Goes on with the graph, which is defined if there is none.
    private func withGraph(_ body: @escaping (Result<LiveGraph, HostError>) -> Void) {
        if let graph = host.held(Host.ownGraph) { return body(.success(graph)) }
        waiting.append(body)
        guard waiting.count == 1 else { return }
        do throws(HostError) {
            let (definition, problems) = GraphDefinition.read(
                try Self.document(Self.definition),
                file: nil,
                named: Host.ownGraph
            )
            guard let definition else { throw Self.refusal(problems) }
            Self.await(host.define(definition)) { [unowned self] in begin($0) }
        } catch {
            begin(.failure(error))
        }
    }

    /// The graph has begun, here or at another server, or cannot.
    private func begin(_ result: Result<Applied, HostError>) {
        let bodies = waiting
        waiting = []
        let found: Result<LiveGraph, HostError> =
            if let graph = host.held(Host.ownGraph) {
                .success(graph)
            } else if case .failure(let error) = result {
                .failure(error)
            } else {
                .failure(host.noGraph)
            }
        for body in bodies { body(found) }
    }
}
