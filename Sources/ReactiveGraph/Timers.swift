/// One timer of a timed operator.
///
/// It holds nothing of the graph.
final class Timer {
    fileprivate(set) var deadline: Duration = .zero
    fileprivate(set) var number: UInt64 = 0
    fileprivate var index = -1
    fileprivate let action: () -> Void

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    var isRunning: Bool { index >= 0 }

    fileprivate func isBefore(_ other: Timer) -> Bool {
        deadline < other.deadline || (deadline == other.deadline && number < other.number)
    }
}

/// The timers of a graph by deadline, ties by creation (G-112), with one schedule on the clock for the earliest.
///
/// Restarting a timer moves it within the heap: no allocation, and the clock is asked only when the earliest
/// deadline gets earlier. A schedule that comes too early finds nothing due and is renewed.
final class TimerQueue {
    private var heap: ContiguousArray<Timer> = []
    private var lastNumber: UInt64 = 0
    private var schedule: (any Cancellable)?
    private var scheduled: Duration = .zero

    deinit {
        schedule?.cancel()
    }

    /// A number for what is created now.
    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Starts or restarts `timer`; `number` is given where it was created earlier.
    func start(_ timer: Timer, at deadline: Duration, number: UInt64? = nil, on clock: any LoopClock) {
        remove(timer)
        timer.deadline = deadline
        timer.number = number ?? nextNumber()
        timer.index = heap.count
        heap.append(timer)
        siftUp(timer.index)
        arm(clock)
    }

    func cancel(_ timer: Timer) {
        remove(timer)
        guard heap.isEmpty else { return }
        schedule?.cancel()
        schedule = nil
    }

    private func arm(_ clock: any LoopClock) {
        guard let first = heap.first else { return }
        if schedule != nil {
            if scheduled <= first.deadline { return }
            schedule?.cancel()
        }
        scheduled = first.deadline
        schedule = clock.schedule(at: first.deadline) { [weak self, weak clock] in
            guard let self, let clock else { return }
            self.schedule = nil
            self.fire(clock)
        }
    }

    private func fire(_ clock: any LoopClock) {
        while let first = heap.first, first.deadline <= clock.now {
            remove(first)
            first.action()
        }
        arm(clock)
    }

    // MARK: - The heap

    private func remove(_ timer: Timer) {
        let index = timer.index
        guard index >= 0 else { return }
        timer.index = -1
        let last = heap.removeLast()
        guard last !== timer else { return }
        heap[index] = last
        last.index = index
        siftUp(index)
        siftDown(last.index)
    }

    private func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].isBefore(heap[parent]) else { return }
            swap(index, parent)
            index = parent
        }
    }

    private func siftDown(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            guard least != index else { return }
            swap(index, least)
            index = least
        }
    }

    private func swap(_ first: Int, _ second: Int) {
        heap.swapAt(first, second)
        heap[first].index = first
        heap[second].index = second
    }
}

extension Graph {
    /// The clock, or a stop with a message that says what is missing.
    func requireClock(_ operation: String) -> any LoopClock {
        guard let clock else {
            preconditionFailure(
                "\(operation): the graph has no clock; make it with Graph(clock:), in tests with a ManualClock"
            )
        }
        return clock
    }

    /// Delivers what an edge kept back, as a turn of its own that continues the path.
    func resume(_ edge: EdgeRef, trail: Trail?, context: Context?, _ store: (Edge) -> Outcome) {
        guard !stopping, edge._withUnsafeGuaranteedRef({ $0.traits.contains(.complete) }) else { return }
        let saved = beginTurn(trail: trail, context: context)
        if let target = edge.target, !mustSkip(target) {
            follow(edge._withUnsafeGuaranteedRef { store($0) }, of: edge)
            run(to: base)
        }
        endTurn(saved)
        withExtendedLifetime((self, trail, context)) {}
    }
}
