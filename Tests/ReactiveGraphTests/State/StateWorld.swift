import ReactiveGraph
import TestSupport

/// A random graph of Int nodes, the same for every world of one seed, and everything its nodes
/// emit.
final class StateWorld {
    let clock = ManualClock()
    let graph: Graph
    /// Every node in the order of creation.
    private(set) var all: [AnyNode] = []
    /// What each node has emitted since ``forget()``.
    private(set) var emitted: [[String]] = []
    private var sources: [MutableNode<Int>] = []
    private var ints: [Node<Int>] = []
    private var generator: SeededGenerator
    private let bag = CancellableBag()

    init(seed: UInt64, _ propagation: Graph.Propagation, propagatesEmpty: Bool, at time: Duration = .zero) {
        clock.advance(to: time)
        graph = Graph(propagation: propagation, clock: clock, propagatesEmpty: propagatesEmpty)
        graph.onError = { _ in }  // random switches overflow all the time
        generator = SeededGenerator(seed: seed)
        for _ in 0..<3 {
            let source =
                generator.chance(1, in: 2) ? graph.mutable(generator.below(9)) : graph.mutable(of: Int.self)
            sources.append(source)
            add(source)
        }
        for _ in 0..<(4 + generator.below(9)) { grow() }
    }

    func forget() {
        emitted = emitted.map { _ in [] }
    }

    /// What every node holds.
    var values: [String] { all.map(\.description) }

    // MARK: - Growing

    private func any() -> Node<Int> { ints[generator.below(ints.count)] }
    private func time() -> Duration { .milliseconds(10 * (1 + generator.below(6))) }

    @discardableResult
    private func note<Value>(_ node: Node<Value>) -> Node<Value> {
        let place = all.count
        all.append(node)
        emitted.append([])
        node.listenEmissions(in: bag, replay: false) { [unowned self] emission, _ in
            emitted[place].append("\(emission)")
        }
        return node
    }

    private func add(_ node: Node<Int>) {
        ints.append(note(node))
    }

    private func grow() {
        let source = any()
        let other = any()
        let number = generator.below(4)
        switch generator.below(24) {
        case 0: add(source.skip(number))
        case 1: add(source.take(number))
        case 2: add(source.prefix(number))
        case 3: add(source.scan(0) { ($0 + $1) % 100 })
        case 4: add(source.delta())
        case 5: add(source.distinct())
        case 6, 7: growWindow(source)
        case 8: add(source.debounce(for: time(), edge: DebounceEdge.allCases[generator.below(3)]))
        case 9: add(source.sample(every: time()))
        case 10:
            let buffer: BufferPolicy = [.unbounded, .dropOldest(2), .dropNewest(2)][generator.below(3)]
            add(source.delay(for: time(), buffer: buffer))
        case 11: add(Node.combineEach(source, other) { ($0 * 3 + $1) % 100 })
        case 12: add(Node.combineEach([source, other, any()]) { $0.reduce(0, +) % 100 })
        case 13:
            add(Graph.join([source, other]) { emissions, _ in .value(emissions.count { $0.isEmpty }) })
        case 14: add(Node.zipEach(source, other, buffer: .dropOldest(3)) { ($0 + $1) % 100 })
        case 15: add(Node.zipEach([source, other, any()]) { $0.reduce(1, +) % 100 })
        case 16, 17: growSwitch(source)
        case 18:
            let choices = ints
            add(source.flattenMap { choices[abs($0) % choices.count] })
        case 19:
            let choices = ints
            let nodes = note(source.map { choices[abs($0) % choices.count] })
            add(nodes.flatten())
        case 20: add(Node.merge([source, other]))
        case 21: add(source.ifEmpty(7))
        case 22: source.sync(with: other)
        default: add(source.map { ($0 + 1) % 100 })
        }
    }

    private func growWindow(_ source: Node<Int>) {
        let extent: WindowExtent =
            generator.chance(1, in: 2) ? .count(1 + generator.below(4)) : .time(time())
        let window = source.window(last: extent)
        switch generator.below(11) {
        case 0: add(window.count())
        case 1: add(window.first())
        case 2: add(window.last())
        case 3: add(note(window.values()).map { $0.count })
        case 4: add(window.fold { ($0 * 3 + $1) % 100 })
        case 5: add(window.sum())
        case 6: add(note(window.average()).map { Int($0) })
        case 7: add(window.min())
        case 8: add(window.max())
        case 9: add(window.percentile(0.5))
        default:
            let tenths = note(source.map { Double($0) / 10 })
            let figures = tenths.window(last: extent)
            let figure =
                switch generator.below(5) {
                case 0: figures.sum()
                case 1: figures.average()
                case 2: figures.min()
                case 3: figures.max()
                default: figures.rate()
                }
            add(note(figure).map { Int($0.rounded()) % 100 })
        }
    }

    private func growSwitch(_ source: Node<Int>) {
        let limit: KeyLimit = [.unlimited, .evictOldest(2), .fail(2)][generator.below(3)]
        let switched = note(
            source.switch(maxKeys: limit, releasesUnused: generator.chance(1, in: 2)) {
                $0 % 4 == 3 ? nil : $0 % 4
            }
        )
        let pairs = generator.chance(1, in: 3) ? note(switched.skip(1)) : switched
        for _ in 0..<(1 + generator.below(3)) {
            switch generator.below(4) {
            case 0: add(pairs.defaultCase())
            case 1: add(pairs.otherwise(excluding: [generator.below(3)]))
            default: add(pairs.case(generator.below(3)))
            }
        }
    }

    // MARK: - Going on

    /// One step of the history that `generator` gives.
    func step(_ generator: inout SeededGenerator) {
        let source = sources[generator.below(sources.count)]
        let other = sources[generator.below(sources.count)]
        let value = generator.below(20)
        switch generator.below(10) {
        case 0..<5: source.set(value)
        case 5: source.clear()
        case 6:
            graph.batch { batch in
                batch.set(source, value)
                batch.set(other, value + 1)
            }
        default: clock.advance(by: .milliseconds(5 * (1 + generator.below(8))))
        }
    }

    // MARK: - Saving

    func save() -> StateWriter {
        var writer = StateWriter { value, bytes in
            switch value {
            case let value as Int: bytes += "\(value)".utf8
            case let value as Double: bytes += "\(value.bitPattern)".utf8
            case let value as [Int]: bytes += value.map { "\($0)" }.joined(separator: " ").utf8
            default: throw StateError.wrongType("\(type(of: value))")
            }
        }
        graph.saveState(of: all, to: &writer)
        return writer
    }

    func restore(_ bytes: [UInt8]) throws {
        var reader = StateReader(bytes) { bytes, type in
            let text = String(decoding: bytes, as: UTF8.self)
            let value: Any? =
                if type == Int.self {
                    Int(text).flatMap { (0..<100_000).contains(abs($0)) ? $0 : nil }
                } else if type == Double.self {
                    UInt64(text).map(Double.init(bitPattern:)).flatMap { abs($0) < 1e6 ? $0 : nil }
                } else {
                    text.split(separator: " ").compactMap { Int($0) }
                }
            guard let value else { throw StateError.malformed }
            return value
        }
        try graph.restoreState(of: all, from: &reader)
        guard reader.isAtEnd else { throw StateError.malformed }
    }
}
