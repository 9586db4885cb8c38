/// Waits for the `hello` of a client that is not authorised yet.
///
/// Alarms ring before the sockets of a loop turn have their say. When the time is over the next turn decides, so that a `hello` that
/// is there already counts, however long the server stood still.
final class Greeting: AlarmTarget {
    private unowned let session: Session
    private lazy var alarm = Alarm(target: self)
    private var isOver = false

    init(_ session: Session) {
        self.session = session
        let host = session.host
        host.alarms.set(alarm, due: host.clock.now + host.limits.helloMilliseconds)
    }

    func cancel() {
        session.host.alarms.cancel(alarm)
    }

    func alarm(at now: UInt64) {
        guard isOver else {
            isOver = true
            return session.host.alarms.set(alarm, due: now + 1)
        }
        session.finish(4408, "timeout")
    }
}
