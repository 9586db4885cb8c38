import ReactiveGraph
import Testing

extension Examples {
    @Test("deliver on the loop (G-73)")
    func deliver() throws {
        let loop = ManualExecutor()
        let graph = Graph(executor: loop)
        let bag = CancellableBag()
        let text = graph.mutable("draft")
        text.deliver(on: loop).listen(in: bag) { print("saved", $0) }
        text.set("final")
        print("set returned")  // prints set returned
        loop.run()  // prints saved draft, then saved final
        try check()
    }

    @Test("Sets that wait for the next turn (G-150)")
    func setLater() throws {
        let loop = ManualExecutor()
        let graph = Graph(executor: loop)
        let node = graph.mutable(1)
        node.setLater(2)
        print(node)  // prints undefined: 1
        loop.run()
        print(node)  // prints undefined: 2
        try check()
    }

    @Test("Setting from another thread (G-109)")
    func handles() throws {
        let loop = ManualExecutor()
        let thread = ManualThread()  // stands for a thread of its own
        let graph = Graph(executor: loop)
        let bag = CancellableBag()
        let speed = graph.mutable(0)
        speed.listen(in: bag, replay: false) { print("speed", $0) }

        let handle = speed.handle  // Sendable: may go anywhere
        thread.post { handle.set(50) }
        thread.run()
        loop.run()  // prints speed 50
        try check()
    }

    @Test("Work on another thread (G-63, G-113)")
    func listenElsewhere() throws {
        let loop = ManualExecutor()
        let workers = ManualThread()  // stands for threads of their own
        let graph = Graph(executor: loop)
        let bag = CancellableBag()
        let question = graph.mutable([17, 25])
        let answer = graph.mutable(of: Int.self)
        answer.listen(in: bag) { print($0) }

        let result = answer.handle
        question.listen(in: bag, on: workers) { result.set($0.reduce(0, +)) }
        workers.run()
        loop.run()  // prints 42
        try check()
    }

    @Test("A node of another loop (G-111)")
    func bridge() throws {
        let here = ManualExecutor()
        let there = ManualExecutor()
        let weather = Graph(executor: there)
        let house = Graph(executor: here)
        let bag = CancellableBag()
        let outside = weather.mutable(8)

        let outlet = outside.outlet  // on the thread of that graph
        let copy = house.bridge(from: outlet)  // on the thread of this one
        copy.listen(in: bag) { print("outside", $0) }
        there.run()
        here.run()  // prints outside 8
        try check()
    }
}
