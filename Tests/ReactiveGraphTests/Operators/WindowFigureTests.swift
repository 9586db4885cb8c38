import ReactiveGraph
import TestSupport
import Testing

@Suite("Figures over windows")
struct WindowFigureTests {
    let clock = ManualClock()
    let graph: Graph

    init() {
        graph = Graph(clock: clock)
    }

    @Test("rate: the increase per second from the oldest value to the newest (G-69, G-112)")
    func rate() {
        let source = graph.mutable(10.0)
        let heard = EmissionRecorder(source.window(last: .count(2)).rate())
        source.set(11)
        clock.advance(by: .milliseconds(500))
        source.set(12)
        clock.advance(by: .seconds(2))
        source.set(6)
        // One value, and two of one moment, have no rate.
        #expect(heard.history == [.empty, .empty, .value(2), .value(-3)])
    }

    @Test("rate over a time: empty again once a single value is left (G-112)")
    func rateOverTime() {
        let source = graph.mutable(0.0)
        let rate = source.window(last: .time(.seconds(10))).rate()
        clock.advance(by: .seconds(4))
        source.set(8)
        #expect(rate.value == 2)
        clock.advance(by: .seconds(6))
        #expect(rate.isEmpty)
    }

    @Test(
        "percentile: the least value that this share of all does not exceed (G-69)",
        arguments: [(0.0, 1), (0.25, 1), (0.5, 2), (0.51, 3), (0.75, 3), (0.95, 9), (1.0, 9)]
    )
    func percentile(share: Double, expected: Int) {
        let source = graph.mutable(of: Int.self)
        let percentile = source.window(last: .count(4)).percentile(share)
        for value in [100, 9, 1, 3, 2] { source.set(value) }
        #expect(percentile.value == expected)
    }

    @Test("percentile equals the one of the sorted values, for random values and sizes (G-69)")
    func randomPercentiles() {
        var generator = SeededGenerator(seed: 95)
        for size in [1, 2, 7, 40] {
            let source = graph.mutable(of: Int.self)
            let window = source.window(last: .count(size))
            let shares = [0, 0.1, 0.5, 0.95, 1]
            let figures = shares.map { window.percentile($0) }
            var values: [Int] = []
            for _ in 0..<200 {
                let value = Int.random(in: -9...9, using: &generator)
                values.append(value)
                source.set(value)
                let sorted = values.suffix(size).sorted()
                let expected = shares.map { share in
                    sorted.first { limit in
                        Double(sorted.count { $0 <= limit }) >= share * Double(sorted.count)
                    }
                }
                #expect(figures.map(\.value) == expected)
            }
        }
    }

    @Test("values: all that the window holds, oldest first; none is an empty list (G-69, G-112)")
    func values() {
        let source = graph.mutable(1)
        let heard = Recorder(source.window(last: .time(.seconds(2))).values())
        clock.advance(by: .seconds(1))
        source.set(2)
        clock.advance(by: .seconds(3))
        #expect(heard.history == [[1], [1, 2], [2], []])
    }

    @Test("A limit bounds a window over a time as well; the oldest go (G-142)")
    func limit() {
        let source = graph.mutable(of: Int.self)
        let window = Windowed(last: .time(.seconds(10)), limit: 2, WindowList<Int>()) { $0 }
        let heard = Recorder(source.apply(window))
        for value in 1...4 { source.set(value) }
        #expect(heard.history == [[1], [1, 2], [2, 3], [3, 4]])
        clock.advance(by: .seconds(10))
        #expect(heard.history.last == [])
    }

    @Test("Of a count and a limit the smaller holds (G-142)")
    func smallerLimit() {
        let source = graph.mutable(of: Int.self)
        let few = Recorder(source.apply(Windowed(last: .count(5), limit: 2, WindowList<Int>()) { $0 }))
        let many = Recorder(source.apply(Windowed(last: .count(2), limit: 5, WindowList<Int>()) { $0 }))
        for value in 1...3 { source.set(value) }
        #expect(few.history == [[1], [1, 2], [2, 3]])
        #expect(many.history == few.history)
    }

    @Test("Each figure is released with its last holder (G-101)")
    func release() {
        expectReleased(graph) { $0.window(last: .count(2)).percentile(0.5) }
        expectReleased(graph) { $0.window(last: .time(.seconds(1))).values() }
        #expect(clock.pendingCount == 0)
    }

    @Test("A share outside of 0 to 1, and a rate without a clock, are programming errors")
    func programmingErrors() async {
        await #expect(processExitsWith: .failure) {
            _ = Graph().mutable(1).window(last: .count(2)).percentile(1.5)
        }
        await #expect(processExitsWith: .failure) {
            _ = Graph().mutable(1.0).window(last: .count(2)).rate()
        }
    }
}
