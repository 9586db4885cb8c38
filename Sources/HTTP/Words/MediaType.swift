internal import Support

/// A media type as `Content-Type` gives it (RFC 9110 §8.3.1), and the rule which of them may carry
/// a JSON body.
@safe public struct MediaType {
    /// `type/subtype`, as sent; lent from the header value.
    public let essence: UnsafeRawBufferPointer
    /// The value of `charset`, without quotes; nil if there is none.
    public let charset: UnsafeRawBufferPointer?

    /// Reads a header value; nil if it is not a media type.
    public init?(_ value: UnsafeRawBufferPointer) {
        let split = unsafe value.firstIndex(of: UInt8(ascii: ";")) ?? value.count
        unsafe essence = unsafe UnsafeRawBufferPointer(rebasing: value[..<split]).trimmed
        guard let slash = unsafe essence.firstIndex(of: ASCII.slash), slash > 0,
            unsafe slash + 1 < essence.count
        else {
            return nil
        }
        for index in unsafe 0..<essence.count where unsafe index != slash && !ASCII.isToken(essence[index]) {
            return nil
        }
        var found: UnsafeRawBufferPointer?
        var start = split
        while start < value.count {
            start += 1
            var end = start
            while end < value.count, unsafe value[end] != UInt8(ascii: ";") {
                end += 1
            }
            let parameter = unsafe UnsafeRawBufferPointer(rebasing: value[start..<end]).trimmed
            if unsafe found == nil, parameter.count > 8,
                unsafe UnsafeRawBufferPointer(rebasing: parameter[..<8]).equalsIgnoringCase("charset=")
            {
                unsafe found = unsafe UnsafeRawBufferPointer(rebasing: parameter[8...]).unquoted
            }
            start = end
        }
        unsafe charset = unsafe found
    }

    /// Whether the type is `name`, which is in small letters.
    public func isType(_ name: StaticString) -> Bool {
        unsafe essence.equalsIgnoringCase(name)
    }

    /// Whether the body's text is UTF-8: said, ASCII, or not said.
    public var isUTF8: Bool {
        guard let charset = unsafe charset else { return true }
        return unsafe charset.equalsIgnoringCase("utf-8") || charset.equalsIgnoringCase("utf8")
            || charset.equalsIgnoringCase("us-ascii")
    }

    /// Whether a body with this `Content-Type` is taken as JSON: `application/json`, `text/plain`,
    /// form-urlencoded (so that `curl -d 21.5 URL` works; never form-decoded), or no type at all.
    ///
    /// Others are 415.
    public static func carriesJSON(_ value: UnsafeRawBufferPointer?) -> Bool {
        guard let value = unsafe value, value.count > 0 else { return true }
        if unsafe value.equals("application/json") || value.equals("application/x-www-form-urlencoded") {
            return true
        }
        guard let type = unsafe MediaType(value), type.isUTF8 else { return false }
        return type.isType("application/json") || type.isType("text/plain")
            || type.isType("application/x-www-form-urlencoded")
    }

    /// Whether the body is a JSON merge patch (RFC 7396), which only PATCH takes.
    public static func isMergePatch(_ value: UnsafeRawBufferPointer?) -> Bool {
        guard let value = unsafe value, let type = unsafe MediaType(value) else { return false }
        return type.isType("application/merge-patch+json") && type.isUTF8
    }
}
