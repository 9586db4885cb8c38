internal import CEL
internal import Definitions
internal import HTTP
internal import Outbound
internal import Support
internal import Values

/// What is open: equal for source nodes that share it (S-2).
struct UpstreamKey: Hashable {
    /// Scheme, host and port.
    let origin: String
    /// Path and query, as far as all have the same.
    let target: String
    var headers: [RequestHeader] = []
    let kind: Kind

    enum Kind: Hashable {
        case poll(PollKey)
        case events
        /// A WebSocket, and what is sent when it is open.
        case socket(greeting: String?)
        /// A topic of a broker.
        case topic(BrokerKey)
        /// Another Sluice: all its nodes come over the same connection.
        case service
    }
}

/// What distinguishes a request from others to the same address.
struct PollKey: Hashable {
    let method: String
    /// What follows the joined members; nil: there are none.
    let rest: String?
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
    /// The node of another Sluice.
    var remote: RemoteName?
}

/// A node of another Sluice.
struct RemoteName: Hashable {
    let graph: String
    let node: String
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
            return UpstreamShare(
                key: try upstream.key(events.target, for: texts, headers: events.headers, .events)
            )
        case .socket(let socket):
            let greeting = socket.greeting?.text(for: texts)
            let kind = UpstreamKey.Kind.socket(greeting: greeting)
            return UpstreamShare(
                key: try upstream.key(socket.target, for: texts, headers: socket.headers, kind)
            )
        case .topic(let topic):
            let text = topic.topic.text(for: texts) { $0 }
            guard let broker = BrokerKey(upstream), TopicText.isValid(text) else {
                throw UpstreamFailure(.address, "this cannot be a topic")
            }
            return UpstreamShare(
                key: UpstreamKey(origin: broker.url.origin, target: text, kind: .topic(broker))
            )
        case .node(let name):
            guard case .service(let path, let graph, let headers) = upstream.kind else {
                throw UpstreamFailure(.address, "the upstream is no graph of another Sluice")
            }
            let key = UpstreamKey(
                origin: upstream.url.origin,
                target: path,
                headers: headers,
                kind: .service
            )
            let node = name.text(for: texts) { $0 }
            return UpstreamShare(key: key, remote: RemoteName(graph: graph, node: node))
        }
    }
}

extension UpstreamDefinition {
    /// What is open at an address below this one.
    fileprivate func key(
        _ target: Template,
        for texts: [(placeholder: String, text: String)],
        headers own: [RequestHeader],
        _ kind: UpstreamKey.Kind
    ) throws(UpstreamFailure) -> UpstreamKey {
        guard let url = address(of: target.text(for: texts, encoding: { PercentEncoding.encoded($0) })) else {
            throw .addressTooLong
        }
        return UpstreamKey(origin: url.origin, target: url.target, headers: headers + own, kind: kind)
    }
}

extension Feed.Poll {
    fileprivate func share(
        of texts: [(placeholder: String, text: String)],
        at upstream: UpstreamDefinition
    ) throws(UpstreamFailure) -> UpstreamShare {
        let (before, text, after) = target.pieces(for: texts, encoding: { PercentEncoding.encoded($0) })
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
        let poll = PollKey(method: method, rest: after, body: bytes, isText: isText, batch: batch)
        return UpstreamShare(
            key: UpstreamKey(
                origin: url.origin,
                target: start.target,
                headers: upstream.headers + headers,
                kind: .poll(poll)
            ),
            text: text
        )
    }
}
