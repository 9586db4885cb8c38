/// Waits for the `hello` of a client that is not authorised yet.
final class Greeting: AlarmTarget {
    private unowned let session: Session
    private lazy var alarm = Alarm(target: self)

    init(_ session: Session) {
        self.session = session
        let host = session.host
        host.alarms.set(alarm, due: host.clock.now + host.limits.helloMilliseconds)
    }

    func cancel() {
        session.host.alarms.cancel(alarm)
    }

    func alarm(at now: UInt64) {
        session.finish(4408, "timeout")
    }
}
