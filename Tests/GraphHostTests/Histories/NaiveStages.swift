// What each stage makes of an emission (definitions.md §3): a value, a failure, or emptiness, which travels.
extension Naive.Graph {
    typealias Held = Naive.Held
    typealias Node = Naive.Node

    /// The node of a stage behind `input`; its failures say that they happened at `place`.
    ///
    /// A `distinct` compares with what `shown` holds, the named node whose last stage it is (G-71), or with its own node.
    /// A stage `isPrivate` that is part of a client's pipeline.
    func stage(
        _ stage: Naive.Stage,
        behind input: Node,
        at place: String,
        shown: Naive.Shown?,
        isPrivate: Bool,
        onLast: @escaping () -> Void
    ) -> Node {
        let typeFault = Held.fail(Naive.Failure(code: "expr_type", place: place))
        /// Empty stays empty, a failure stays that failure.
        func compute(_ change: @escaping (Naive.Value) -> Held?) -> Node {
            derive(input) { held in
                guard case .value(let value) = held else { return held }
                return change(value)
            }
        }
        func choose(_ isChosen: @escaping (Naive.Value) -> Bool) -> Node {
            compute { isChosen($0) ? .value($0) : nil }
        }
        /// Failures count, too (G-70).
        func count(_ passes: @escaping () -> Bool) -> Node {
            derive(input) { held in held == .empty || passes() ? held : nil }
        }
        switch stage {
        case .map(let expression): return compute { expression.result([$0], at: place) }
        case .replace(let constant): return compute { _ in .value(constant) }
        case .ifEmpty(let constant): return derive(input) { $0 == .empty ? .value(constant) : $0 }
        case .filter(let condition):
            return compute { value in
                let answer = condition.result([value], at: place)
                switch answer {
                case .value(.bool(let isWanted)): return isWanted ? .value(value) : nil
                case .fail: return answer
                default: return typeFault
                }
            }
        case .ignore(let unwanted): return choose { $0 != unwanted }
        case .select(let wanted): return choose { $0 == wanted }
        case .ignoreNull: return choose { $0 != .null }
        case .distinct(let key): return distinct(input, by: key, at: place, shown)
        case .delta:
            var previous: Double?
            return compute { value in
                guard let number = value.number else { return typeFault }
                defer { previous = number }
                return previous.map { .value(.number(number - $0)) }
            }
        case .skip(let most):
            var dropped = 0
            return count {
                dropped += 1
                return dropped > most
            }
        case .take(let most):
            var passed = 0
            return count {
                passed += 1
                return passed <= most
            }
        case .prefix(let most):
            var passed = 0
            return count {
                passed += 1
                if passed == most { onLast() }
                return passed <= most
            }
        case .scan(let start, let with):
            var running = start
            var index = 0.0
            return compute { value in
                let made = with.result([running, value, .number(index)], at: place)
                if case .value(let next) = made {
                    running = next
                    index += 1
                }
                return made
            }
        case .windowOf(let most, let figure):
            var values: [(value: Naive.Value, time: UInt64)] = []
            return compute { [unowned self] value in
                guard !figure.needsNumbers || value.number != nil else { return typeFault }
                values = (values + [(value, now)]).suffix(most)
                return figure.of(values)
            }
        case .windowOver, .debounce, .sample, .delay:
            return timed(stage, behind: input, at: place, isPrivate: isPrivate)
        }
    }

    /// `distinct`: what differs from what the node holds.
    ///
    /// A value is let through unless it, or its key, is that of what the node holds now, whatever put that there; an
    /// empty node lets anything through (G-71). Failures pass; whether the same one passes twice is left open.
    private func distinct(
        _ input: Node,
        by key: Naive.Expression?,
        at place: String,
        _ shown: Naive.Shown?
    ) -> Node {
        var own: Node?
        let node = derive(input) { [unowned self] held in
            let present = (shown == nil ? own : shown?.node)?.held ?? .empty
            switch (held, present) {
            case (.empty, _): return held
            case (.fail, _): return choice == .one && held == present ? nil : held
            case (.value(let value), .value(let other)):
                guard let key else { return value == other ? nil : held }
                let made = key.result([value], at: place)
                if made.isFail { return made }
                return made == key.result([other], at: place) ? nil : held
            case (.value(let value), _):
                guard let made = key?.result([value], at: place), made.isFail else { return held }
                return made
            }
        }
        own = node
        return node
    }

    /// A stage that waits.
    ///
    /// Emptiness travels at once, and what waits is dropped (G-75, G-141).
    private func timed(
        _ stage: Naive.Stage,
        behind input: Node,
        at place: String,
        isPrivate: Bool
    ) -> Node {
        var behaviour = Naive.Waiting(stage, place)
        let node = node()
        let timer = Naive.Timer(isPrivate: isPrivate) { [unowned self, unowned node] in
            let emissions = behaviour.ring(at: now)
            if let due = behaviour.due, let timer = node.timer { wake(timer, at: due) }
            return emissions
        }
        node.timer = timer
        connect(
            Naive.Wire(input, node) { [unowned self, unowned node] held, path, _ in
                let before = behaviour.due
                let made = behaviour.receive(held, at: now)
                if let due = behaviour.due {
                    if due != before || behaviour.restarts { wake(timer, at: due) }
                } else {
                    stop(timer)
                }
                if let made { pass(node, made, path) }
            },
            hearsEmpty: true
        )
        return node
    }
}

