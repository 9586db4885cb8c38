internal import Support

/// Entity tags in conditional headers (RFC 9110 §8.8.3, §13.1): `*`, or a list of `"tag"` and
/// `W/"tag"`.
public enum EntityTagCondition {
    /// `*`: whatever is there.
    case any
    /// At least one tag; a view of the header value, which must last as long as this is used.
    case list(EntityTagList)

    /// Reads the value of `If-Match` or `If-None-Match`; nil where it is neither `*` nor a list of
    /// tags.
    public init?(_ value: UnsafeRawBufferPointer) {
        if unsafe value.equals("*") {
            self = .any
            return
        }
        guard let list = unsafe EntityTagList(value) else { return nil }
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
        guard var tag else { return false }
        switch self {
        case .any: return true
        case .list(let list): return tag.withUTF8 { unsafe list.contains(UnsafeRawBufferPointer($0)) }
        }
    }
}

/// A well-formed list of entity tags.
@safe public struct EntityTagList {
    private let bytes: UnsafeRawBufferPointer

    /// The number of tags, at least one.
    public let count: Int

    init?(_ value: UnsafeRawBufferPointer) {
        unsafe bytes = unsafe value
        var count = 0
        var isWellFormed = true
        unsafe value.forEachListElement { element in
            isWellFormed = unsafe Self.opaque(element) != nil
            count += 1
            return isWellFormed
        }
        guard isWellFormed, count > 0 else { return nil }
        self.count = count
    }

    /// Calls `body` with each tag, without `W/` and quotes, until it returns false.
    public func forEach(_ body: (_ tag: UnsafeRawBufferPointer) -> Bool) {
        unsafe bytes.forEachListElement { element in unsafe Self.opaque(element).map(body) ?? true }
    }

    /// Whether the list has the tag, weak or not.
    public func contains(_ tag: UnsafeRawBufferPointer) -> Bool {
        var found = false
        unsafe forEach { other in
            found = unsafe other.elementsEqual(tag)
            return !found
        }
        return found
    }

    /// What stands between the quotes of one tag; nil if it is invalid.
    private static func opaque(_ element: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var start = 0
        if element.count > 2, unsafe element[0] == UInt8(ascii: "W"), unsafe element[1] == UInt8(ascii: "/") {
            start = 2
        }
        guard element.count >= start + 2, unsafe element[start] == ASCII.quote,
            unsafe element.last == ASCII.quote
        else {
            return nil
        }
        let inner = unsafe UnsafeRawBufferPointer(rebasing: element[(start + 1)..<(element.count - 1)])
        return unsafe inner.contains { $0 == ASCII.quote || $0 < 0x21 || $0 == 0x7F } ? nil : unsafe inner
    }
}
