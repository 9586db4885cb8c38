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
        if value.equals("*") {
            self = .any
            return
        }
        guard let list = EntityTagList(value) else { return nil }
        self = .list(list)
    }

    /// Whether `If-None-Match` says that the client has this tag already: weak comparison.
    /// - Parameter tag: the present tag without quotes; nil where there is no representation, which
    ///   only matches nothing.
    /// - Returns: whether a conditional read is answered with 304.
    public func matchesWeakly(_ tag: String?) -> Bool { matches(tag, strongly: false) }

    /// Whether `If-Match` allows the change: strong comparison, as compare-and-set needs it.
    /// - Parameter tag: the present tag without quotes; nil where there is no representation.
    /// - Returns: whether the change may go on; otherwise 412.
    public func matchesStrongly(_ tag: String?) -> Bool { matches(tag, strongly: true) }

    private func matches(_ tag: String?, strongly: Bool) -> Bool {
        guard var tag else { return false }
        switch self {
        case .any: return true
        case .list(let list):
            return tag.withUTF8 { list.contains(UnsafeRawBufferPointer($0), strongly: strongly) }
        }
    }
}

/// A well-formed list of entity tags.
public struct EntityTagList {
    private let bytes: UnsafeRawBufferPointer

    /// The number of tags, at least one.
    public let count: Int

    init?(_ value: UnsafeRawBufferPointer) {
        bytes = value
        var count = 0
        var isWellFormed = true
        value.forEachListElement { element in
            isWellFormed = Self.opaque(element) != nil
            count += 1
            return isWellFormed
        }
        guard isWellFormed, count > 0 else { return nil }
        self.count = count
    }

    /// Calls `body` with each tag, without quotes, until it returns false.
    public func forEach(_ body: (_ tag: UnsafeRawBufferPointer, _ isWeak: Bool) -> Bool) {
        bytes.forEachListElement { element in
            Self.opaque(element).map { body($0, element[0] != ASCII.quote) } ?? true
        }
    }

    /// Whether the list has the tag; strongly means that weak tags do not count.
    public func contains(_ tag: UnsafeRawBufferPointer, strongly: Bool) -> Bool {
        var found = false
        forEach { other, isWeak in
            found = !(strongly && isWeak) && other.elementsEqual(tag)
            return !found
        }
        return found
    }

    /// What stands between the quotes of one tag; nil if it is invalid.
    private static func opaque(_ element: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var start = 0
        if element.count > 2, element[0] == UInt8(ascii: "W"), element[1] == UInt8(ascii: "/") {
            start = 2
        }
        guard element.count >= start + 2, element[start] == ASCII.quote, element.last == ASCII.quote else {
            return nil
        }
        let inner = UnsafeRawBufferPointer(rebasing: element[(start + 1)..<(element.count - 1)])
        return inner.contains { $0 == ASCII.quote || $0 < 0x21 || $0 == 0x7F } ? nil : inner
    }
}
