import ReactiveGraph
import TestSupport
import Testing

/// A value that runs something when it dies.
///
/// Errors must be `Sendable`; this one never leaves its test's thread.
private final class Mortal: @unchecked Sendable {
    let onDeath: () -> Void

    init(_ onDeath: @escaping () -> Void) {
        self.onDeath = onDeath
    }

    deinit { onDeath() }
}

/// What a value's death does: it comes at some place inside the library, which must be in order by
/// then.
@Suite("The death of a value may do anything")
struct DeathTests {
    private let clock = ManualClock()

    /// An operator that holds values back, and releases them with its edge.
    enum Keeping: String, CaseIterable {
        case debounce, sample, delay, deliver, scan, window

        fileprivate func make(_ source: Node<Mortal?>, _ loop: ManualExecutor) -> Node<Mortal?> {
            switch self {
            case .debounce: source.debounce(for: .seconds(1))
            case .sample: source.sample(every: .seconds(1))
            case .delay: source.delay(for: .seconds(1))
            case .deliver: source.deliver(on: loop)
            case .scan: source.scan(nil as Mortal?) { _, new in new }
            case .window: source.window(last: .count(2)).last()
            }
        }
    }

    @Test(
        "G-25: the death of a value that an operator kept back may disconnect the very edge",
        arguments: Keeping.allCases
    )
    func disconnectedAgain(_ keeping: Keeping) throws {
        let loop = ManualExecutor()
        let graph = Graph(clock: clock, executor: loop)
        let source = graph.mutable(of: Mortal?.self)
        let target = keeping.make(source, loop)
        let edge = try #require(target.upstreamTransforms.first)
        var deaths = 0
        source.set(
            Mortal {
                deaths += 1
                edge.disconnect()
            }
        )
        source.clear()
        target.writable().clear()
        edge.disconnect()
        clock.advance(by: .seconds(5))
        loop.run()
        #expect(graph.counts.liveEdges == 0)
        #expect(source.downstreamTransforms.isEmpty && target.upstreamTransforms.isEmpty)
        expectSound(graph, source, target)
        // A scan and a window keep their state: another source may follow.
        if keeping != .scan, keeping != .window { #expect(deaths == 1) }
    }

    @Test("G-23: the death of a running value may aim the very edge elsewhere", arguments: Keeping.allCases)
    func aimedAgain(_ keeping: Keeping) throws {
        let loop = ManualExecutor()
        let graph = Graph(clock: clock, executor: loop)
        let sources = (0..<3).map { _ in graph.mutable(of: Mortal?.self) }
        let target = keeping.make(sources[0], loop)
        let edge = try #require(target.upstreamTransforms.first as? TransformEdge<Mortal?, Mortal?>)
        var deaths = 0
        sources[0].set(
            Mortal {
                deaths += 1
                edge.from = sources[2]
            }
        )
        sources[0].clear()
        target.writable().clear()
        edge.from = sources[1]
        clock.advance(by: .seconds(5))
        loop.run()
        #expect(graph.counts.liveEdges == 1)
        #expect(deaths == 1 && edge.from === sources[2])
        expectSound(graph, sources[0], sources[1], sources[2], target)
    }

    @Test("G-66: the death of a value that leaves a window may release the window's node")
    func windowLeft() {
        let graph = Graph(clock: clock)
        let source = graph.mutable(of: Mortal?.self)
        var figure: Node<Mortal?>? = source.window(last: .time(.seconds(1))).last()
        var deaths = 0
        source.set(
            Mortal {
                deaths += 1
                figure = nil
            }
        )
        source.clear()
        // What the node shows must not be what keeps the value.
        figure?.writable().clear()
        clock.advance(by: .seconds(2))
        #expect(deaths == 1)
        #expect(figure == nil)
        #expect(graph.counts.liveNodes == 1)
        expectSound(graph, source)
    }

    @Test("G-66: the function of a window may release the window's node")
    func windowFolded() {
        let graph = Graph(clock: clock)
        let source = graph.mutable(1)
        var figure: Node<Int>?
        figure = source.window(last: .time(.seconds(2))).fold { older, newer in
            if clock.now > .seconds(1) { figure = nil }
            return older + newer
        }
        clock.advance(by: .milliseconds(500))
        for value in 2...4 { source.set(value) }
        #expect(figure?.value == 10)
        clock.advance(by: .seconds(4))
        #expect(figure == nil)
        #expect(graph.counts.liveNodes == 1)
        expectSound(graph, source)
    }

    @Test("G-39: what dies at the end of a stopped turn sets nodes that deliver again")
    func stoppedTurn() {
        let graph = Graph(feedbackLimit: 10)
        let (source, other) = (graph.mutable(0), graph.mutable(0))
        let bag = CancellableBag()
        var heard: [Int] = []
        other.listen(in: bag, replay: false) { heard.append($0) }
        var mortal: Mortal? = Mortal { other.set(7) }
        var listen: CancelToken?
        listen = source.listen(in: bag, replay: false) { [held = mortal] value in
            // The closure goes when the outermost turn ends, and its value with it.
            if value == 5 { listen?.cancel() }
            withExtendedLifetime(held) {}
        }
        mortal = nil
        source.listen(in: bag, replay: false) { source.set($0 + 1) }
        source.set(1)
        #expect(heard == [7])
        expectSound(graph, source, other)
    }

    @Test("G-135: the death of an error may look at the error that follows it")
    func errors() {
        struct Carrying: Error { let mortal: Mortal }
        struct Plain: Error {}
        let graph = Graph()
        let node = graph.mutable(1)
        var seen: [Bool] = []
        node.fail(Carrying(mortal: Mortal { seen.append(node.latestError is Plain) }))
        node.fail(Plain())
        #expect(seen == [true])
    }
}
