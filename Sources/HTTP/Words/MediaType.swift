public import Support

/// A media type as `Content-Type` gives it (RFC 9110 §8.3.1), and the rule which of them may carry
/// a JSON body.
@safe public struct MediaType {
    /// `type/subtype`, as sent; lent from the header value.
    public let essence: BorrowedBytes
    /// The value of `charset`, without quotes; nil if there is none.
    public let charset: BorrowedBytes?

    /// Reads a header value; nil if it is not a media type.
    public init?(_ value: BorrowedBytes) {
        let split = value.firstIndex(of: UInt8(ascii: ";")) ?? value.count
        essence = value.part(..<split).trimmed
        guard let slash = essence.firstIndex(of: ASCII.slash), slash > 0,
            slash + 1 < essence.count
        else {
            return nil
        }
        for index in 0..<essence.count where index != slash && !ASCII.isToken(essence[index]) {
            return nil
        }
        var found: BorrowedBytes?
        var start = split
        while start < value.count {
            start += 1
            var end = start
            while end < value.count, value[end] != UInt8(ascii: ";") {
                end += 1
            }
            let parameter = value.part(start..<end).trimmed
            if found == nil, parameter.count > 8,
                parameter.part(..<8).equalsIgnoringCase("charset=")
            {
                found = parameter.part(8...).unquoted
            }
            start = end
        }
        charset = found
    }

    /// Whether the type is `name`, which is in small letters.
    public func isType(_ name: StaticString) -> Bool {
        essence.equalsIgnoringCase(name)
    }

    /// Whether the body's text is UTF-8: said, ASCII, or not said.
    public var isUTF8: Bool {
        guard let charset = charset else { return true }
        return charset.equalsIgnoringCase("utf-8") || charset.equalsIgnoringCase("utf8")
            || charset.equalsIgnoringCase("us-ascii")
    }

    /// Whether a body with this `Content-Type` is taken as JSON: `application/json`, `text/plain`,
    /// form-urlencoded (so that `curl -d 21.5 URL` works; never form-decoded), or no type at all.
    ///
    /// Others are 415.
    public static func carriesJSON(_ value: BorrowedBytes?) -> Bool {
        guard let value = value, value.count > 0 else { return true }
        if value.equals("application/json") || value.equals("application/x-www-form-urlencoded") {
            return true
        }
        guard let type = MediaType(value), type.isUTF8 else { return false }
        return type.isType("application/json") || type.isType("text/plain")
            || type.isType("application/x-www-form-urlencoded")
    }

    /// Whether the body is a JSON merge patch (RFC 7396), which only PATCH takes.
    public static func isMergePatch(_ value: BorrowedBytes?) -> Bool {
        guard let value = value, let type = MediaType(value) else { return false }
        return type.isType("application/merge-patch+json") && type.isUTF8
    }
}
