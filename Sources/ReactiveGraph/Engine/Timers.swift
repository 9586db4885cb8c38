/// One timer: an action and its place in a queue.
///
/// It belongs to what made it, and holds nothing of the graph.
@usableFromInline
package final class Timer {
    @safe @exclusivity(unchecked) package fileprivate(set) var deadline = Deadline(time: .zero, number: 0)
    @safe @exclusivity(unchecked) fileprivate var index = -1
    /// What is done when the time has come, with the timer no longer running; gives what a graph is
    /// to emit then.
    @safe @exclusivity(unchecked) @usableFromInline package var action: () -> Due?

    package init(_ action: @escaping () -> Due? = { nil }) {
        self.action = action
    }

    package var isRunning: Bool { index >= 0 }
}

/// What a timer makes a graph emit: a turn of its own, or a part of one with everything else that
/// is due.
@usableFromInline
package struct Due {
    let engine: Engine
    let trail: Trail?
    let context: Context?
    /// Stores the emission, with the path and the context in place.
    let deliver: (Engine) -> Void

    init(engine: Engine, trail: Trail?, context: Context?, _ deliver: @escaping (Engine) -> Void) {
        self.engine = engine
        self.trail = trail
        self.context = context
        self.deliver = deliver
    }

    /// Hands on what an edge kept back, unless it has lost an end by then.
    @usableFromInline
    init?<Value>(_ edge: Edge, _ held: HeldEmission<Value>) {
        guard let engine = edge.graph?.engine else { return nil }
        self.init(engine: engine, trail: held.trail, context: held.context) { engine in
            guard edge.traits.contains(.complete), let target = edge.target, !engine.mustSkip(target) else {
                return
            }
            engine.follow(edge.store(emission: held.emission), of: .to(edge))
        }
    }

    /// Sets or clears a node.
    package init<Value>(_ node: Node<Value>, _ emission: Emission<Value>) {
        self.init(engine: node.graph.engine, trail: nil, context: nil) { engine in
            guard node.typedCore.accept(emission: emission) == .enter, node.hasEdges,
                !engine.turnState.isStopping
            else {
                return
            }
            engine.push(node.ref)
        }
    }

    /// Emits, as a turn of its own that continues the path.
    @usableFromInline
    package func perform() {
        guard !engine.turnState.isStopping else { return }
        let saved = engine.beginTurn(trail: trail, context: context)
        deliver(engine)
        engine.run(to: engine.stack.base)
        engine.endTurn(saved)
        withExtendedLifetime(self) {}
    }
}

