/// A refusal by the server or by the client.
///
/// Programs use ``code``; ``message`` is for people and may change.
public struct SluiceError: Error, Sendable {
    /// A code of the server, or one of the client's own: `not-connected`, `unknown-outcome`,
    /// `key-expired`, `bad-address`, `no-transport`.
    public let code: String
    /// What is wrong, for people.
    public let message: String
    /// What it is about: `graph` or `graph/node`.
    public let path: String?
    /// What the client probably meant, or what to do.
    public let hint: String?
    /// Every problem of a pipeline or an expression, with its place.
    public let problems: [JSONValue]
    /// Whether the same request may succeed later.
    public let canRetry: Bool
    /// How long to wait before that.
    public let retryAfter: Duration?
    /// With `conflict`: the nodes whose condition does not hold, with what they hold.
    public let failed: [JSONValue]
    /// With `unknown-outcome`: the key under which the set was sent.
    public let key: String?

    let again: (@Sendable () async throws -> JSONObject)?

    init(
        _ code: String,
        _ message: String,
        path: String? = nil,
        key: String? = nil,
        again: (@Sendable () async throws -> JSONObject)? = nil
    ) {
        self.init(
            [
                "code": .string(code), "msg": .string(message), "key": key.map(JSONValue.string) ?? nil,
            ],
            path: path,
            again: again
        )
    }

    /// The error that the server reports in a message `err` or `end`.
    init(
        _ message: JSONObject,
        path: String? = nil,
        again: (@Sendable () async throws -> JSONObject)? = nil
    ) {
        code = message["code"]?.string ?? "internal"
        self.message = message["msg"]?.string ?? code
        self.path = path
        hint = message["hint"]?.string
        problems = message["problems"]?.array ?? []
        canRetry = message["retry"]?.bool ?? false
        retryAfter = message["after"]?.int.map { .milliseconds($0) }
        failed = message["failed"]?.array ?? []
        key = message["key"]?.string
        self.again = again
    }

    /// Sends a set with `unknown-outcome` again under the same key, which cannot apply it twice.
    ///
    /// The server knows the key for ten minutes after the set was first sent.
    ///
    /// - Throws: `key-expired` after that time, and what the first set could throw. The error
    ///   itself if it is not an `unknown-outcome`.
    @discardableResult
    public func `repeat`() async throws -> Applied {
        guard let again else { throw self }
        return Applied(try await again())
    }
}

extension SluiceError: CustomStringConvertible {
    /// One line: the code, the path, the message, and the hint.
    public var description: String {
        let place = path.map { " (\($0))" } ?? ""
        let advice = hint.map { "; \($0)" } ?? ""
        return "\(code)\(place): \(message)\(advice)"
    }
}
