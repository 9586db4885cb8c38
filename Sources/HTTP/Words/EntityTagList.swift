public import Support

/// Entity tags in conditional headers (RFC 9110 §8.8.3, §13.1): `*`, or a list of `"tag"` and
/// `W/"tag"`.
public enum EntityTagCondition {
    /// `*`: whatever is there.
    case any
    /// At least one tag; a view of the header value, which must last as long as this is used.
    case list(EntityTagList)

    /// Reads the value of `If-Match` or `If-None-Match`; nil where it is neither `*` nor a list of
    /// tags.
    public init?(_ value: BorrowedBytes) {
        if value.equals("*") {
            self = .any
            return
        }
        guard let list = EntityTagList(value) else { return nil }
        self = .list(list)
    }

    /// Whether one of the tags is the present one, or `*` meets what exists.
    ///
    /// The comparison is weak (RFC 9110 §8.8.3.2), for `If-Match` as well: our tags name versions,
    /// not bytes, and a proxy that compresses makes them weak (docs/http.md, Conditions).
    /// - Parameter tag: the present tag without quotes; nil where there is no representation, which
    ///   nothing matches.
    /// - Returns: whether the condition names this version.
    public func matches(_ tag: String?) -> Bool {
        guard let tag else { return false }
        switch self {
        case .any: return true
        case .list(let list): return tag.withBorrowedBytes { list.contains($0) }
        }
    }
}

/// A well-formed list of entity tags.
@safe public struct EntityTagList {
    private let bytes: BorrowedBytes

    init?(_ value: BorrowedBytes) {
        bytes = value
        var (isWellFormed, isEmpty) = (true, true)
        value.forEachListElement { element in
            isWellFormed = Self.opaque(element) != nil
            isEmpty = false
            return isWellFormed
        }
        guard isWellFormed, !isEmpty else { return nil }
    }

    /// Calls `body` with each tag, without `W/` and quotes, until it returns false.
    public func forEach(_ body: (_ tag: BorrowedBytes) -> Bool) {
        bytes.forEachListElement { element in Self.opaque(element).map(body) ?? true }
    }

    /// Whether the list has the tag, weak or not.
    public func contains(_ tag: BorrowedBytes) -> Bool {
        var found = false
        forEach { other in
            found = other.elementsEqual(tag)
            return !found
        }
        return found
    }

    /// What stands between the quotes of one tag; nil if it is invalid.
    private static func opaque(_ element: BorrowedBytes) -> BorrowedBytes? {
        var start = 0
        if element.count > 2, element[0] == UInt8(ascii: "W"), element[1] == UInt8(ascii: "/") {
            start = 2
        }
        guard element.count >= start + 2, element[start] == ASCII.quote,
            element.last == ASCII.quote
        else {
            return nil
        }
        let inner = element.part((start + 1)..<(element.count - 1))
        return inner.contains { $0 == ASCII.quote || $0 < 0x21 || $0 == 0x7F } ? nil : inner
    }
}
