internal import Graphs
internal import Commits
internal import Values

/// The client's position before its connection broke (`since`).
///
/// In mode `latest` only the present value matters, so a cursor in the graph's history can always
/// resume, and the value is left out if nothing is newer. Mode `all` resumes if nothing was missed,
/// or if the node's history has everything that was missed. Private stages start anew, and the
/// answer says so. So do stages that depend on earlier values, such as `filter`, if their chain was
/// built after the cursor: their value may differ from the client's. With a ticket a client takes
/// over its former chain, and all of these continue (K-2); the chain knows what it has sent.
struct Resume {
    /// Whether the subscription continues where it was.
    let isResumed: Bool
    /// The last rev that the client has seen.
    let rev: UInt64
    /// The ticket for taking over its chain (K-2); nil: none.
    let ticket: Ticket?
    /// Whether the client sent a ticket, valid or not.
    private let hasTicket: Bool
    /// Whether the client was connected to this server; matters only if several servers share a
    /// log.
    private let isHere: Bool

    /// Reads the option; nil if it is absent.
    init?(_ fields: Fields, in graph: LiveGraph) throws(HostError) {
        guard let field = fields[.since] else { return nil }
        guard let epoch = field["epoch"]?.string, let rev = field["rev"]?.int, rev >= 0 else {
            throw HostError(.badField, "since: an epoch and a rev are needed")
        }
        let shown = field["ticket"]
        guard shown == nil || shown?.kind == .string else {
            throw HostError(.badField, "since: the ticket is a string")
        }
        hasTicket = shown != nil
        ticket = shown?.string.flatMap { Ticket($0) }
        self.rev = UInt64(rev)
        isHere = !graph.host.isShared || field["local"]?.string == graph.host.instance
        isResumed = graph.resumes(from: self.rev, of: epoch)
    }

    /// Parses `Last-Event-ID`, `epoch:rev`; anything else is no position in the history.
    init(eventID text: String, in graph: LiveGraph) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let rev = parts.count == 2 ? UInt64(parts[1]) : nil
        (ticket, hasTicket) = (nil, false)
        self.rev = rev ?? 0
        isHere = !graph.host.isShared
        isResumed = rev.map { graph.resumes(from: $0, of: parts[0]) } ?? false
    }

    /// What has happened to a subscription's pipeline since the cursor.
    struct Course {
        /// Whether it has stages that emit by themselves.
        var isPrivate = false
        /// Whether earlier values count for what it emits.
        var hasState = false
        /// The rev at which its inputs last changed.
        let change: UInt64
        /// The rev at which its chain was built; nil: it has none.
        var built: UInt64?
        /// The newest rev at which an emission was late.
        let late: UInt64
        /// Whether the client has taken over its former chain.
        let isKept: Bool
        /// Whether the client may lack the present value of that chain, in mode `latest`; nil: no
        /// chain knows.
        var hasNews: Bool?
    }

    /// The result of resuming.
    struct Outcome {
        /// Whether the subscription continues where it was.
        let isResumed: Bool
        /// Whether the present value may differ from the client's.
        let isNews: Bool
    }

    /// The result for a subscription; `missed` is known in mode `all`.
    func outcome(of course: Course, isAll: Bool, _ missed: Missed?) -> Outcome {
        let (isPrivate, hasState) = (course.isPrivate, course.hasState)
        // Its value may differ from that of a chain that had existed since the cursor.
        let isNew = !course.isKept && hasState && course.built.map { $0 >= rev } ?? false
        let isLate = course.built != nil && course.late >= rev && course.late > 0
        let isSame: Bool
        if !isAll, let hasNews = course.hasNews {
            isSame = !hasNews
        } else {
            // Private stages emit by themselves, so no rev tells which values the client has.
            isSame = course.change <= rev && !isNew && !isLate && !(course.isKept && isPrivate)
        }
        // Without its chain, private stages start anew, and another server has a state of its own.
        let goesOn = course.isKept || !isPrivate && (isHere || !hasState) && !(hasTicket && isNew)
        return Outcome(
            isResumed: isResumed && goesOn && (!isAll || isSame || missed?.isComplete == true),
            isNews: !isSame
        )
    }
}

extension LiveGraph {
    /// Whether a client that has seen `rev` in `epoch` can continue from there.
    fileprivate func resumes(from rev: UInt64, of epoch: some StringProtocol) -> Bool {
        rev <= self.rev && rev >= resumesFrom && epochs.hold(rev, of: epoch)
    }
}
