internal import DequeModule

/// The stages of one principal that rest at one node.
///
/// They have handled all emissions, and their edges are parked nevertheless, because the principal
/// was over its share: an emission costs nothing for each of them until it is their turn.
final class Resting {
    let account: PipelineAccount
    /// In the order in which they came to rest; nil: one that has left.
    private var gates: Deque<Unmanaged<StageGate>?> = []
    /// The number of the first of them; numbers rise by one.
    private var first: UInt64 = 0
    /// How many of them, from the first on, have an emission to handle.
    private var due = 0
    /// Whether the lanes know that some have.
    var isCalled = false

    init(of account: PipelineAccount) {
        self.account = account
    }

    var isEmpty: Bool { gates.isEmpty }

    /// Whether some have an emission to handle.
    var isDue: Bool { due > 0 }

    /// A stage comes to rest.
    ///
    /// - Returns: its place, to remember.
    func add(_ gate: StageGate) -> UInt64 {
        gates.append(.passUnretained(gate))
        return first + UInt64(gates.count) - 1
    }

    /// The stage at that place rests no longer.
    func remove(at place: UInt64) {
        gates[Int(place - first)] = nil
        while let front = gates.first, front == nil { drop() }
    }

    /// There is an emission for all of them.
    func call() {
        isCalled = true
        due = gates.count
    }

    /// Takes the next one that has an emission to handle.
    func popDue() -> StageGate? {
        while due > 0 {
            if let gate = drop() { return gate.takeUnretainedValue() }
        }
        return nil
    }

    @discardableResult
    private func drop() -> Unmanaged<StageGate>? {
        first += 1
        due = max(0, due - 1)
        return gates.removeFirst()
    }
}
