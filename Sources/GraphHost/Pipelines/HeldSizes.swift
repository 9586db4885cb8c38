internal import DequeModule

/// The sizes of values that an operator keeps in a queue, from which the oldest goes first.
final class HeldSizes {
    private var sizes: Deque<Int> = []
    /// All of them together.
    private(set) var sum = 0

    /// A value has come.
    func add(_ bytes: Int) {
        sizes.append(bytes)
        sum += bytes
    }

    /// The operator keeps so many.
    func trim(to count: Int) {
        while sizes.count > count, let oldest = sizes.popFirst() { sum -= oldest }
    }
}
