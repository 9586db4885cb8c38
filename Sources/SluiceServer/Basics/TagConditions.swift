internal import HTTP
internal import Support
internal import Values

/// `If-Match` and `If-None-Match` on something with one entity tag, such as a definition or a
/// dashboard; kept beyond the request's head.
struct TagConditions: Sendable {
    private let ifMatch: [UInt8]?
    private let ifNoneMatch: [UInt8]?

    /// - Throws: `bad_request` if a field is invalid.
    init(_ head: RequestHead) throws(HostError) {
        func read(_ name: HeaderName, _ text: String) throws(HostError) -> [UInt8]? {
            guard let value = head.value(name) else { return nil }
            _ = try EntityTagCondition(value, of: text)
            return Array(value)
        }
        ifMatch = try read(.ifMatch, "If-Match")
        ifNoneMatch = try read(.ifNoneMatch, "If-None-Match")
    }

    /// The cause of a refusal of tags that no server of this kind makes.
    static let foreignTag = "no tag in If-Match has the form of this server's tags"
    static let foreignHint =
        "a proxy may have changed the tag, as Apache does unless it has 'DeflateAlterETag NoChange'"

    /// Whether `If-Match` allows a change of what has this tag; nil: there is no such thing.
    func allowsMatch(_ tag: String?) -> Bool {
        ifMatch.map { Self.holds($0, tag) } ?? true
    }

    /// Whether `If-None-Match` allows a change of what has this tag.
    func allowsNoMatch(_ tag: String?) -> Bool {
        ifNoneMatch.map { !Self.holds($0, tag) } ?? true
    }

    /// Whether no tag in `If-Match` can be one of a definition or a dashboard: a digest in
    /// hexadecimal digits.
    var isForeign: Bool {
        ifMatch?.withBorrowedBytes { value in
            guard case .list(let list) = EntityTagCondition(value) else { return false }
            var isForeign = true
            list.forEach { tag in
                isForeign = !tag.allSatisfy { ASCII.isDigit($0) || (0x61...0x66).contains($0) }
                return isForeign
            }
            return isForeign
        } ?? false
    }

    private static func holds(_ value: [UInt8], _ tag: String?) -> Bool {
        value.withBorrowedBytes { EntityTagCondition($0)?.matches(tag) ?? false }
    }
}

extension EntityTagCondition {
    /// Reads the value of a field.
    ///
    /// - Throws: `bad_request` if it is invalid.
    init(_ value: BorrowedBytes, of field: String) throws(HostError) {
        guard let condition = EntityTagCondition(value) else {
            throw HostError(.badRequest, "\(field) must be * or a list of quoted entity tags")
        }
        self = condition
    }
}
