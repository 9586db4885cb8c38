internal import Graphs
internal import ReactiveGraph

final class TokenExpiry {
    private unowned let session: Session
    private let moment: UInt64
    private lazy var timer = Timer { [unowned self] in timerFired() }

    init(_ session: Session, at moment: UInt64) {
        self.session = session
        self.moment = moment
        set()
    }

    /// Alarms use a clock without dates, so a long wait is split and checked again.
    private func set() {
        let host = session.host
        let wall = host.clock.wall
        let left = moment > wall ? min(moment - wall, 3_600_000) : 0
        host.timers.set(timer, due: host.clock.now + left)
    }

    func cancel() {
        session.host.timers.cancel(timer)
    }

    func timerFired() {
        if session.host.clock.wall < moment { return set() }
        session.endConnection(4401, "token_expired")
    }
}
