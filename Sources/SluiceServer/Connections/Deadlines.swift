/// The deadlines of all connections of a server, in a coarse timer wheel instead of a timer for
/// each.
///
/// Invariants:
/// - A connection is in at most one list, by its own links; moving it costs a few stores.
/// - Its list is checked no later than its deadline. If the deadline has moved on, the check finds
///   time left and moves the connection to the right list.
/// - Nothing expires early, and at most two ticks late.
///
/// The links do not retain: a connection removes itself before it is destroyed.
final class Deadlines {
    /// Milliseconds between two checks.
    let tick: UInt64
    @exclusivity(unchecked) private var slots: [Unmanaged<Connection>?]
    /// The number of ticks up to which all lists have been checked.
    @exclusivity(unchecked) private var position: UInt64
    /// The tick of the next look that was asked for; `max`: none, no connection has a deadline.
    @exclusivity(unchecked) private var nextLook: UInt64 = .max
    /// Asks for ``advance(to:)`` at a time, in milliseconds of the loop; replaces what was asked
    /// before.
    var onNext: (UInt64) -> Void = { _ in }

    /// A wheel whose shortest deadlines are `shortest` milliseconds long.
    init(shortest: UInt64, now: UInt64) {
        tick = min(max(shortest / 4, 10), 250)
        slots = Array(repeating: nil, count: 256)
        position = now / tick
    }

    /// Sets when ``Connection/expire(now:)`` is called.
    func set(_ connection: Connection, at deadline: UInt64) {
        connection.deadline = deadline
        let due = min(max(deadline / tick + 1, position + 1), position + UInt64(slots.count) - 1)
        if connection.isTimed {
            if connection.dueTick <= due { return }
            unlink(connection)
        }
        link(connection, due)
        if due < nextLook { ask(for: due) }
    }

    private func ask(for look: UInt64) {
        nextLook = look
        onNext(look * tick)
    }

    func remove(_ connection: Connection) {
        if connection.isTimed { unlink(connection) }
    }

    /// Checks every list whose time has come.
    func advance(to now: UInt64) {
        nextLook = 0
        defer { askForNext() }
        let end = now / tick
        // Every list is checked at most once, however long the loop was busy.
        if end > position + UInt64(slots.count) { position = end - UInt64(slots.count) }
        while position < end {
            position += 1
            let slot = Int(position % UInt64(slots.count))
            while let entry = slots[slot] {
                let connection = entry.takeUnretainedValue()
                unlink(connection)
                if connection.deadline <= now {
                    connection.expire(now: now)
                } else {
                    set(connection, at: connection.deadline)
                }
            }
        }
    }

    /// A server whose peers are quiet sleeps until the first of their lists comes round.
    private func askForNext() {
        nextLook = .max
        let count = UInt64(slots.count)
        let next = (position + 1..<position + count).first { slots[Int($0 % count)] != nil }
        if let next { ask(for: next) }
    }

    private func link(_ connection: Connection, _ due: UInt64) {
        let entry = Unmanaged.passUnretained(connection)
        let slot = Int(due % UInt64(slots.count))
        let next = slots[slot]
        connection.dueTick = due
        connection.isTimed = true
        connection.nextTimed = next
        connection.previousTimed = nil
        next?._withUnsafeGuaranteedRef { $0.previousTimed = entry }
        slots[slot] = entry
    }

    private func unlink(_ connection: Connection) {
        let next = connection.nextTimed
        let previous = connection.previousTimed
        if let previous {
            previous._withUnsafeGuaranteedRef { $0.nextTimed = next }
        } else {
            slots[Int(connection.dueTick % UInt64(slots.count))] = next
        }
        next?._withUnsafeGuaranteedRef { $0.previousTimed = previous }
        connection.nextTimed = nil
        connection.previousTimed = nil
        connection.isTimed = false
    }
}
