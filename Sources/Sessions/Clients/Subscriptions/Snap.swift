internal import Graphs
internal import Commits
internal import Definitions
internal import Support
internal import Values

/// What a new subscription asks of its `snap` (docs/protocol.md, sub).
struct SnapRequest {
    var resume: Resume?
    /// Whether it includes the value.
    var initial = true
    /// How many values of the node's history it includes.
    var history = 0
    /// How long the chain is kept after the connection ends; nil: it is not kept, and gets no
    /// ticket.
    var keeping: Stage.Span?
    /// How the values go on, if the client is a server (S-9).
    var way: Way?

    init(resume: Resume?) {
        self.resume = resume
    }

    init(_ fields: Fields, in graph: LiveGraph) throws(HostError) {
        resume = try Resume(fields, in: graph)
        if let initial = try fields.bool(.initial) { self.initial = initial }
        let history = try fields.integer(.history, in: 0...NodeDefinition.longestHistory)
        if let history { self.history = history }
        way = try Way(fields)
        if let way { try graph.host.check(way) }
    }
}

/// The first message of a subscription to a node or a pipeline: its present state, and what its
/// client has missed.
struct Snap: ~Copyable {
    private let subscription: Subscription
    private let subject: Subject
    private let request: SnapRequest
    /// The ticket under which the client has taken its chain over.
    private let taken: KeptChain?

    private var resume: Resume? { request.resume }
    private var graph: LiveGraph { subscription.graph }
    private var limit: Int { graph.host.limits.hardBytes / 2 }

    init(
        _ subscription: Subscription,
        _ subject: Subject,
        _ request: SnapRequest,
        taken: KeptChain? = nil
    ) {
        self.subscription = subscription
        self.subject = subject
        self.request = request
        self.taken = taken
    }

    func send() {
        subscription.askForValues()
        if let chain = subscription.pipeline?.chain {
            send(chain)
        } else if let node = subject.node {
            send(node)
        }
        if subscription.isComplete { subscription.session.end(subscription, .complete) }
    }

    private func send(_ node: NamedNode) {
        let change = node.lastChange.rev
        guard resume != nil || request.history > 0 else { return answer(change: change, .start) }
        let missed = Missed(since: resume, of: node, newest: request.history, atMost: limit)
        let course = Resume.Course(change: change, late: graph.lateRev, isKept: taken != nil)
        answer(change: change, past(after: course, missed))
    }

    private func send(_ chain: Chains.Record) {
        let (graph, subject) = (graph, subject)
        var past = Former.start
        if resume != nil {
            let course = Resume.Course(
                isPrivate: subject.isPrivate,
                hasState: subject.hasState,
                change: subject.lastChange(in: graph)?.rev ?? graph.rev,
                built: chain.rev,
                late: graph.lateRev,
                isKept: taken != nil,
                hasNews: resume.flatMap { taken?.hasNews(after: $0.rev) }
            )
            past = self.past(after: course, nil)
        }
        answer(change: nil, past) { buffer in
            buffer.append(",\"chain\":\"")
            buffer.append(utf8: chain.hash.text)
            buffer.append("\",\"shared\":")
            buffer.append(decimal: chain.owners)
            guard graph.host.isShared, subject.hasState else { return }
            buffer.append(",\"local\":\"")
            buffer.append(utf8: graph.host.instance)
            buffer.append("\"")
        }
    }

    /// What the client gets besides the present state.
    private struct Former {
        /// Where a client that sent a cursor continues; nil: it sent none.
        var outcome: Resume.Outcome?
        var missed: Missed?

        /// Nothing: the client begins with the present.
        static var start: Former { Former() }
    }

    /// Finds where a client that sent a cursor continues.
    private func past(after course: Resume.Course, _ missed: Missed?) -> Former {
        guard let resume else { return Former(missed: missed) }
        var missed = missed
        if let emissions = taken?.emissions, missed?.isComplete != true {
            let kept = Missed(since: resume, emissions, atMost: limit)
            if kept.isComplete { missed = kept }
        }
        let outcome = resume.outcome(of: course, isAll: subscription.options.isAll, missed)
        return Former(outcome: outcome, missed: missed)
    }

    private func answer(change: UInt64?, _ past: Former, _ more: (inout ByteBuffer) -> Void = { _ in }) {
        let session = subscription.session
        let ticket = request.keeping.flatMap { session.giveTicket(to: subscription, keeping: $0) }
        session.answer(snapOf: subscription, change: change) { buffer in
            append(past, to: &buffer)
            if let ticket {
                buffer.append(",\"ticket\":\"")
                buffer.append(utf8: ticket.ticket.text)
                buffer.append("\",\"keep\":\"")
                buffer.append(utf8: ticket.span.text)
                buffer.append("\"")
            }
            more(&buffer)
        }
    }

    /// Appends `,"resumed":…`, the state where the client does not know it, and what it has missed.
    private func append(_ past: Former, to buffer: inout ByteBuffer) {
        let (options, outcome) = (subscription.options, past.outcome)
        if let outcome { buffer.append(outcome.isResumed ? ",\"resumed\":true" : ",\"resumed\":false") }
        let isReplayed = options.isAll && outcome?.isResumed == true
        if request.initial, !isReplayed, outcome?.isResumed != true || outcome?.isNews == true {
            buffer.append(",")
            subscription.appendState(to: &buffer)
            appendProvenance(outcome, to: &buffer)
        } else if request.initial, options.hasFacets {
            buffer.append(",")
            subscription.appendFacets(to: &buffer)
        }
        past.missed?.append(isReplay: isReplayed, causes: options.hasPath, to: &buffer)
    }

    /// A value that does not go on from the client's cursor goes out from its node, as a replay.
    private func appendProvenance(_ outcome: Resume.Outcome?, to buffer: inout ByteBuffer) {
        let names = subject.nodes
        guard subscription.options.hasPath, outcome?.isResumed != true, names.count == 1,
            let node = graph.existing(names[0])
        else { return }
        Provenance(ofValueOf: node).append(for: subscription.session.access, to: &buffer)
    }
}

extension Session {
    /// Sends a `snap` with these fields besides the cursor.
    func answer(
        snapOf subscription: Subscription,
        change: UInt64?,
        _ more: (inout ByteBuffer) -> Void
    ) {
        let graph = subscription.graph
        answer(id: nil, bytes: 0, as: .snapshot, of: graph) { buffer in
            Answer.begin("snap", id: subscription.id, to: &buffer)
            Answer.appendCursor(of: graph, to: &buffer)
            if let change, change != graph.rev {
                buffer.append(",\"c\":")
                buffer.append(decimal: change)
            }
            Answer.appendTime(of: graph, to: &buffer)
            more(&buffer)
            buffer.append("}")
        }
    }

    /// Gives a subscription a ticket; nil if its principal has as many as it may.
    fileprivate func giveTicket(to subscription: Subscription, keeping span: Stage.Span) -> KeptChain? {
        guard !subscription.isComplete else { return nil }
        let ticket = clients.sessions.kept.give(
            subscription,
            to: access?.name,
            keeping: span,
            account: account(makes: true)
        )
        subscription.ticket = ticket
        return ticket
    }
}
