internal import EventLoop
internal import Support

/// The turns of a server's loop.
///
/// Every event begins a turn before it does anything. What the events of a turn have collected is
/// done at its end, once.
final class Turns {
    let loop: Loop
    /// The loop's current activity.
    let activity: Activity
    /// How long clients wait.
    var times = LoopTimes()
    /// Called when a turn begins and the watchdog may be asleep.
    var onBusy: (() -> Void)?
    /// Called in the first turn of each second.
    var onSecond: () -> Void = {}
    /// Called at the end of each turn.
    var onEnd: () -> Void = {}
    /// Called in a turn of its own at the time that ``wake(at:)`` has set.
    var onAlarm: () -> Void = {}
    /// Whether a turn has begun.
    private(set) var isOpen = false
    private var second: UInt64 = .max
    private var end: TurnEnd?
    private var alarm: LoopTimer?
    private var alarmAt: UInt64 = .max

    init(on loop: Loop, _ activity: Activity) {
        (self.loop, self.activity) = (loop, activity)
    }

    /// Opens the handles that end turns and begin those that time begins.
    func start() throws(UVError) {
        end = try TurnEnd(on: loop) { [unowned self] in onEnd() }
        alarm = try LoopTimer(on: loop) { [unowned self] in
            alarmAt = .max
            begin()
            activity.note(.timers)
            onAlarm()
        }
        alarm?.keepsLoopAlive = false
        begin()
    }

    /// The server stops: ends the last turn now, and begins none by itself.
    func stop() {
        alarm = nil
        onEnd()
        end = nil
    }

    /// Begins a turn, unless one has begun.
    @inline(__always)
    func begin() {
        if !isOpen { open() }
    }

    @inline(never)
    private func open() {
        isOpen = true
        end?.isDue = true
        if activity.beginTurn(at: OwnProcess.nanoseconds) { onBusy?() }
        let second = loop.now / 1000
        if second != self.second {
            self.second = second
            onSecond()
        }
    }

    /// The turn is over.
    ///
    /// - Returns: when it began.
    func close() -> UInt64 {
        isOpen = false
        return activity.endTurn()
    }

    /// Begins a turn at that time, or earlier.
    func wake(at time: UInt64) {
        guard time < alarmAt else { return }
        alarmAt = time
        alarm?.start(after: .milliseconds(Int64(time > loop.now ? time - loop.now : 0)))
    }
}
