internal import DequeModule
internal import Graphs
internal import ReactiveGraph
internal import Values

/// What a link sets its node to.
struct LinkEffect {
    let link: LinkSubscription
    /// Nil: it clears the node.
    let value: Datum?
    let commit: Commit

    init(of link: LinkSubscription, _ value: Datum?, _ commit: Commit) {
        (self.link, self.value, self.commit) = (link, value, commit)
    }

    /// What it takes while it waits.
    fileprivate var bytes: Int { 256 + (value?.byteCount ?? 0) }
}

/// What the links of one session have to set, in the order in which it was emitted.
final class SessionLinks {
    private var effects: Deque<LinkEffect> = []
    /// The bytes of what waits here or at the log.
    private var bytes = 0
    /// Runs until the client's rate allows another set.
    private var timer: Timer?
    /// Whether ``LinkEffects`` has the session in its list.
    fileprivate var isMarked = false

    fileprivate var isReady: Bool { !effects.isEmpty && timer?.isRunning != true }

    /// Adds one at the end, and returns the bytes of all.
    func add(_ effect: LinkEffect) -> Int {
        effects.append(effect)
        bytes += effect.bytes
        return bytes
    }

    /// Submits the next one as a commit of the client; or waits, if its rate allows none now.
    fileprivate func submitNext(of session: Session) {
        guard let effect = effects.first else { return }
        guard !effect.link.isEnded else { return drop(effects.removeFirst()) }
        do throws(HostError) {
            try session.clients.rates.countSet(of: session.requester)
        } catch {
            return wait(error.after ?? 1, session)
        }
        effects.removeFirst()
        submit(effect, of: session)
    }

    private func submit(_ effect: LinkEffect, of session: Session) {
        var commit = effect.commit
        commit.by = session.access?.name
        switch session.host.submit(commit) {
        case .applied(let applied): settle(effect, .success(applied), of: session)
        case .refused(let error): settle(effect, .failure(error), of: session)
        case .pending(let pending):
            // The log may answer when the session is gone.
            pending.onAnswer { [weak session] result in
                if let session { session.extras?.links?.settle(effect, result, of: session) }
            }
        }
    }

    private func settle(_ effect: LinkEffect, _ result: Result<Applied, HostError>, of session: Session) {
        drop(effect)
        if session.clients.recordsSets {
            session.transport?.acted(SessionAct("link", on: effect.link.graph, result))
        }
        effect.link.settled(result, effect.value)
    }

    private func drop(_ effect: LinkEffect) { bytes -= effect.bytes }

    private func wait(_ milliseconds: Int, _ session: Session) {
        let timer = timer ?? Timer { [unowned session] in session.clients.links.mark(session) }
        self.timer = timer
        session.host.timers.set(timer, due: session.host.clock.now + UInt64(max(1, milliseconds)))
    }

    /// The session is closed: what has not been submitted is dropped.
    func close(in host: Host) {
        effects = []
        if let timer { host.timers.cancel(timer) }
    }
}

/// Submits what links have to set, after the pipelines of a turn have run: the sessions take turns,
/// within a share of the turn.
final class LinkEffects {
    private var sessions: Deque<Session> = []
    private var share = TurnShare(dividedBy: 4)
    /// Links that receive no more values.
    private var complete: [LinkSubscription] = []

    /// A session has something to submit.
    func mark(_ session: Session) {
        guard let links = session.extras?.links, !links.isMarked else { return }
        links.isMarked = true
        sessions.append(session)
    }

    /// A link receives no more values.
    func noteComplete(_ link: LinkSubscription) { complete.append(link) }

    /// The turn ends: ends the links that have set all their values.
    func endComplete() {
        let links = complete
        complete = []
        for link in links { link.endIfComplete() }
    }

    /// Submits what this turn has room for; the rest follows in the next turns.
    func run(in host: Host) {
        while let session = sessions.first {
            guard !share.isSpent(of: host) else { return host.later {} }
            sessions.removeFirst()
            guard let links = session.extras?.links else { continue }
            links.isMarked = false
            guard !session.isClosed, links.isReady else { continue }
            let before = host.work
            host.work += 1
            links.submitNext(of: session)
            share.spend(since: before, of: host)
            if links.isReady { mark(session) }
        }
    }

    /// Lets all sessions go: the host is being freed.
    func forget() {
        sessions = []
        complete = []
    }
}
