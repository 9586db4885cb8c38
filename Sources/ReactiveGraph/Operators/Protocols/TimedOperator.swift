/// An operator that emits later, or again, when its time has come.
///
/// When it wants to be woken is a part of its state: after each call the graph looks at
/// ``nextWake`` and sets the one timer of the edge. An edge that lost an end has no timer.
public protocol TimedOperator<Input, Output>: Operator {
    /// Whether it can do nothing without a clock.
    var needsClock: Bool { get }

    /// When ``wake(at:)`` is due; `nil`: not at all.
    var nextWake: Deadline? { get }

    /// Whether nothing is ever emitted at once, so that the order of joins ignores a ring through
    /// this edge.
    var isAsynchronous: Bool { get }

    /// A hand on the operator from outside.
    var control: TimedControl? { get }

    /// How many emissions it keeps back.
    var waiting: Int { get }

    /// The deadline has come.
    ///
    /// - Returns: what is emitted now, with the path and context it came with; `nil`: nothing.
    mutating func wake(at site: Site) -> HeldEmission<Output>?

    /// The edge lost an end: what waits is dropped (G-74, G-75).
    mutating func detach()

    /// Gives what waits, at once, and ends the running interval (G-141).
    mutating func flush() -> HeldEmission<Output>?
}

extension TimedOperator {
    @inlinable public var needsClock: Bool { true }
    @inlinable public var isAsynchronous: Bool { false }
    @inlinable public var control: TimedControl? { nil }
    @inlinable public var waiting: Int { 0 }
    @inlinable public mutating func detach() {}
    @inlinable public mutating func flush() -> HeldEmission<Output>? { nil }
}

extension Site {
    /// The time on the operator's clock; zero for operators that have none.
    @inlinable public var now: Duration {
        timing?.with { $0.queue.now } ?? .zero
    }

    /// The moment that is `interval` from now.
    @inlinable
    public func deadline(after interval: Duration) -> Deadline {
        guard let timing else { preconditionFailure("only timed operators have a clock") }
        return timing.with { $0.queue.deadline(after: interval) }
    }

    /// Whether a moment is over.
    @inlinable
    public func hasPassed(_ deadline: Deadline) -> Bool {
        timing?.with { $0.queue.hasPassed(deadline) } ?? false
    }

    /// Keeps an emission back, with the path and context of the present one (G-74).
    @inlinable
    public func hold<Value>(_ emission: Emission<Value>) -> HeldEmission<Value> {
        guard let source = edge.source else { return HeldEmission(emission) }
        return source.with { node in
            HeldEmission(
                emission,
                trail: node.graph.engine.captureTrail(),
                context: node.engine.currentContext
            )
        }
    }

    /// Whether the edge still has both ends: a function that was called, or the death of a value,
    /// may have cut it.
    @inlinable var isConnected: Bool { edge.traits.contains(.complete) }
}

extension Node {
    /// A new node that emits what a timed operator makes of this node's emissions, by the graph's
    /// clock.
    @inlinable
    public func apply<O: TimedOperator>(_ operation: O) -> Node<O.Output> where O.Input == Value {
        let timers =
            operation.needsClock ? graph.timers(for: operation.name) : graph.timers ?? TimerQueue { .zero }
        return apply(operation, on: timers)
    }

    /// The same by the clock of another queue of timers.
    @inlinable
    package func apply<O: TimedOperator>(_ operation: O, on timers: TimerQueue) -> Node<O.Output>
    where O.Input == Value {
        derive(TimedState(operation, timers).makeTimedEdge())
    }
}

/// The one timer of an edge, and the queue it stands in.
@usableFromInline
final class Timing {
    @usableFromInline let queue: TimerQueue
    @usableFromInline let timer = Timer()

    @usableFromInline
    init(_ queue: TimerQueue) {
        self.queue = queue
    }

    deinit {
        queue.cancel(timer)
    }
}

/// The timed operator of one edge.
@usableFromInline
final class TimedState<O: TimedOperator>: OperatorState<O> {
    @usableFromInline let timing: Timing
    @usableFromInline var edge: EdgeRef?

    @inlinable
    init(_ operation: O, _ queue: TimerQueue) {
        timing = Timing(queue)
        super.init(operation)
        timing.timer.action = { [unowned self] in fire() }
        if let control = operation.control { serve(control) }
    }

    @usableFromInline
    func serve(_ control: TimedControl) {
        control.onFlush = { [weak self] in self?.flush() }
        control.onHasPending = { [weak self] in (self?.waiting ?? 0) > 0 }
    }

    @inlinable
    func makeTimedEdge() -> Edge {
        let edge = Edge(initial.name, initial.isAsynchronous ? .asynchronous : []) { edge in
            let outcome = self.receive(edge, timing: .to(self.timing))
            self.setTimer()
            return outcome
        }
        edge.needSide().state = self
        self.edge = .to(edge)
        return edge
    }

    /// Hands the operator what the source holds, with the target taken as empty.
    @inlinable
    func begin(_ edge: Edge) -> Emission<O.Output>? {
        let result = step(edge, Site(edge, timing: .to(timing), isFresh: true)).result
        setTimer()
        return result
    }

    @inlinable override var waiting: Int { (current ?? initial).waiting }

    /// Follows what the operator wants now.
    @inlinable
    func setTimer() {
        guard let edge, edge.traits.contains(.complete), let next = current?.nextWake else {
            timing.queue.cancel(timing.timer)
            return
        }
        timing.queue.set(timing.timer, at: next)
    }

    @inlinable
    func fire() -> Due? {
        run { operation, site in operation.wake(at: site) }
    }

    @inlinable
    func flush() {
        guard let due = run({ operation, _ in operation.flush() }) else { return }
        due.perform()
    }

    /// Lets the operator change its state outside of a pass.
    @inlinable
    func run(_ change: (inout O, Site) -> HeldEmission<O.Output>?) -> Due? {
        guard let edge = edge?.object else { return nil }
        let begun = generation
        var operation = take()
        let held = change(&operation, Site(edge, timing: .to(timing)))
        put(operation, begun)
        setTimer()
        return held.flatMap { Due(edge, $0) }
    }

    @usableFromInline
    override func reset() -> AnyObject? {
        timing.queue.cancel(timing.timer)
        return super.reset()
    }

    @usableFromInline
    override func detach() -> AnyObject? {
        timing.queue.cancel(timing.timer)
        guard var operation = current else {
            // It is running: what it puts back is dropped.
            generation += 1
            current = initial
            return nil
        }
        let former = operation
        operation.detach()
        current = operation
        return Remains(former)
    }

    @usableFromInline
    override func restore(from reader: inout StateReader, of edge: Edge) throws {
        try super.restore(from: &reader, of: edge)
        timing.queue.noteRestored(reader.lastDeadline)
        setTimer()
    }
}
