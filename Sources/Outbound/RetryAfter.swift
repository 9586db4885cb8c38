internal import HTTP
internal import Support

/// The header field `Retry-After` (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// Milliseconds from `now`, in milliseconds since 1970: the field has seconds or a date; nil
    /// where it has neither.
    package static func milliseconds(_ text: String, from now: Int64) -> Int? {
        // More digits than that are too long a time.
        if !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy(ASCII.isDigit) {
            return Int(text).map { $0 * 1_000 }
        }
        return HTTPDate.unixSeconds(of: text).map { max(0, Int($0 * 1_000 - now)) }
    }
}

extension HTTPClient.Answer {
    /// How long the server wants not to be asked, in milliseconds; dates count by its own clock.
    package func retryPause(at now: Int64) -> Int? {
        let sent = date.flatMap { HTTPDate.unixSeconds(of: $0) }.map { $0 * 1_000 }
        return retryAfter.flatMap { RetryAfter.milliseconds($0, from: sent ?? now) }
    }

    /// How long the answer stays right, in milliseconds (RFC 9111 section 5.2.2.1); nil where it
    /// does not say so.
    package var maxAge: Int? {
        guard let cacheControl else { return nil }
        var age: Int?
        for part in cacheControl.lowercased().split(separator: ",") {
            let words = part.split(separator: "=", maxSplits: 1)
            let name = words[0].drop { $0 == " " }
            if name.hasPrefix("no-store") || name.hasPrefix("no-cache") { return nil }
            guard name == "max-age", words.count == 2 else { continue }
            let digits = words[1].prefix { $0.isASCII && $0.isNumber }
            age = digits.count > 9 ? nil : Int(digits).map { $0 * 1_000 }
        }
        return age
    }
}
