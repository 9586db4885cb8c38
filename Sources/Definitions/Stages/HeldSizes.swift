internal import DequeModule

/// The sizes of the values in an operator's queue.
final class HeldSizes {
    private var sizes: Deque<Int> = []
    private(set) var sum = 0

    func add(_ bytes: Int) {
        sizes.append(bytes)
        sum += bytes
    }

    /// The operator keeps the newest `count` values.
    func trim(to count: Int) {
        while sizes.count > count, let oldest = sizes.popFirst() { sum -= oldest }
    }
}