/// The timers of one clock by deadline, ties by creation (G-112).
///
/// A timer that is set to a later time, as a debounce is with every value, only notes that: it is
/// moved when it has come to the front. The clock is asked only when the earliest deadline gets
/// earlier. A schedule that comes too early finds nothing due and is renewed.
@usableFromInline
package final class TimerQueue {
    /// Where the time comes from.
    private enum Source {
        /// A clock that calls when it is time.
        case clock(any LoopClock)
        /// Its owner says what time it is, and calls ``fire(until:)``.
        case owner(() -> Duration)
    }

    /// A running timer; `key` is its deadline, or an earlier one that it had.
    private struct Entry {
        var key: Deadline
        let timer: Timer
    }

    private let source: Source
    /// Called when a timer is set and no other one is.
    package var onFirst: () -> Void = {}
    @safe @exclusivity(unchecked) private var heap: ContiguousArray<Entry> = []
    @safe @exclusivity(unchecked) private var lastNumber: UInt64 = 0
    /// The timer that fires.
    private struct Firing {
        let timer: Timer
        let deadline: Deadline
        /// The last number before it fired.
        let known: UInt64
        /// The time up to which timers fire now.
        let end: Duration

        /// Whether that moment is no later than its own.
        func isNoLater(_ moment: Deadline) -> Bool {
            moment <= deadline || (moment.time <= deadline.time && moment.number > known)
        }
    }

    @safe @exclusivity(unchecked) private var firing: Firing?
    @safe @exclusivity(unchecked) private var schedule: (any Cancellable)?
    @safe @exclusivity(unchecked) private var scheduled: Duration = .zero

    /// Timers on a clock that calls when it is time; each emits in a turn of its own.
    init(_ clock: any LoopClock) {
        source = .clock(clock)
    }

    /// Timers whose owner knows the time and fires them.
    @usableFromInline
    package init(now: @escaping () -> Duration) {
        source = .owner(now)
    }

    deinit {
        stop()
    }

    /// The clock calls no more.
    func stop() {
        schedule?.cancel()
        schedule = nil
    }

    @usableFromInline package var now: Duration {
        switch source {
        case .clock(let clock): clock.now
        case .owner(let now): now()
        }
    }

    /// The earliest deadline.
    package var next: Duration? { first?.deadline.time }

    /// The moment that is `interval` from now.
    @usableFromInline
    package func deadline(after interval: Duration) -> Deadline {
        moment(now + interval)
    }

    /// The moment at `time`, after all others of that time so far.
    package func moment(_ time: Duration) -> Deadline {
        lastNumber += 1
        return Deadline(time: time, number: lastNumber)
    }

    /// Whether a deadline is over: of those of this very moment, the ones up to the timer that
    /// runs.
    @usableFromInline
    func hasPassed(_ deadline: Deadline) -> Bool {
        let now = now
        return deadline.time < now || (deadline.time == now && firing.map { deadline <= $0.deadline } ?? true)
    }

    /// Saved deadlines are in force again: what is asked for from now on comes after the last of
    /// them.
    func noteRestored(_ last: UInt64) {
        lastNumber = max(lastNumber, last)
    }

    /// Starts a timer that ran when its graph was saved.
    package func restore(_ timer: Timer, at deadline: Deadline) {
        noteRestored(deadline.number)
        set(timer, at: deadline)
    }

    /// Starts or moves a timer.
    ///
    /// While a timer fires it cannot be set for its own time or an earlier one, because it would be
    /// due again at once, for ever: it is set for a millisecond after everything that fires now.
    /// Several moments of the same time that were asked for before it fired are each taken.
    @usableFromInline
    package func set(_ timer: Timer, at deadline: Deadline) {
        var deadline = deadline
        if let firing, firing.timer === timer, firing.isNoLater(deadline) {
            deadline = moment(firing.end + .milliseconds(1))
        }
        timer.deadline = deadline
        if timer.isRunning {
            guard deadline < heap[timer.index].key else { return }
            heap[timer.index].key = deadline
        } else {
            timer.index = heap.count
            heap.append(Entry(key: deadline, timer: timer))
            if heap.count == 1 { onFirst() }
        }
        siftUp(timer.index)
        arm()
    }

    @usableFromInline
    package func cancel(_ timer: Timer) {
        remove(timer)
        guard heap.isEmpty else { return }
        schedule?.cancel()
        schedule = nil
    }

    /// How many timers that were set during one call of ``fire(until:while:_:)`` it fires.
    ///
    /// Timers are set for moments that the clock has not reached, so usually none is due. If the
    /// owner of the clock fires what is due later than the clock shows, a ring of timed operators
    /// may set them without end, and a timetable goes through all its moments.
    package static let mostAgain = 10_000

    /// Runs every timer that is due at `time`, those set in the meantime included, and gives what
    /// graphs are to emit.
    ///
    /// It asks `goesOn` before each; the rest stays due, and so does what is set beyond
    /// ``mostAgain``.
    package func fire(
        until time: Duration,
        while goesOn: @autoclosure () -> Bool = true,
        _ emit: (Due) -> Void
    ) {
        let known = lastNumber
        var room = Self.mostAgain
        while let first, first.deadline.time <= time, room > 0, goesOn() {
            if first.deadline.number > known { room -= 1 }
            remove(first)
            firing = Firing(timer: first, deadline: first.deadline, known: lastNumber, end: time)
            if let due = first.action() { emit(due) }
            firing = nil
        }
    }

    private func arm() {
        guard case .clock(let clock) = source, let first else { return }
        if schedule != nil {
            if scheduled <= first.deadline.time { return }
            schedule?.cancel()
        }
        scheduled = first.deadline.time
        schedule = clock.schedule(at: scheduled) { [weak self, weak clock] in
            guard let self, let clock else { return }
            self.schedule = nil
            fire(until: clock.now) { $0.perform() }
            arm()
        }
    }

    // MARK: - The heap

    /// The timer with the earliest deadline.
    private var first: Timer? {
        while let entry = heap.first {
            if entry.key == entry.timer.deadline { return entry.timer }
            heap[0].key = entry.timer.deadline
            siftDown(0)
        }
        return nil
    }

    private func remove(_ timer: Timer) {
        let index = timer.index
        guard index >= 0 else { return }
        timer.index = -1
        let last = heap.removeLast()
        guard last.timer !== timer else { return }
        place(last, at: index)
        siftUp(index)
        siftDown(last.timer.index)
    }

    private func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].key < heap[parent].key else { return }
            swap(index, parent)
            index = parent
        }
    }

    private func siftDown(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].key < heap[least].key { least = child }
            }
            guard least != index else { return }
            swap(index, least)
            index = least
        }
    }

    private func swap(_ first: Int, _ second: Int) {
        let moved = heap[first]
        place(heap[second], at: first)
        place(moved, at: second)
    }

    private func place(_ entry: Entry, at index: Int) {
        heap[index] = entry
        entry.timer.index = index
    }
}

extension Graph {
    /// The timers of the graph's clock; without one, a stop with a message that says what is
    /// missing.
    @usableFromInline
    func timers(for operation: String) -> TimerQueue {
        guard let timers else {
            preconditionFailure(
                "\(operation): the graph has no clock; Graph(clock:) takes one, such as DispatchClock or ManualClock"
            )
        }
        return timers
    }
}
