internal import DequeModule

/// The stages of one principal that rest at one node.
///
/// They have handled all emissions, and their edges are parked nevertheless, because the principal
/// was over its share: an emission costs nothing for each of them until it is their turn.
final class Resting {
    /// In the order in which they came to rest; nil: one that has left.
    private var gates: Deque<Unowned<StageGate>?> = []
    /// The number of the first of them; numbers rise by one.
    private var first: UInt64 = 0
    /// How many of them have left.
    private var gaps = 0
    /// How many of them, from the first on, have an emission to handle.
    private var due = 0
    /// Whether their account knows that some have.
    var isCalled = false

    var isEmpty: Bool { gates.count == gaps }

    /// A stage comes to rest.
    ///
    /// - Returns: its place, to remember.
    func add(_ gate: StageGate) -> UInt64 {
        gates.append(Unowned(gate))
        return first + UInt64(gates.count) - 1
    }

    /// The stage at that place rests no longer.
    func remove(at place: UInt64) {
        gates[Int(place - first)] = nil
        gaps += 1
        if gaps > 32, gaps > gates.count / 2 { close() }
    }

    /// Closes the gaps.
    private func close() {
        due = gates.prefix(due).count { $0 != nil }
        gates = Deque(gates.lazy.filter { $0 != nil })
        gaps = 0
        for (index, gate) in gates.enumerated() {
            gate?.object.rests(at: first + UInt64(index))
        }
    }

    /// There is an emission for all of them.
    func call() { due = gates.count }

    /// Takes the next one that has an emission to handle.
    func popDue() -> StageGate? {
        while due > 0 {
            due -= 1
            first += 1
            guard let gate = gates.removeFirst() else {
                gaps -= 1
                continue
            }
            return gate.object
        }
        return nil
    }
}
