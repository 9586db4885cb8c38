internal import CEL
internal import Definitions
internal import HTTP
internal import Outbound
internal import Values

/// What is open: equal for source nodes that share it (S-2).
enum UpstreamKey: Hashable {
    case poll(PollKey)
    case stream(StreamKey)

    /// Scheme, host and port.
    var origin: String {
        switch self {
        case .poll(let key): key.origin
        case .stream(let key): key.origin
        }
    }

    /// Path and query, as far as all have the same.
    var target: String {
        switch self {
        case .poll(let key): key.target
        case .stream(let key): key.target
        }
    }

    var headers: [RequestHeader] {
        switch self {
        case .poll(let key): key.headers
        case .stream(let key): key.headers
        }
    }
}

/// A stream of events.
struct StreamKey: Hashable {
    let origin: String
    let target: String
    let headers: [RequestHeader]
}

/// A request.
struct PollKey: Hashable {
    let method: String
    /// Scheme, host and port.
    let origin: String
    /// Path and query up to where members are joined; all of it if they are not.
    let target: String
    /// What follows the joined members; nil: there are none.
    let rest: String?
    let headers: [RequestHeader]
    let body: [UInt8]?
    let isText: Bool
    /// How many members one request asks for at most.
    let batch: Int
}

/// A node's part in what is open.
struct UpstreamShare {
    let key: UpstreamKey
    /// The member's text where members are joined, percent-encoded.
    var text = ""
}

extension Feed {
    /// What is open for a node, given the texts of its placeholders.
    ///
    /// - Throws: ``UpstreamFailure`` if the address is too long or the body cannot be computed.
    func share(
        of texts: [(placeholder: String, text: String)],
        at upstream: UpstreamDefinition
    ) throws(UpstreamFailure) -> UpstreamShare {
        switch kind {
        case .poll(let poll): return try poll.share(of: texts, at: upstream)
        case .events(let events):
            guard let url = upstream.address(of: events.target.pieces(for: texts).before) else {
                throw .addressTooLong
            }
            let headers = upstream.headers + events.headers
            return UpstreamShare(
                key: .stream(StreamKey(origin: url.origin, target: url.target, headers: headers))
            )
        }
    }

    /// The names of the secrets that it needs.
    func secrets(at upstream: UpstreamDefinition) -> [String] {
        let own =
            switch kind {
            case .poll(let poll): poll.headers
            case .events(let events): events.headers
            }
        return (upstream.headers + own).compactMap(\.secret)
    }
}

extension Feed.Poll {
    fileprivate func share(
        of texts: [(placeholder: String, text: String)],
        at upstream: UpstreamDefinition
    ) throws(UpstreamFailure) -> UpstreamShare {
        let (before, text, after) = target.pieces(for: texts)
        guard let url = upstream.address(of: before + text + (after ?? "")),
            let start = after == nil ? url : upstream.address(of: before)
        else { throw .addressTooLong }
        var bytes: [UInt8]?
        if let body {
            do throws(EvaluationError) {
                let key = Value.map(ValueMap(texts.map { ($0.placeholder, .string($0.text)) }))
                let value = try body.program.evaluate(body.variables.isEmpty ? [] : [key])
                let datum: Datum
                do throws(JSONError) { datum = try Datum(tree: value) } catch {
                    throw EvaluationError(
                        code: .badValue,
                        message: "the body cannot be written as JSON",
                        offset: 0
                    )
                }
                bytes = datum.withBytes { Array($0) }
            } catch {
                throw UpstreamFailure(.body, error.message)
            }
        }
        let key = PollKey(
            method: method,
            origin: url.origin,
            target: start.target,
            rest: after,
            headers: upstream.headers + headers,
            body: bytes,
            isText: isText,
            batch: batch
        )
        return UpstreamShare(key: .poll(key), text: text)
    }
}
