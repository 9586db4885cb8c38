internal import HTTP

/// What became of the content coding of a request's body (RFC 9110 §8.4).
enum BodyDecoding {
    /// The parser has the body without a coding.
    case done
    /// The body is long: the rest of it is inflated in later turns.
    case unfinished
    case refused(Refusal)

    /// Whether the body of the connection's request has no coding any more.
    ///
    /// If not, the request is refused, or handled again in the next turn.
    static func isDone(on connection: HTTPConnection) -> Bool {
        switch BodyDecoding(connection.parser) {
        case .done: return true
        case .unfinished: connection.continueInNextTurn()
        case .refused(let refusal): connection.refuse(refusal)
        }
        return false
    }

    /// Undoes the coding of the body at hand, or a part of it.
    private init(_ parser: RequestParser) {
        guard !parser.body.isEmpty else {
            self = .done
            return
        }
        let value = parser.head.value(.contentEncoding)
        switch ContentCoding(value) {
        case .none: self = .done
        case .gzip: self.init(parser.inflateBody(), limit: parser.bodyLimit, parser.head.allowsLongBody)
        case .unknown:
            let name = value.map { String(decoding: $0.prefix(64), as: UTF8.self) } ?? ""
            var refusal = Refusal(
                .unsupportedType,
                "Content-Encoding '\(name)' is not supported: send the body as gzip, or as it is"
            )
            refusal.acceptEncoding = "gzip"
            self = .refused(refusal)
        }
    }

    private init(_ inflation: RequestParser.Inflation, limit: Int, _ isLong: Bool) {
        switch inflation {
        case .done: self = .done
        case .more: self = .unfinished
        case .tooLarge:
            let key = Refusal.bodyLimit(isLong)
            let message = "the inflated body has more than \(limit) bytes, the most allowed (\(key))"
            self = .refused(Refusal(.tooLarge, message))
        case .malformed:
            let message = "the body is not gzip, as Content-Encoding says, or is cut off"
            self = .refused(Refusal(.badRequest, message))
        }
    }
}
