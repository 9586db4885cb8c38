/// An emission that waits for the pass of its node to end.
struct PendingEntry<Value> {
    let emission: Emission<Value>
    let trail: Trail?
    let context: Context?
}

/// The queues of a node: re-entrant emissions, and what a batch is about to set.
///
/// Made on first use, kept.
final class Pending<Value> {
    @exclusivity(unchecked) var entries = Queue<PendingEntry<Value>>()
    @exclusivity(unchecked) private var staged: ContiguousArray<(batch: UInt64, emission: Emission<Value>)> =
        []
    @exclusivity(unchecked) private var turn: UInt64 = 0
    @exclusivity(unchecked) private var count = 0

    /// Keeps what batch number `batch` is going to set.
    func stage(_ emission: Emission<Value>, for batch: UInt64) {
        staged.append((batch, emission))
    }

    /// The first that is staged for batch number `batch`; batches may be nested.
    func takeStaged(for batch: UInt64) -> Emission<Value>? {
        guard let index = staged.firstIndex(where: { $0.batch == batch }) else { return nil }
        return staged.remove(at: index).emission
    }

    /// Counts one more queued emission, and gives the number of them in this turn.
    func countInTurn(_ number: UInt64) -> Int {
        if turn != number {
            turn = number
            count = 0
        }
        count += 1
        return count
    }
}

/// First in, first out, in an array that is reused: no allocation once it has grown.
struct Queue<Element> {
    private var storage: ContiguousArray<Element?> = []
    private var head = 0

    var isEmpty: Bool { head == storage.count }
    var count: Int { storage.count - head }
    var first: Element? { isEmpty ? nil : storage[head] }

    mutating func append(_ element: Element) {
        storage.append(element)
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = storage[head].take()
        head += 1
        if head == storage.count {
            storage.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64 && head * 2 >= storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func removeAll() {
        storage.removeAll(keepingCapacity: true)
        head = 0
    }
}
