internal import Commits

/// Whether clients are served a graph, and what its commits wait for.
struct Standing {
    /// Where a graph is in its life, which its commits begin and end.
    enum Life {
        /// Its first commit is not applied yet.
        case unborn
        /// It takes commits.
        case open
        /// A change of its definition, or its removal, is pending in the log.
        ///
        /// The commits that arrived after it are checked against the graph as it will be.
        case changing(later: [PendingCommit])
        /// Its last commit is applied; those that arrived after it will be refused.
        case ended(later: [PendingCommit])
    }

    /// What clients can do with it; follows from the rest and the log's health.
    enum Service {
        /// They do not find it.
        case hidden
        /// They find it, and commits wait or are refused.
        case shown
        /// Commits go straight to the log.
        case open
    }

    /// Whether it is the server's own (``Host/ownGraph``): no client finds it.
    let isOwn: Bool
    var life = Life.unborn
    /// When no living server had its file any more, on the monotonic clock; nil: it is no orphan.
    var orphanedAt: UInt64?
    /// In how many looks in succession no server that shares the log had its file.
    var looksWithoutFile = 0
    fileprivate(set) var service = Service.hidden

    init(of name: String) {
        isOwn = name == Host.ownGraph
    }

    var isLive: Bool {
        switch life {
        case .open, .changing: true
        case .unborn, .ended: false
        }
    }

    var isChanging: Bool { if case .changing = life { true } else { false } }
}

extension LiveGraph {
    /// Whether its first commit is applied, and its last one is not.
    package var isLive: Bool { standing.isLive }
    /// Whether clients can find it: it is served, and the log knows its present state.
    package var isShown: Bool { standing.service != .hidden && !standing.isOwn }
    /// Whether commits go straight to the log.
    var isOpen: Bool { standing.service == .open }
    /// Whether a change of its definition, or its removal, is pending in the log.
    package var isChanging: Bool { standing.isChanging }
    /// Whether no living server has its file, although files define it.
    public var isOrphan: Bool { standing.orphanedAt != nil }
    /// Whether it takes commits.
    package var isServed: Bool { isLive && !isOrphan }
    /// Whether clients may use it.
    package var isForClients: Bool { isServed && !standing.isOwn }

    /// Its first commit is applied, or its state is restored.
    func open() {
        standing.life = .open
        judge()
    }

    /// Its last commit is applied.
    func close() {
        if case .changing(let later) = standing.life {
            standing.life = .ended(later: later)
        } else {
            standing.life = .ended(later: [])
        }
        judge()
    }

    /// A change of its definition, or its removal, was handed to the log.
    func beginChange() {
        standing.life = .changing(later: [])
        judge()
    }

    /// A commit has arrived after such a change.
    func putOff(_ commit: PendingCommit) {
        guard case .changing(var later) = standing.life else { return }
        later.append(commit)
        standing.life = .changing(later: later)
    }

    /// The log has answered such a change.
    ///
    /// - Returns: the commits that have arrived after it.
    func endChange() -> [PendingCommit] {
        switch standing.life {
        case .unborn, .open: return []
        case .changing(let later):
            standing.life = .open
            judge()
            return later
        case .ended(let later):
            standing.life = .ended(later: [])
            return later
        }
    }

    /// No living server has its file any more, or one has it again (nil).
    func setOrphaned(at time: UInt64?) {
        standing.orphanedAt = time
        judge()
    }

    /// Decides what clients can do with it, after a change of its standing or of the log's health.
    func judge() {
        let health = host.health
        if !isServed || health == .catchingUp {
            standing.service = .hidden
            course.awaited?.endAll()
        } else {
            standing.service = isChanging || health != .ready ? .shown : .open
        }
    }
}
