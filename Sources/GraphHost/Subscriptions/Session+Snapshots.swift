internal import ReactiveGraph
internal import Support

// The answer to a `sub`.
extension Session {
    /// Sends the present state of a subscription; `taken` is the ticket under which the client has
    /// taken its chain over.
    func tellSnap(
        of subscription: Subscription,
        _ subject: Subject,
        _ resume: Resume?,
        _ taken: KeptChain?,
        _ keeping: Stage.Span?
    ) {
        subscription.graph.loadFor(subscription)
        switch subject {
        case .node(let node): tellSnap(of: subscription, node, resume, taken, keeping)
        case .pipeline(let source, let pipe): tellSnap(of: subscription, source, pipe, resume, taken, keeping)
        }
        if subscription.isComplete { end(subscription, .complete) }
    }

    private func tellSnap(
        of subscription: Subscription,
        _ node: NamedNode,
        _ resume: Resume?,
        _ taken: KeptChain?,
        _ keeping: Stage.Span?
    ) {
        let options = subscription.options
        let change = node.lastChange.rev
        var start = SnapStart()
        if resume != nil || options.history > 0 {
            start.missed = Missed(since: resume, of: node, options, atMost: host.limits.hardBytes / 2)
        }
        if let resume {
            let course = Resume.Course(change: change, late: subscription.graph.lateRev, isKept: taken != nil)
            start.resume(resume, course, options, taken, atMost: host.limits.hardBytes / 2)
        }
        answerSnap(of: subscription, change: change, start, keeping)
    }

    private func tellSnap(
        of subscription: Subscription,
        _ source: Source,
        _ pipe: [Stage],
        _ resume: Resume?,
        _ taken: KeptChain?,
        _ keeping: Stage.Span?
    ) {
        let graph = subscription.graph
        let chain = subscription.pipeline?.chain
        var start = SnapStart()
        if let resume {
            let course = Resume.Course(
                isPrivate: source.operator.isPrivate || pipe.contains(where: \.isPrivate),
                hasState: Resume.hasState(source, pipe),
                change: source.nodes.lazy.compactMap { graph.node($0)?.lastChange.rev }.max() ?? graph.rev,
                built: chain?.rev,
                late: graph.lateRev,
                isKept: taken != nil
            )
            start.resume(resume, course, subscription.options, taken, atMost: host.limits.hardBytes / 2)
        }
        answerSnap(of: subscription, change: nil, start, keeping) { buffer in
            buffer.append(",\"chain\":\"")
            buffer.append(utf8: chain?.key.hashText ?? ChainKey.hashText(source, pipe))
            buffer.append("\",\"shared\":")
            buffer.append(decimal: subscription.sharers)
            guard host.isShared, Resume.hasState(source, pipe) else { return }
            buffer.append(",\"local\":\"")
            buffer.append(utf8: host.instance)
            buffer.append("\"")
        }
    }

    /// Appends `,"ticket":"…","keep":"30s"`.
    private static func append(_ ticket: KeptChain, to buffer: inout ByteBuffer) {
        buffer.append(",\"ticket\":\"")
        buffer.append(utf8: ticket.ticket.text)
        buffer.append("\",\"keep\":\"")
        buffer.append(utf8: ticket.span.text)
        buffer.append("\"")
    }

    private func answerSnap(
        of subscription: Subscription,
        change: UInt64?,
        _ start: SnapStart,
        _ keeping: Stage.Span?,
        _ more: (inout ByteBuffer) -> Void = { _ in }
    ) {
        let ticket = keeping.flatMap { giveTicket(to: subscription, keeping: $0) }
        answerSnap(of: subscription, change: change) { buffer in
            start.append(of: subscription, to: &buffer)
            if let ticket { Self.append(ticket, to: &buffer) }
            more(&buffer)
        }
    }

    func answerSnap(
        of subscription: Subscription,
        change: UInt64?,
        _ more: (inout ByteBuffer) -> Void
    ) {
        let graph = subscription.graph
        answer(id: nil, bytes: 0) { buffer in
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
}

/// Where the values of a subscription begin: with the present one, or where the client was before.
private struct SnapStart {
    var missed: Missed?
    private var outcome: Resume.Outcome?

    /// The client was connected before, and has shown a cursor.
    mutating func resume(
        _ resume: Resume,
        _ course: Resume.Course,
        _ options: SubscriptionOptions,
        _ taken: KeptChain?,
        atMost limit: Int
    ) {
        if let emissions = taken?.emissions, missed?.isComplete != true {
            let kept = Missed(since: resume, emissions, atMost: limit)
            if kept.isComplete { missed = kept }
        }
        outcome = resume.outcome(of: course, isAll: options.isAll, missed)
    }

    /// Appends `,"resumed":…`, the state where the client does not know it, and what it has missed.
    func append(of subscription: Subscription, to buffer: inout ByteBuffer) {
        let options = subscription.options
        if let outcome { buffer.append(outcome.isResumed ? ",\"resumed\":true" : ",\"resumed\":false") }
        let isReplayed = options.isAll && outcome?.isResumed == true
        if options.initial, !isReplayed, outcome?.isResumed != true || outcome?.isNews == true {
            buffer.append(",")
            subscription.appendState(to: &buffer)
        } else if options.initial, options.hasFacets {
            buffer.append(",")
            subscription.appendFacets(to: &buffer)
        }
        missed?.append(isReplay: isReplayed, to: &buffer)
    }
}
