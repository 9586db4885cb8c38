/// How much may wait in a buffer, and what happens to a value that finds it full (G-142).
///
/// Limits are numbers of values per input, at least 1.
public enum BufferPolicy: Sendable, Equatable {
    /// Everything waits, however much it is.
    case unbounded
    /// The oldest waiting value makes room for the new one.
    case dropOldest(Int)
    /// The new value is dropped.
    case dropNewest(Int)
    /// The new value is dropped, and reported to ``Graph/onError``
    /// (``GraphError/overflow(node:name:limit:)``).
    ///
    /// The operator goes on with what waits.
    case fail(Int)

    /// How many values may wait, `nil` for any number.
    public var limit: Int? {
        switch self {
        case .unbounded: nil
        case .dropOldest(let limit), .dropNewest(let limit), .fail(let limit): limit
        }
    }

    /// A limit below 1 is a programming error.
    @usableFromInline
    func require(for operation: String) {
        precondition(limit ?? 1 > 0, "\(operation): the limit of the buffer must be positive")
    }
}

/// The figures of an operator's buffers (G-142).
///
/// It keeps nothing alive. One that is given to several operators counts for all of them.
public final class BufferControl {
    /// Values that wait at the moment, over all inputs.
    public private(set) final var count = 0
    /// The most that ever waited.
    public private(set) final var peak = 0
    /// Values that were never emitted: they found the buffer full, made room, or waited when the
    /// operator ended.
    public private(set) final var droppedCount = 0

    private final let onArrival: (() -> Void)?

    /// A control to be handed to an operator.
    public init() { onArrival = nil }

    /// A control that calls a function for each value that takes a place in a buffer.
    package init(onArrival: @escaping () -> Void) { self.onArrival = onArrival }

    /// A value came in; `waits` says whether it stays for a while.
    @usableFromInline
    func added(waits: Bool) {
        onArrival?()
        count += 1
        if waits, count > peak { peak = count }
    }

    @usableFromInline
    func removed() {
        count -= 1
    }

    /// A value that did not wait was dropped.
    @usableFromInline
    func refused() {
        droppedCount += 1
    }

    /// The figures of a buffer that is kept on another thread.
    func observed(waiting: Int, peak: Int, dropped: Int) {
        count = waiting
        self.peak = max(self.peak, peak)
        droppedCount += dropped
    }

    /// Values that waited were dropped.
    @usableFromInline
    func dropped(_ number: Int) {
        count -= number
        droppedCount += number
    }
}

extension Edge {
    /// Reports that a value was dropped because the buffer of this edge was full.
    @usableFromInline
    func reportOverflow(_ limit: Int) {
        guard let node = target?.object else { return }
        node.graph.engine.report(.overflow(node: node.id, name: node.name, limit: limit))
    }
}
