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
}
