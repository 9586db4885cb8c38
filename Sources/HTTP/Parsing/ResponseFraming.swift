/// What an answer has to know about its request.
///
/// Taken from the head, kept while the answer is pending.
public struct ResponseFraming: Sendable {
    /// The request was HEAD: the answer has the head of a GET and no body.
    public var omitsBody: Bool
    /// The connection stays open after the answer; otherwise the answer has `Connection: close`.
    public var keepsAlive: Bool
    /// The client speaks HTTP/1.0: keeping alive must be said, and chunks cannot be sent.
    public var isHTTP10: Bool

    public init(omitsBody: Bool = false, keepsAlive: Bool = true, isHTTP10: Bool = false) {
        self.omitsBody = omitsBody
        self.keepsAlive = keepsAlive
        self.isHTTP10 = isHTTP10
    }
}
