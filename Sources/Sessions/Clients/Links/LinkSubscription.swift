internal import Graphs
internal import Definitions
internal import ReactiveGraph
internal import Values

/// A link that a client has made, or one direction of its `sync`: it listens as a
/// subscription does, and sets another node to each value that it receives.
///
/// What it delivers to its client is only why a value was not set (``report(_:)``).
final class LinkSubscription: Subscription {
    let link: ClientLink
    /// The first direction of a `sync`, if this is the second one: it has the client's id and
    /// owners.
    private weak var first: LinkSubscription?
    /// The second direction; both end together.
    private weak var second: LinkSubscription?
    /// How many values wait to be set, or for the log.
    private(set) var waiting = 0
    /// No further values are taken: too much waits, in this link or in all of its session.
    private var isFull = false

    init(id: UInt64, session: Session, options: SubscriptionOptions, _ link: ClientLink) {
        self.link = link
        super.init(id: id, session: session, graph: link.to.graph, options: options)
    }

    /// The opposite direction of `other`, which has been made.
    init(opposite other: LinkSubscription, _ link: ClientLink) {
        self.link = link
        first = other
        super.init(id: other.id | 1 << 60, session: other.session, graph: other.graph, options: other.options)
        other.second = self
    }

    override var whole: Subscription { first ?? self }

    override var isOverHeld: Bool { isFull }

    /// Whether the client may still set the node that it leads to.
    func isAllowed(_ access: Access) -> Bool { access.rights(on: link.to).isSuperset(of: [.set, .link]) }

    override func leave(_ names: Set<String>, _ nodes: Set<UInt64>) -> Bool {
        super.leave(names, nodes) || names.contains(link.toName)
    }

    /// Sets the node to the present value, as a link does when it is connected (G-21).
    ///
    /// What a `sync` begins with counts as newer than all before it, so it is not what a commit on
    /// its way is about to change.
    func replay() {
        guard !isEnded, !session.isClosed else { return }
        if link.kind == .sync, link.from.pending != nil {
            return graph.afterPending { [weak self] in self?.replay() }
        }
        guard let value = node?.value else { return }
        let birth = link.kind == .sync ? graph.clients.links.begin(from: link.from) : 0
        lead(value, Provenance(ofValueOf: link.from), madeAt: birth)
    }

    override func queue(_ value: Datum?) {
        if value == nil, lastIsEmpty { return }
        lastIsEmpty = value == nil
        let birth = graph.clients.links.birth(ofChangeAt: graph.present.rev, of: link.fromName)
        lead(value, Provenance(ofDeliveredBy: sourceID, in: graph), madeAt: birth)
    }

    /// Puts a value into the queue of what the session's links set, unless it has passed the node.
    ///
    /// In a `sync` the newest change wins: a commit that changes both nodes, or a later one that
    /// changes the other, leaves that as it is. What a `sync` has led there is as old as what it
    /// goes back to.
    private func lead(_ value: Datum?, _ provenance: Provenance, madeAt birth: UInt64) {
        guard !isEnded, !isFull, !session.isClosed else { return }
        if let value, value.isFail { return report(value) }
        var commit = Commit(graph: graph)
        if let value { commit.set.append(Assignment(link.to, value)) } else { commit.clear.append(link.to) }
        guard let path = provenance.path else {
            return report(.fail("cycle_limit", at: place, "the links did not settle"))
        }
        commit.isOfLink = true
        commit.path = path
        commit.skipPassed()
        guard !commit.isVoid else { return }
        if link.kind == .sync, birth > 0 {
            commit.birth = birth
            commit.conditions.append(Condition(link.to, olderThan: birth))
            commit.epoch = graph.epoch
        }
        waiting += 1
        let bytes = session.madeExtras.madeLinks.add(LinkEffect(of: self, value, commit))
        session.clients.links.mark(session)
        guard waiting > whole.options.queue || bytes > session.host.limits.hardBytes else { return }
        isFull = true
        session.overflow()
    }

    private var place: String { link.kind.rawValue }

    override func completed() { session.clients.links.noteComplete(self) }

    /// Ends with `complete` once a `prefix` stage has received its last value and that is set.
    func endIfComplete() {
        guard isComplete, waiting == 0, !isEnded, !session.isClosed else { return }
        session.end(self, .complete)
    }

    /// One of its values has been set, or was refused.
    func settled(_ result: Result<Applied, HostError>, _ value: Datum?) {
        waiting -= 1
        guard !isEnded, !session.isClosed else { return }
        switch result {
        case .success:
            guard link.refusal != nil else { return }
            link.refusal = nil
            send(value)
        case .failure(let error):
            switch error.code {
            case .conflict where link.kind == .sync && error.retry != true: break
            case .unknownNode, .notMutable, .unknownGraph: session.end(self, .nodeRemoved)
            default: report(.fail(error.code.rawValue, at: place, error.message))
            }
        }
        if isComplete { session.clients.links.noteComplete(self) }
    }

    /// Sends why the last value was not set; the same reason is sent once, until a value is set
    /// again.
    private func report(_ refusal: Datum) {
        guard link.refusal.map({ $0 != refusal }) ?? true else { return }
        link.refusal = refusal
        send(refusal)
    }

    private func send(_ value: Datum?) { session.queue(whole, value, bytes: value?.byteCount ?? 12) }

    override func release() {
        super.release()
        graph.clients.links.remove(link)
        for other in [first, second] { if let other { session.end(other, because: EndCode.done.rawValue) } }
    }
}
