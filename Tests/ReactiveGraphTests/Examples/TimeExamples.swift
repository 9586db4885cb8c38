import ReactiveGraph
import Testing

extension Examples {
    @Test("delay (G-74)")
    func delay() throws {
        let clock = ManualClock()
        let graph = Graph(clock: clock)
        let bag = CancellableBag()
        let ball = graph.mutable(of: String.self)
        ball.delay(for: .milliseconds(300)).listen(in: bag) { print(clock.now, $0) }
        ball.set("thrown")
        clock.advance(by: .milliseconds(100))
        ball.set("caught")
        clock.advance(by: .seconds(1))  // prints 0.3 seconds thrown, then 0.4 seconds caught
        try check()
    }

    @Test("debounce (G-75)")
    func debounce() throws {
        let clock = ManualClock()
        let graph = Graph(clock: clock)
        let bag = CancellableBag()
        let text = graph.mutable(of: String.self)
        text.debounce(for: .milliseconds(200)).listen(in: bag) { print("search for", $0) }
        text.set("d")
        clock.advance(by: .milliseconds(150))
        text.set("dot")
        clock.advance(by: .milliseconds(150))
        clock.advance(by: .milliseconds(50))  // prints search for dot
        try check()
    }

    @Test("debounce: leading, counted, flushed (G-141)")
    func debounceControl() throws {
        let clock = ManualClock()
        let graph = Graph(clock: clock)
        let bag = CancellableBag()
        let clicks = graph.mutable(of: Int.self)
        let control = TimedControl()
        clicks.debounce(for: .seconds(1), edge: .both, control: control).listen(in: bag) { print($0) }
        clicks.set(1)  // prints 1
        clicks.set(2)
        clicks.set(3)
        control.flush()  // prints 3
        print(control.droppedCount, control.hasPending)  // prints 1 false
        try check()
    }

    @Test("sample (G-141a)")
    func sample() throws {
        let clock = ManualClock()
        let graph = Graph(clock: clock)
        let bag = CancellableBag()
        let price = graph.mutable(of: Int.self)
        price.sample(every: .seconds(1)).listen(in: bag) { print($0) }
        for value in 1...25 {
            price.set(value)
            clock.advance(by: .milliseconds(100))
        }  // prints 10, then 20
        clock.advance(by: .seconds(1))  // prints 25
        try check()
    }

    @Test("sample with the leading edge (G-141a)")
    func sampleLeading() throws {
        let clock = ManualClock()
        let graph = Graph(clock: clock)
        let bag = CancellableBag()
        let button = graph.mutable(of: String.self)
        button.sample(every: .seconds(1), edge: .leading).listen(in: bag) { print($0) }
        button.set("pressed")  // prints pressed
        button.set("bounced")
        clock.advance(by: .seconds(2))
        button.set("pressed again")  // prints pressed again
        try check()
    }

    @Test("window: figures over the newest values")
    func window() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let reading = graph.mutable(of: Double.self)
        let newest = reading.window(last: .count(3))
        newest.average().listen(in: bag) { print($0) }
        for value in [10.0, 20, 60] { reading.set(value) }  // prints 10.0, then 15.0, then 30.0
        print(newest.max())  // prints undefined: 60.0
        try check()
    }

    @Test("window over a time")
    func windowTime() throws {
        let clock = ManualClock()
        let graph = Graph(clock: clock)
        let bag = CancellableBag()
        let click = graph.mutable(of: Int.self)
        click.window(last: .time(.seconds(10))).count().listen(in: bag) { print($0) }
        click.set(1)  // prints 1
        clock.advance(by: .seconds(6))
        click.set(2)  // prints 2
        clock.advance(by: .seconds(20))  // prints 1, then 0
        try check()
    }

    @Test("window: rate (G-112)")
    func windowRate() throws {
        let clock = ManualClock()
        let graph = Graph(clock: clock)
        let bag = CancellableBag()
        let received = graph.mutable(0.0)
        received.window(last: .time(.seconds(10))).rate().listen(in: bag) { print($0, "bytes a second") }
        clock.advance(by: .seconds(2))
        received.set(600)  // prints 300.0 bytes a second
        clock.advance(by: .seconds(2))
        received.set(800)  // prints 200.0 bytes a second
        try check()
    }

    @Test("window: percentile and values")
    func windowPercentile() throws {
        let graph = Graph()
        let latency = graph.mutable(of: Int.self)
        let newest = latency.window(last: .count(5))
        let (median, slowest, all) = (newest.percentile(0.5), newest.percentile(0.95), newest.values())
        for milliseconds in [90, 12, 11, 14, 80, 10] { latency.set(milliseconds) }
        print(median)  // prints undefined: 12
        print(slowest)  // prints undefined: 80
        print(all)  // prints undefined: [12, 11, 14, 80, 10]
        try check()
    }
}
