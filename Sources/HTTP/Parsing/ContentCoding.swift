public import Support

/// The content codings of a request's body (RFC 9110 §8.4).
public enum ContentCoding: Sendable {
    case none
    /// `gzip`, or its old name `x-gzip`.
    case gzip
    /// Anything else, several codings included.
    case unknown

    /// Reads `Content-Encoding`; nil where there is none.
    public init(_ value: BorrowedBytes?) {
        var coding = ContentCoding.none
        value?.forEachListElement { element in
            if element.equalsIgnoringCase("identity") { return true }
            let isGzip = element.equalsIgnoringCase("gzip") || element.equalsIgnoringCase("x-gzip")
            coding = coding == .none && isGzip ? .gzip : .unknown
            return coding == .gzip
        }
        self = coding
    }
}

extension RequestParser {
    /// What a slice of inflating came to.
    public enum Inflation {
        /// There is more to do: call again, in a later turn.
        case more
        /// `body` has the inflated bytes.
        case done
        /// They would be more than a body may have.
        case tooLarge
        /// The body is not gzip, or is cut off.
        case malformed
    }
}