extension Naive {
    /// The named node that a stage is the end of, once that is there.
    final class Shown {
        var node: Node?
    }

    /// What a stage that waits remembers.
    struct Waiting {
        /// When it wants to be woken.
        private(set) var due: UInt64?
        /// Whether its wake-up is a new one with each value.
        var restarts: Bool {
            if case .debounce = stage { true } else { false }
        }
        private let stage: Stage
        private let place: String
        private var held: [(held: Held, due: UInt64)] = []
        private var values: [(value: Value, time: UInt64)] = []
        /// When the silence, or the interval, is over.
        private var end: UInt64 = 0

        init(_ stage: Stage, _ place: String) {
            self.stage = stage
            self.place = place
        }

        /// What is emitted at once.
        mutating func receive(_ emission: Held, at now: UInt64) -> Held? {
            if emission == .empty {
                held = []
                due = nil
                // After emptiness a burst begins anew.
                if case .debounce = stage { end = 0 }
                return .empty
            }
            switch stage {
            case .delay(let span):
                held.append((emission, now + UInt64(span)))
                due = held[0].due
                return nil
            case .debounce(let span, let edge):
                let isFirst = held.isEmpty && now >= end
                end = now + UInt64(span)
                if isFirst, edge != .trailing { return emission }
                guard edge != .leading else { return nil }
                held = [(emission, end)]
                due = end
                return nil
            case .sample(let span):
                // The first value begins an interval; the interval after an emission runs already (G-141a).
                if held.isEmpty, now >= end { end = now + UInt64(span) }
                held = [(emission, end)]
                due = end
                return nil
            case .windowOver(let span, let figure):
                guard case .value(let value) = emission else { return emission }
                guard !figure.needsNumbers || value.number != nil else {
                    return .fail(Failure(code: "expr_type", place: place))
                }
                values.append((value, now))
                return shown(span, figure, now)
            default: return nil
            }
        }

        mutating func ring(at now: UInt64) -> [Held] {
            due = nil
            switch stage {
            case .windowOver(let span, let figure): return [shown(span, figure, now)]
            case .sample(let span): end = now + UInt64(span)
            default: break
            }
            let ripe = held.prefix { $0.due <= now }
            held.removeFirst(ripe.count)
            due = held.first?.due
            return ripe.map(\.held)
        }

        /// The figure over what is not too old, and a wake-up for when the oldest is.
        private mutating func shown(_ span: Int, _ figure: Figure, _ now: UInt64) -> Held {
            values.removeAll { $0.time + UInt64(span) <= now }
            due = values.first.map { $0.time + UInt64(span) }
            return figure.of(values)
        }
    }
}

extension Naive.Figure {
    var needsNumbers: Bool {
        switch self {
        case .count, .first, .last, .list: false
        default: true
        }
    }

    /// The figure; of nothing, `count` and `sum` are 0, the list is empty, and there is no other.
    func of(_ values: [(value: Naive.Value, time: UInt64)]) -> Naive.Held {
        let numbers = values.compactMap(\.value.number)
        let sum = numbers.reduce(0, +)
        switch self {
        case .count: return .value(.number(Double(values.count)))
        case .sum: return .value(.number(sum))
        case .list: return .value(.list(values.map(\.value)))
        default: break
        }
        guard let first = values.first, let last = values.last else { return .empty }
        switch self {
        case .first: return .value(first.value)
        case .last: return .value(last.value)
        case .avg: return .value(.number(sum / Double(numbers.count)))
        case .min: return .value(.number(numbers.min() ?? 0))
        case .max: return .value(.number(numbers.max() ?? 0))
        case .p50: return Self.percentile(numbers, 0.5)
        case .p95: return Self.percentile(numbers, 0.95)
        case .p99: return Self.percentile(numbers, 0.99)
        // The increase per second from the oldest to the newest value; none of one moment.
        case .rate:
            guard last.time > first.time else { return .empty }
            return .value(
                .number((numbers[numbers.count - 1] - numbers[0]) * 1000 / Double(last.time - first.time))
            )
        default: return .empty
        }
    }

    /// The smallest value that at least this share of all does not exceed.
    private static func percentile(_ numbers: [Double], _ share: Double) -> Naive.Held {
        let wanted = numbers.sorted().first { number in
            Double(numbers.filter { $0 <= number }.count) >= share * Double(numbers.count)
        }
        return wanted.map { .value(.number($0)) } ?? .empty
    }
}
