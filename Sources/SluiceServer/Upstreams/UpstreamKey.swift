internal import CEL
internal import Definitions
internal import HTTP
internal import Outbound
internal import Values

/// What an upstream is asked: equal for source nodes that share one request (S-2).
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

/// A member's part in a poll.
struct PollShare {
    let key: PollKey
    /// The member's text where members are joined, percent-encoded.
    let text: String
}

extension Feed.Poll {
    /// What is asked for a node, given the texts of its placeholders.
    ///
    /// - Throws: ``UpstreamFailure`` if the address is too long or the body cannot be computed.
    func share(
        of texts: [(placeholder: String, text: String)],
        at upstream: UpstreamDefinition
    ) throws(UpstreamFailure) -> PollShare {
        let (before, text, after) = target.pieces(for: texts)
        guard let url = upstream.address(of: before + text + (after ?? "")),
            let start = after == nil ? url : upstream.address(of: before)
        else { throw UpstreamFailure(.address, "the address is too long") }
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
        return PollShare(key: key, text: text)
    }
}
