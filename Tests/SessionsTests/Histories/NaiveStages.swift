import Definitions

// What each stage makes of an emission (docs/definitions.md, Stages): a value, a failure, or
// emptiness, which travels.
extension Naive.Graph {
    typealias Held = Naive.Held
    typealias Node = Naive.Node

    /// The node of a stage behind `input`; its failures say that they happened at `place`.
    ///
    /// The last stage of a named node is that node itself, `target`. A stage `isPrivate` that is
    /// part of a client's pipeline.
    func stage(
        _ stage: Naive.Stage,
        behind input: Node,
        at place: String,
        as target: Node? = nil,
        isPrivate: Bool,
        onLast: @escaping () -> Void
    ) -> Node {
        let typeFault = Held.fail(Naive.Failure(code: "expr_type", place: place, cause: [.text(stage.json)]))
        /// Empty stays empty, a failure stays that failure.
        func compute(_ change: @escaping (Naive.Value) -> Held?) -> Node {
            derive(input, as: target) { held in
                guard case .value(let value) = held else { return held }
                return change(value)
            }
        }
        func choose(_ isChosen: @escaping (Naive.Value) -> Bool) -> Node {
            compute { isChosen($0) ? .value($0) : nil }
        }
        /// Failures count, too (G-70).
        func count(_ passes: @escaping () -> Bool) -> Node {
            derive(input, as: target) { held in held == .empty || passes() ? held : nil }
        }
        switch stage {
        case .map(let expression): return compute { expression.result([$0], at: place) }
        case .replace(let constant): return compute { _ in .value(constant) }
        case .ifEmpty(let constant): return derive(input, as: target) { $0 == .empty ? .value(constant) : $0 }
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
        case .distinct(let key): return distinct(input, by: key, at: place, as: target)
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
                values = (values + [(value, time(isPrivate: isPrivate))]).suffix(most)
                return figure.of(values)
            }
        case .windowOver, .debounce, .sample, .delay:
            return timed(stage, behind: input, at: place, isPrivate: isPrivate, as: target)
        }
    }

    /// `distinct`: what differs from what the node holds.
    ///
    /// A value or failure is let through unless it, or its key, is that of what the node holds now,
    /// whatever put that there; an empty node lets anything through (G-71).
    private func distinct(
        _ input: Node,
        by key: Naive.Expression?,
        at place: String,
        as target: Node?
    ) -> Node {
        let node = target ?? node()
        return derive(input, as: node) { [unowned self, unowned node] held in
            let present = fresh?.node === node ? .empty : node.held
            switch (held, present) {
            case (.empty, _): return held
            case (.fail, _): return areAlike(held, present) ? nil : held
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
    }

    /// Whether two emissions are the same; of failures of one expression that fail on different
    /// values it is left open.
    func areAlike(_ a: Held, _ b: Held) -> Bool {
        guard case .fail(let a) = a, case .fail(let b) = b else { return a == b }
        return a == b || (choice == .one && a.code == b.code && a.place == b.place)
    }

    /// A stage that waits.
    ///
    /// Emptiness travels at once, and what waits is dropped (G-75, G-141).
    private func timed(
        _ stage: Naive.Stage,
        behind input: Node,
        at place: String,
        isPrivate: Bool,
        as target: Node?
    ) -> Node {
        var behaviour = Naive.Waiting(stage, place, isPrivate: isPrivate)
        let node = target ?? node()
        let timer = Naive.Timer(isPrivate: isPrivate) { [unowned self, unowned node] in
            let kept = behaviour.ring(in: self)
            node.timer?.due = behaviour.due
            return kept
        }
        node.timer = timer
        connect(
            Naive.Wire(input, node) { [unowned self, unowned node] held, path, _ in
                let made = behaviour.receive(Naive.Kept(held: held, path: path), in: self)
                timer.due = behaviour.due
                if let made { pass(node, made, path) }
            },
            receivesEmpty: true
        )
        return node
    }
}

extension Naive {
    /// What a stage that waits remembers.
    struct Waiting {
        private let stage: Stage
        private let place: String
        private let isPrivate: Bool
        private var kept: [(emission: Kept, end: Deadline)] = []
        private var values: [(value: Value, time: UInt64, end: Deadline)] = []
        /// Whether emptiness came last: a window sleeps until the next value.
        private var isPaused = false
        /// When the silence, or the interval, is over.
        private var end: Deadline?

        init(_ stage: Stage, _ place: String, isPrivate: Bool) {
            self.stage = stage
            self.place = place
            self.isPrivate = isPrivate
        }

        /// When it wants to be woken.
        var due: Deadline? { kept.first?.end ?? (isPaused ? nil : values.first?.end) }

        /// What is emitted at once.
        mutating func receive(_ emission: Kept, in graph: Graph) -> Held? {
            let isOver = kept.isEmpty && end.map { graph.hasPassed($0, isPrivate: isPrivate) } ?? true
            switch (stage, emission.held) {
            case (_, .empty):
                kept = []
                end = nil
                isPaused = true
                return .empty
            case (.delay(let span), _):
                kept.append((emission, graph.deadline(after: span, isPrivate: isPrivate)))
                return nil
            case (.debounce(let span, let edge), let held):
                let silence = graph.deadline(after: span, isPrivate: isPrivate)
                end = silence
                if isOver, edge != .trailing { return held }
                if edge != .leading { kept = [(emission, silence)] }
                return nil
            case (.sample(let span, let edge), let held):
                // The first value begins an interval; the interval after an emission runs already
                // (G-141a).
                let isFirst = isOver
                let interval =
                    isFirst ? graph.deadline(after: span, isPrivate: isPrivate) : kept.first?.end ?? end
                end = interval
                if isFirst, edge != .trailing { return held }
                if edge != .leading { kept = interval.map { [(emission, $0)] } ?? [] }
                return nil
            case (.windowOver(let span, let figure), .value(let value)):
                guard !figure.needsNumbers || value.number != nil else {
                    return .fail(Failure(code: "expr_type", place: place, cause: [.text(stage.json)]))
                }
                isPaused = false
                values.append(
                    (
                        value, graph.time(isPrivate: isPrivate),
                        graph.deadline(after: span, isPrivate: isPrivate)
                    )
                )
                return shown(figure, graph.time(isPrivate: isPrivate))
            case (_, let held): return held
            }
        }

        /// What is emitted now that the time has come.
        mutating func ring(in graph: Graph) -> Kept? {
            if case .windowOver(_, let figure) = stage {
                return Kept(held: shown(figure, graph.time(isPrivate: isPrivate)))
            }
            if case .sample(let span, _) = stage { end = graph.deadline(after: span, isPrivate: isPrivate) }
            return kept.isEmpty ? nil : kept.removeFirst().emission
        }

        /// The figure over what is not too old.
        private mutating func shown(_ figure: Figure, _ now: UInt64) -> Held {
            values.removeAll { $0.end.time <= now }
            return figure.of(values.map { ($0.value, $0.time) })
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

    /// The sum as a number, and what rounding lost of it.
    private static func sum(_ numbers: [Double]) -> (sum: Double, lost: Double) {
        var (sum, lost) = (0.0, 0.0)
        for number in numbers {
            let next = sum + number
            lost += abs(sum) >= abs(number) ? (sum - next) + number : (number - next) + sum
            sum = next
        }
        return (sum, sum.isFinite ? lost : 0)
    }

    /// The exact sum divided by their number, rounded once.
    private static func mean(_ numbers: [Double]) -> Double {
        let ((sum, lost), count) = (Self.sum(numbers), Double(numbers.count))
        let mean = sum / count
        return mean.isFinite ? mean + (sum.addingProduct(-mean, count) + lost) / count : mean
    }

    /// The figure; of nothing, `count` and `sum` are 0, the list is empty, and there is no other.
    func of(_ values: [(value: Naive.Value, time: UInt64)]) -> Naive.Held {
        let numbers = values.compactMap(\.value.number)
        switch self {
        case .count: return .value(.number(Double(values.count)))
        case .sum:
            let (sum, lost) = Self.sum(numbers)
            return .value(.number(sum + lost))
        case .list: return .value(.list(values.map(\.value)))
        default: break
        }
        guard let first = values.first, let last = values.last else { return .empty }
        switch self {
        case .first: return .value(first.value)
        case .last: return .value(last.value)
        case .avg: return .value(.number(Self.mean(numbers)))
        case .min: return .value(.number(numbers.min() ?? 0))
        case .max: return .value(.number(numbers.max() ?? 0))
        case .p50: return Self.percentile(numbers, 0.5)
        case .p95: return Self.percentile(numbers, 0.95)
        case .p99: return Self.percentile(numbers, 0.99)
        // The increase per second from the oldest to the newest value; none of one moment.
        case .rate:
            guard last.time > first.time else { return .empty }
            let span = last.time - first.time
            let seconds = Double(span / 1000) + Double(span % 1000) / 1000
            return .value(.number((numbers[numbers.count - 1] - numbers[0]) / seconds))
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
