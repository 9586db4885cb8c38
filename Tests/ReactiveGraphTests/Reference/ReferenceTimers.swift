/// The time of the reference model, and what is to be done when (G-112).
struct ReferenceTimers {
    var now = 0
    private var entries: [Entry] = []
    private var made = 0

    private struct Entry {
        let deadline: Int
        let number: Int
        let action: () -> Void
    }

    /// Remembers an action; gives its number.
    mutating func start(after duration: Int, _ action: @escaping () -> Void) -> Int {
        made += 1
        entries.append(Entry(deadline: now + duration, number: made, action: action))
        return made
    }

    mutating func cancel(_ number: Int) {
        entries.removeAll { $0.number == number }
    }

    /// The next action that is due until `end`; time stands at its deadline then.
    mutating func next(until end: Int) -> (() -> Void)? {
        let due = entries.filter { $0.deadline <= end }
        guard let first = due.min(by: { ($0.deadline, $0.number) < ($1.deadline, $1.number) }) else {
            return nil
        }
        cancel(first.number)
        now = first.deadline
        return first.action
    }
}

// Delay, debounce and sample: G-74, G-75, G-141, G-141a, G-145; and what goes by the clock.
extension ReferenceWorld {
    func delay(_ edge: ReferenceEdge, _ duration: Int) -> (Journey) -> Void {
        edge.isAsynchronous = true
        var waiting: Set<Int> = []
        edge.onDetach = { [unowned self] in
            for number in waiting { graph.timers.cancel(number) }
            waiting = []
        }
        return { [unowned self, unowned edge] journey in
            guard journey.emission != nil || edge.propagatesEmpty else { return }
            let later = graph.captured(journey)
            var number = 0
            number = graph.timers.start(after: duration) { [unowned self, unowned edge] in
                waiting.remove(number)
                graph.resume(edge, later)
            }
            waiting.insert(number)
        }
    }

    func debounce(_ edge: ReferenceEdge, _ duration: Int, _ burst: Burst) -> (Journey) -> Void {
        edge.isAsynchronous = burst == .last
        let state = Kept(edge, self)
        return { [unowned self, unowned edge] journey in
            guard journey.emission != nil else {
                if edge.propagatesEmpty {
                    state.stop()
                    graph.send(nil, edge, journey)
                }
                return
            }
            let isQuiet = !state.isRunning
            state.start(after: duration) { state.emit() }
            if isQuiet, burst != .last {
                graph.send(journey.emission, edge, journey)
            } else if burst != .first {
                state.kept = graph.captured(journey)
            }
        }
    }

    func sample(_ edge: ReferenceEdge, _ duration: Int, _ burst: Burst) -> (Journey) -> Void {
        edge.isAsynchronous = burst == .last
        let state = Kept(edge, self)
        func begin() {
            state.start(after: duration) {
                guard state.kept != nil else { return }
                begin()
                state.emit()
            }
        }
        return { [unowned self, unowned edge] journey in
            guard journey.emission != nil else {
                if edge.propagatesEmpty {
                    state.stop()
                    graph.send(nil, edge, journey)
                }
                return
            }
            if !state.isRunning {
                begin()
                if burst != .last { return graph.send(journey.emission, edge, journey) }
            }
            if burst != .first { state.kept = graph.captured(journey) }
        }
    }

    func schedule(_ edge: ReferenceEdge, _ period: Int) -> (Journey) -> Void {
        var hasBegun = false
        // Each moment is emitted when it has come; nothing is when it begins.
        return clockwork(edge, period) {
            defer { hasBegun = true }
            return hasBegun ? $0 / period * period : nil
        } end: {
            hasBegun = false
        }
    }

    func between(_ edge: ReferenceEdge, _ period: Int) -> (Journey) -> Void {
        var held: Int?
        return clockwork(edge, period) {
            let isInside = $0 / period % 2
            guard isInside != held else { return nil }
            held = isInside
            return isInside
        } end: {
            held = nil
        }
    }

    /// What goes by the clock alone from the first value on: `look` gives what is emitted at a
    /// time.
    private func clockwork(
        _ edge: ReferenceEdge,
        _ period: Int,
        _ look: @escaping (Int) -> Int?,
        end: @escaping () -> Void
    ) -> (Journey) -> Void {
        var timer: Int?
        func stop() {
            if let timer { graph.timers.cancel(timer) }
            timer = nil
            end()
        }
        func wait() {
            let now = graph.timers.now
            timer = graph.timers.start(after: period - now % period) { [unowned self, unowned edge] in
                wait()
                if let value = look(graph.timers.now) { graph.resume(edge, Journey(emission: value)) }
            }
        }
        edge.onDetach = stop
        return { [unowned self, unowned edge] journey in
            guard journey.emission != nil else {
                if edge.propagatesEmpty {
                    stop()
                    graph.send(nil, edge, journey)
                }
                return
            }
            guard timer == nil else { return }
            wait()
            if let value = look(graph.timers.now) { graph.send(value, edge, journey) }
        }
    }

    /// One value kept back, and one timer.
    private final class Kept {
        var kept: Journey?
        private var number: Int?
        private unowned let edge: ReferenceEdge
        private unowned let world: ReferenceWorld

        init(_ edge: ReferenceEdge, _ world: ReferenceWorld) {
            self.edge = edge
            self.world = world
            edge.onDetach = { [unowned self] in stop() }
        }

        var isRunning: Bool { number != nil }

        func start(after duration: Int, _ action: @escaping () -> Void) {
            if let number { world.graph.timers.cancel(number) }
            number = world.graph.timers.start(after: duration) { [unowned self] in
                number = nil
                action()
            }
        }

        func stop() {
            if let number { world.graph.timers.cancel(number) }
            number = nil
            kept = nil
        }

        func emit() {
            guard let journey = kept else { return }
            kept = nil
            world.graph.resume(edge, journey)
        }
    }
}
