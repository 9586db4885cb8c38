internal import Graphs
internal import Definitions
internal import ReactiveGraph

/// Waits for the `hello` of a client that is not authorised yet.
///
/// Timers fire before a loop turn reads its sockets. When the time is over, the next turn
/// decides, so that a `hello` that has already arrived counts, however long the server was busy.
final class Greeting {
    private unowned let session: Session
    private lazy var timer = Timer { [unowned self] in timerFired() }
    private var isOver = false

    init(_ session: Session) {
        self.session = session
        let host = session.host
        host.timers.set(timer, due: host.clock.now + host.limits.helloMilliseconds)
    }

    func cancel() {
        session.host.timers.cancel(timer)
    }

    func timerFired() {
        guard isOver else {
            isOver = true
            return session.host.timers.set(timer, due: session.host.clock.now + 1)
        }
        session.endConnection(4408, "timeout")
    }
}
