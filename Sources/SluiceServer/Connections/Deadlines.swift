/// The deadlines of all connections of a server, in a coarse timer wheel instead of a timer for
/// each.
///
/// Invariants:
/// - A connection is in at most one list, by its own links; moving it costs a few stores.
/// - Its list is checked no later than its deadline. If the deadline has moved on, the check finds
///   time left and moves the connection to the right list.
/// - Nothing expires early, and at most two ticks late. A turn in which the server itself was busy
///   for longer than a tick does not count: its peers could not be served.
///
/// The links hold nothing: a connection removes itself before it is freed.
final class Deadlines {
    /// How many lists there are: a connection knows the number of its list, from 1, in one byte.
    private static let count: UInt64 = 255

    /// Milliseconds between two checks.
    let tick: UInt64
    /// The lists; that of a tick is at the tick modulo ``count``.
    private var slots: [List]

    private struct List {
        unowned var first: Connection?
    }

    /// The number of ticks up to which all lists have been checked.
    private var position: UInt64
    /// The tick of the next look that was asked for; `max`: none, no connection has a deadline.
    private var nextLook: UInt64 = .max
    /// For how many milliseconds the loop was busy with long turns: these do not count, and times
    /// here are those of the loop without them.
    private var held: UInt64 = 0
    /// Asks for ``advance(to:)`` at a time, in milliseconds of the loop; replaces what was asked
    /// before.
    var onNext: (UInt64) -> Void = { _ in }

    /// A wheel whose shortest deadlines are `shortest` milliseconds long.
    init(shortest: UInt64, now: UInt64) {
        tick = min(max(shortest / 4, 10), 250)
        slots = Array(repeating: List(), count: Int(Self.count))
        position = now / tick
    }

    /// Sets when ``Connection/expire(now:)`` is called.
    func set(_ connection: Connection, at deadline: UInt64) {
        connection.deadline = deadline - min(held, deadline)
        link(connection)
    }

    /// Puts a connection into the list of its deadline, unless it is in an earlier one.
    private func link(_ connection: Connection) {
        let due = min(max(connection.deadline / tick + 1, position + 1), position + Self.count - 1)
        if connection.slot > 0 {
            if dueTick(of: connection) <= due { return }
            unlink(connection)
        }
        link(connection, due)
        if due < nextLook { ask(for: due) }
    }

    /// The tick at which its list is checked.
    private func dueTick(of connection: Connection) -> UInt64 {
        position + (UInt64(connection.slot) - 1 + Self.count - position % Self.count) % Self.count
    }

    private func ask(for look: UInt64) {
        nextLook = look
        onNext(look * tick + held)
    }

    func remove(_ connection: Connection) {
        if connection.slot > 0 { unlink(connection) }
    }

    /// The loop was busy with one turn for so many milliseconds: all deadlines come later by that.
    func excuse(_ milliseconds: UInt64) {
        if milliseconds > tick { held += milliseconds }
    }

    /// Checks every list whose time has come.
    func advance(to now: UInt64) {
        nextLook = 0
        defer { askForNext() }
        let time = now - min(held, now)
        let end = time / tick
        // Every list is checked at most once, however long the loop was busy.
        if end > position + Self.count { position = end - Self.count }
        while position < end {
            position += 1
            let slot = Int(position % Self.count)
            while let connection = slots[slot].first {
                unlink(connection)
                if connection.deadline <= time {
                    connection.expire(now: now)
                } else {
                    link(connection)
                }
            }
        }
    }

    /// A server whose peers are quiet sleeps until the first of their lists comes round.
    private func askForNext() {
        nextLook = .max
        let next = (position + 1..<position + Self.count).first { slots[Int($0 % Self.count)].first != nil }
        if let next { ask(for: next) }
    }

    private func link(_ connection: Connection, _ due: UInt64) {
        let slot = Int(due % Self.count)
        let next = slots[slot].first
        connection.slot = UInt8(slot + 1)
        connection.nextTimed = next
        connection.previousTimed = nil
        next?.previousTimed = connection
        slots[slot].first = connection
    }

    private func unlink(_ connection: Connection) {
        let next = connection.nextTimed
        let previous = connection.previousTimed
        if let previous {
            previous.nextTimed = next
        } else {
            slots[Int(connection.slot) - 1].first = next
        }
        next?.previousTimed = previous
        connection.nextTimed = nil
        connection.previousTimed = nil
        connection.slot = 0
    }
}
