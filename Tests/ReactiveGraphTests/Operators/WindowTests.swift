import ReactiveGraph
import TestSupport
import Testing

@Suite("Windows")
struct WindowTests {
    let clock = ManualClock()
    let graph: Graph

    init() {
        graph = Graph(clock: clock)
    }

    @Test("The last n values: every figure after every value, the replay first")
    func byCount() {
        let source = graph.mutable(5)
        let window = source.window(last: .count(3))
        let numbers = [
            Recorder(window.count()), Recorder(window.sum()), Recorder(window.min()), Recorder(window.max()),
            Recorder(window.first()), Recorder(window.last()),
        ]
        let texts = Recorder(source.map { "\($0)" }.window(last: .count(3)).fold(+))
        let average = Recorder(window.average())
        let halves = Recorder(source.map { Float($0) }.window(last: .count(2)).average())
        for value in [1, 9, 2, 2] { source.set(value) }
        #expect(
            numbers.map(\.history) == [
                [1, 2, 3, 3, 3], [5, 6, 15, 12, 13], [5, 1, 1, 1, 2], [5, 5, 9, 9, 9],
                [5, 5, 5, 1, 9], [5, 1, 9, 2, 2],
            ]
        )
        #expect(texts.history == ["5", "51", "519", "192", "922"])
        #expect(average.history == [5, 3, 5, 4, 13.0 / 3])
        #expect(halves.history == [5, 3, 5, 5.5, 2])
    }

    @Test("The values of the last second: those too old leave when the clock says so")
    func byTime() {
        let source = graph.mutable(of: Int.self)
        let window = source.window(last: .time(.seconds(1)))
        let (sum, count) = (Recorder(window.sum()), Recorder(window.count()))
        let largest = EmissionRecorder(window.max(), replay: false)
        source.set(1)
        clock.advance(by: .milliseconds(400))
        source.set(7)
        source.set(2)
        #expect(sum.history == [1, 8, 10])
        clock.advance(by: .milliseconds(600))
        #expect(sum.history == [1, 8, 10, 9])
        // Those that get too old at the same time leave at once; zero is left, and no greatest
        // value.
        clock.advance(by: .seconds(5))
        #expect(sum.history == [1, 8, 10, 9, 0])
        #expect(count.history == [1, 2, 3, 2, 0])
        #expect(largest.history == [.value(1), .value(7), .value(7), .value(7), .empty])
        #expect(clock.pendingCount == 0)
        source.set(3)
        #expect(sum.history.last == 3)
    }

    @Test("A value that comes when others get too old finds them gone: at most one emission more")
    func sameMoment() {
        let source = graph.mutable(1)
        let heard = Recorder(source.window(last: .time(.seconds(1))).count())
        let bag = CancellableBag()
        source.delay(for: .seconds(1)).listen(in: bag) { _ in source.set(2) }
        clock.advance(by: .seconds(1))
        #expect(heard.history == [1, 0, 1])
    }

    @Test("Every figure equals the one computed anew, for random values and sizes")
    func random() {
        var generator = SeededGenerator(seed: 88)
        for size in [1, 2, 3, 7, 50] {
            let source = graph.mutable(of: Int.self)
            let window = source.window(last: .count(size))
            let figures = [
                window.sum(), window.min(), window.max(), window.first(), window.last(), window.count(),
            ]
            var values: [Int] = []
            for _ in 0..<300 {
                let value = Int.random(in: -9...9, using: &generator)
                values.append(value)
                source.set(value)
                let last = Array(values.suffix(size))
                let expected: [Int?] = [
                    last.reduce(0, +), last.min(), last.max(), last.first, last.last, last.count,
                ]
                #expect(figures.map(\.value) == expected)
            }
        }
    }

    @Test("What has left the window leaves no rounding error behind")
    func rounding() {
        let source = graph.mutable(of: Double.self)
        let sum = source.window(last: .count(2)).sum()
        for value in [1e300, -1e17, 0.1, 0.2] { source.set(value) }
        #expect(sum.value == 0.1 + 0.2)
    }

    @Test("A window of a million values costs a fixed amount of work per value")
    func cost() {
        let source = graph.mutable(of: Int.self)
        var calls = 0
        let folded = source.window(last: .count(1_000)).fold { left, right in
            calls += 1
            return max(left, right)
        }
        for value in 0..<20_000 { source.set(-value) }
        #expect(folded.value == -19_000)
        #expect(calls <= 3 * 20_000)
    }

    @Test("Emptiness changes nothing, unless it travels: then empty until the next value (G-11, G-145)")
    func empty() {
        let source = graph.mutable(1)
        let sum = source.window(last: .time(.seconds(1))).sum()
        source.clear()
        #expect(sum.value == 1)
        sum.propagatesEmpty = true
        source.set(2)
        source.clear()
        #expect(sum.isEmpty)
        #expect(clock.pendingCount == 0)
        clock.advance(by: .milliseconds(500))
        source.set(4)
        #expect(sum.value == 7)
        clock.advance(by: .milliseconds(500))
        #expect(sum.value == 4)
    }

    @Test("Another source starts with an empty window (G-23)")
    func reaiming() throws {
        let source = graph.mutable(1)
        let sum = source.window(last: .time(.seconds(1))).sum()
        let edge = try #require(sum.upstreamTransforms.first as? TransformEdge<Int, Int>)
        edge.from = graph.mutable(10)
        #expect(sum.value == 10)
        clock.advance(by: .seconds(1))
        #expect(sum.value == 0)
    }

    @Test("The context of a value comes along; a figure because of the time has none (G-45)")
    func context() {
        let source = graph.mutable(of: Int.self)
        let bag = CancellableBag()
        var heard: [String] = []
        source.window(last: .time(.seconds(1))).count().listenEmissions(in: bag) { emission, delivery in
            guard let value = emission.value else { return }
            heard.append("\(value) \(delivery.context?.value() ?? "-")")
        }
        source.set(1, context: Context("c"))
        clock.advance(by: .seconds(1))
        #expect(heard == ["1 c", "0 -"])
    }

    @Test("Is released with its last holder, and its timer stops")
    func release() {
        expectReleased(graph) { $0.window(last: .time(.seconds(1))).max() }
        expectReleased(graph) { $0.window(last: .count(2)).sum() }
        #expect(clock.pendingCount == 0)
    }

    @Test("A listener that sets the source when values leave just opens the window again")
    func misbehaves() {
        let source = graph.mutable(1)
        let bag = CancellableBag()
        var heard: [Int] = []
        source.window(last: .time(.seconds(1))).count().listen(in: bag) { count in
            heard.append(count)
            if count == 0, heard.count < 5 { source.set(1) }
        }
        clock.advance(by: .seconds(10))
        #expect(heard == [1, 0, 1, 0, 1, 0])
    }

    @Test("A size that is not positive is a programming error")
    func programmingErrors() async {
        await #expect(processExitsWith: .failure) { _ = Graph().mutable(1).window(last: .count(0)) }
        await #expect(processExitsWith: .failure) {
            _ = Graph().mutable(1).window(last: .time(.seconds(1))).sum()
        }
    }
}
