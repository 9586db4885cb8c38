internal import HTTP
internal import Outbound
internal import Support
internal import Values

/// One connection to another Sluice, with the subscriptions that are made over it.
final class ServiceLink {
    private let client: WebSocketClient
    private(set) var isOpen = false
    var nodes: [UInt64: RemoteNode] = [:]

    /// A connection that is being made; `hear` is called with what comes, and `ended` once.
    init(
        _ client: WebSocketClient,
        opened: @escaping (ServiceLink) -> Void,
        hear: @escaping (ServiceLink, JSONReader) -> Void,
        ended: @escaping (UpstreamFailure) -> Void
    ) {
        self.client = client
        client.onOpen = { [unowned self] in
            isOpen = true
            opened(self)
        }
        client.onText = { [unowned self] text in
            do throws(JSONError) {
                let message = try JSONReader(checking: text)
                if message.kind == .array {
                    for element in message.elements { hear(self, element) }
                } else {
                    hear(self, message)
                }
            } catch {
                ended(UpstreamFailure(.answer, "the other server sent no JSON: \(error.explanation)"))
            }
        }
        client.onEnd = { result in
            switch result {
            case .failure(let failure): ended(UpstreamFailure(failure))
            case .success(let (code, reason)): ended(UpstreamFailure(closed: code, reason))
            }
        }
    }

    /// Sends one message.
    func send(_ write: (inout ByteBuffer) -> Void) {
        guard isOpen else { return }
        var buffer = ByteBuffer()
        write(&buffer)
        client.send(text: buffer.bytes)
    }

    /// Ends a node's subscription.
    func unsubscribe(_ remote: RemoteNode) {
        nodes[remote.id] = nil
        send { $0.append(utf8: "{\"op\":\"unsub\",\"id\":\(remote.id)}") }
    }

    func pauseReading(_ paused: Bool) { client.pauseReading(paused) }
}

extension UpstreamFailure {
    /// The other server has closed the connection (docs/protocol.md, liveness and close codes).
    fileprivate init(closed code: CloseCode, _ reason: String) {
        switch code.rawValue {
        case 4401, 4403, 4408: self.init(.forbidden, "the other server wants another token: \(reason)")
        default: self.init(.unreachable, "the other server has closed the connection: \(code.rawValue)")
        }
    }

    /// The other server has ended a subscription, or refused it.
    init(refusal code: String, _ message: String?) {
        let own: Code =
            switch code {
            case "unknown_graph", "unknown_node", "node_removed", "not_found": .notFound
            case "forbidden", "unauthenticated", "token_expired": .forbidden
            case "cycle": .cycle
            default: .refused
            }
        self.init(own, "the other server says \(code)\(message.map { ": \($0)" } ?? "")")
    }
}
