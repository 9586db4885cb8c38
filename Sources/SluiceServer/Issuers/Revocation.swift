internal import CEL
internal import Definitions
internal import JOSE
internal import Values

/// A token of an issuer, or those of a subject, that no longer count.
struct Revocation: Hashable {
    static let keys = ["jti", "sub", "before"]

    /// The claim `jti` that a token must have; nil: any.
    let id: String?
    /// The same for `sub`; one of both is there.
    let subject: String?
    /// Only tokens that were issued before this count no longer, in seconds since 1970; nil: all.
    let before: Double?

    init(id: String?, subject: String?, before: Double? = nil) {
        (self.id, self.subject, self.before) = (id, subject, before)
    }

    /// Reads the fields of an entry; reports what is wrong with it.
    init?(_ fields: [String: Document], at position: Position, _ reader: DocumentReader) {
        guard fields["jti"] != nil || fields["sub"] != nil else {
            reader.add("an entry of 'revoked' needs 'jti' or 'sub'", at: position)
            return nil
        }
        before = fields["before"].flatMap { Self.moment($0, of: "before", reader) }
        id = fields["jti"].flatMap { reader.text($0, of: "jti") }
        subject = fields["sub"].flatMap { reader.text($0, of: "sub") }
        guard id != nil || subject != nil, (before != nil) == (fields["before"] != nil) else { return nil }
    }

    /// A time, in seconds since 1970.
    static func moment(_ document: Document, of key: String, _ reader: DocumentReader) -> Double? {
        guard let moment = document.scalar.flatMap({ CEL.Timestamp(rfc3339: $0.text) }) else {
            reader.add("'\(key)' must be a time such as 2027-01-01T00:00:00Z", at: document.position)
            return nil
        }
        return Double(moment.seconds)
    }

    func covers(_ claims: RegisteredClaims) -> Bool {
        if let id, claims.id != id { return false }
        if let subject, claims.subject != subject { return false }
        // A token that does not say when it was issued may be an old one.
        guard let before, let issuedAt = claims.issuedAt else { return true }
        return issuedAt < before
    }
}

/// What is revoked of one issuer, found by a token without looking at all of it.
struct Revocations {
    private var byID: [String: [Revocation]] = [:]
    private var bySubject: [String: [Revocation]] = [:]

    init(_ all: [Revocation] = []) {
        for revocation in all { insert(revocation) }
    }

    var isEmpty: Bool { byID.isEmpty && bySubject.isEmpty }

    mutating func insert(_ revocation: Revocation) {
        if let id = revocation.id {
            byID[id, default: []].append(revocation)
        } else if let subject = revocation.subject {
            bySubject[subject, default: []].append(revocation)
        }
    }

    /// Takes one back; an equal one that was inserted besides stays.
    mutating func remove(_ revocation: Revocation) {
        if let id = revocation.id {
            Self.remove(revocation, from: &byID[id])
        } else if let subject = revocation.subject {
            Self.remove(revocation, from: &bySubject[subject])
        }
    }

    private static func remove(_ revocation: Revocation, from list: inout [Revocation]?) {
        if let place = list?.firstIndex(of: revocation) { list?.remove(at: place) }
        if list?.isEmpty == true { list = nil }
    }

    func cover(_ claims: RegisteredClaims) -> Bool {
        guard !isEmpty else { return false }
        let meant = (claims.id.flatMap { byID[$0] } ?? []) + (bySubject[claims.subject] ?? [])
        return meant.contains { $0.covers(claims) }
    }
}
