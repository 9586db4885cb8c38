import ReactiveGraph

/// Moments at the multiples of some milliseconds, and periods between them, every second of which
/// counts.
enum Timetable {
    static func schedule(every period: Int) -> Schedule<Int> {
        Schedule(
            next: { next(after: $0, period) },
            last: { .milliseconds(milliseconds($0) / period * period) }
        )
    }

    static func between(every period: Int) -> Between<Int> {
        Between(contains: { milliseconds($0) / period % 2 == 1 }, next: { next(after: $0, period) })
    }

    private static func next(after time: Duration, _ period: Int) -> Duration {
        .milliseconds((milliseconds(time) / period + 1) * period)
    }

    fileprivate static func milliseconds(_ time: Duration) -> Int { Int(time / .milliseconds(1)) }
}

/// An operator of the clock whose values are numbers, as the histories have them.
struct Whole<Clockwork: ClockOperator>: ClockOperator where Clockwork.Input == Int {
    typealias Input = Int
    typealias Output = Int

    private var clockwork: Clockwork

    init(_ clockwork: Clockwork) { self.clockwork = clockwork }

    var name: String { clockwork.name }
    var known: Clockwork.Known? {
        get { clockwork.known }
        set { clockwork.known = newValue }
    }
    var end: Deadline? {
        get { clockwork.end }
        set { clockwork.end = newValue }
    }

    func next(after time: Duration) -> Duration? { clockwork.next(after: time) }

    mutating func look(at now: Duration) -> Emission<Int>? {
        clockwork.look(at: now).map { emission in
            emission.map { value in
                if let moment = value as? Duration {
                    Timetable.milliseconds(moment)
                } else {
                    value as? Bool == true ? 1 : 0
                }
            }
        }
    }

    func save(to writer: inout StateWriter) { clockwork.save(to: &writer) }
    mutating func restore(from reader: inout StateReader) throws { try clockwork.restore(from: &reader) }
}
