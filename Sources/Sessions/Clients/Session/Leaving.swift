internal import Graphs
internal import ReactiveGraph

/// Bounds how long a stopping server waits for answers of the log before it closes a connection.
///
/// Another server may serve the client meanwhile, so it is closed when it would be back there.
final class Leaving {
    private unowned let session: Session
    private lazy var timer = Timer { [unowned self] in session.endUnanswered() }

    init(_ session: Session, within milliseconds: Int) {
        self.session = session
        session.host.timers.set(timer, due: session.host.clock.now + UInt64(max(0, milliseconds)))
    }

    func cancel() {
        session.host.timers.cancel(timer)
    }
}
