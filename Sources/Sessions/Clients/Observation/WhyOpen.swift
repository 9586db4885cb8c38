public import Graphs
internal import Definitions
internal import ReactiveGraph
public import Support

/// The upstream of a source node, and what keeps it open (`why`; S-10).
struct WhyOpen {
    private let node: NamedNode
    private let open: OpenUpstream?
    private let listens: [Subscription]
    private let held: [NamedNode]
    private let isCut: Bool

    /// The upstream of a source node, with at most `limit` reasons.
    init(_ node: NamedNode, limit: Int) {
        self.node = node
        open = node.graph.host.handlers.upstreams?.upstream(of: node)
        let reasons = node.graph.demand?.reasons(for: node, atMost: limit + 1)
        let (listens, held) = (reasons?.listens ?? [], reasons?.held ?? [])
        isCut = listens.count + held.count > limit
        self.held = Array(held.prefix(limit))
        self.listens = listens.prefix(limit - self.held.count).compactMap(Subscription.of)
    }

    private var absence: UpstreamAbsence {
        guard node.graph.demand?.isWanted(node.name) == true else { return .closed }
        return node.graph.host.isLeading ? .refused : .elsewhere
    }

    /// Appends `{"node","u","from","state",…,"for":[…]}`.
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.member("node", node.name)
        if let open {
            open.appendMembers(at: node.graph.host.clock.wall, to: &buffer)
        } else {
            buffer.member("state", absence.rawValue)
            if absence == .refused {
                buffer.member("failure", node.graph.facets.facets(of: node).error?.message)
            }
        }
        buffer.member("for", list: reasons) { $0.append(to: &$1) }
        if node.graph.demand?.isWantedElsewhere(node.name) == true { buffer.member("elsewhere", true) }
        if isCut { buffer.member("more", true) }
        buffer.append("}")
    }

    /// A connection with its subscriptions, or a node that is held always.
    private enum Reason {
        case listener(Session, [Subscription])
        case held(NamedNode)

        func append(to buffer: inout ByteBuffer) {
            buffer.append("{")
            switch self {
            case .listener(let session, let subscriptions):
                buffer.member("l", Picture.Holder.connection(session.number).text)
                buffer.member("client", session.client)
                buffer.member("transport", session.kind.rawValue)
                buffer.member("subs", list: subscriptions.map(\.id)) { $1.append(decimal: $0) }
            case .held(let node):
                buffer.member("node", node.name)
                buffer.member("because", node.reasonToHold.rawValue)
            }
            buffer.append("}")
        }
    }

    private var reasons: [Reason] {
        var order: [UInt64] = []
        var bySession: [UInt64: (session: Session, subscriptions: [Subscription])] = [:]
        for subscription in listens {
            let session = subscription.session
            if bySession[session.number] == nil {
                order.append(session.number)
                bySession[session.number] = (session, [])
            }
            if bySession[session.number]?.subscriptions.last !== subscription {
                bySession[session.number]?.subscriptions.append(subscription)
            }
        }
        let listeners = order.compactMap { number in
            bySession[number].map { Reason.listener($0.session, $0.subscriptions) }
        }
        return listeners + held.map(Reason.held)
    }
}

/// Why no upstream is open at this server for a source node.
package enum UpstreamAbsence: String, CaseIterable {
    /// Nothing needs it.
    case closed
    /// Another server asks it.
    case elsewhere
    /// It could not be opened: the node's error says why.
    case refused
}

/// Why a node is held although nothing listens, and keeps upstreams open by that.
package enum HoldingReason: String, CaseIterable {
    /// It raises an alarm.
    case severity
    /// It collects values.
    case history
    /// Its definition says so.
    case retain
    /// Its value depends on earlier ones.
    case memory
}

extension NamedNode {
    fileprivate var reasonToHold: HoldingReason {
        if definition.alarm != nil { return .severity }
        if definition.history.isKept { return .history }
        return definition.statedRetain == .always ? .retain : .memory
    }
}

extension OpenUpstream {
    /// Appends `,"u":"u:3","from":"http://127.0.0.1:9191","state":"waiting","dueIn":8210`, at a
    /// time in milliseconds since 1970.
    public func appendMembers(at now: UInt64, to buffer: inout ByteBuffer) {
        buffer.member("u", name)
        buffer.member("from", origin)
        buffer.member("state", state)
        buffer.member("dueIn", dueAt.map { $0 > now ? $0 - now : 0 })
        guard let failure else { return }
        buffer.member("failure", failure.message)
        buffer.member("status", failure.status)
        buffer.member("retryAt", failure.retryAt)
        buffer.member("retryIn", failure.retryAt > now ? failure.retryAt - now : 0)
    }
}
