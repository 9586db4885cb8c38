/// What an alarm wakes.
protocol AlarmTarget: AnyObject {
    /// The alarm's time has come; it is no longer set.
    func alarm(at now: UInt64)
}

/// One place in the heap of alarms.
///
/// It belongs to its target, which takes it out before it dies.
final class Alarm {
    fileprivate(set) var due: UInt64 = 0
    fileprivate var sequence: UInt64 = 0
    fileprivate var place = -1
    fileprivate unowned let target: any AlarmTarget

    /// An alarm for `target`, not set.
    init(target: any AlarmTarget) {
        self.target = target
    }

    /// Whether it will ring.
    var isSet: Bool { place >= 0 }
}

/// All alarms on one clock, the next one on top: a binary heap that knows every alarm's place, so that ending a
/// subscription takes its alarm out at once.
///
/// Ties ring in the order in which they were set.
final class Alarms {
    private var heap: [Alarm] = []
    private var sequence: UInt64 = 0

    /// When the next alarm rings.
    var next: UInt64? { heap.first?.due }

    /// Whether nothing is set.
    var isEmpty: Bool { heap.isEmpty }

    /// Sets or moves an alarm.
    func set(_ alarm: Alarm, due: UInt64) {
        alarm.due = due
        sequence += 1
        alarm.sequence = sequence
        if alarm.place < 0 {
            alarm.place = heap.count
            heap.append(alarm)
            rise(alarm.place)
        } else {
            rise(alarm.place)
            sink(alarm.place)
        }
    }

    /// Takes an alarm out; nothing if it is not set.
    func cancel(_ alarm: Alarm) {
        let place = alarm.place
        guard place >= 0 else { return }
        alarm.place = -1
        let last = heap.removeLast()
        guard last !== alarm else { return }
        heap[place] = last
        last.place = place
        rise(place)
        sink(last.place)
    }

    /// Rings every alarm due at `now`, those set meanwhile for `now` or earlier included.
    func ring(until now: UInt64) {
        while let first = heap.first, first.due <= now {
            cancel(first)
            first.target.alarm(at: now)
        }
    }

    private func isBefore(_ one: Alarm, _ other: Alarm) -> Bool {
        (one.due, one.sequence) < (other.due, other.sequence)
    }

    private func rise(_ start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard isBefore(heap[place], heap[parent]) else { return }
            swap(place, parent)
            place = parent
        }
    }

    private func sink(_ start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if isBefore(heap[child], heap[least]) { least = child }
            }
            if least == place { return }
            swap(place, least)
            place = least
        }
    }

    private func swap(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        heap[one].place = one
        heap[other].place = other
    }
}
