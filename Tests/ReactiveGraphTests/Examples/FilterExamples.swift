import ReactiveGraph
import Testing

extension Examples {
    @Test("filter (G-69)")
    func filter() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let humidity = graph.mutable(40)
        let plausible = humidity.filter { (0...100).contains($0) }
        plausible.listen(in: bag) { print($0) }  // prints 40
        humidity.set(250)
        humidity.set(55)  // prints 55
        try check()
    }

    @Test("ignore and select (G-69)")
    func ignore() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let key = graph.mutable("idle")
        key.ignore("idle").listen(in: bag) { print("pressed", $0) }
        key.select("escape").listen(in: bag) { _ in print("closed") }
        key.set("a")  // prints pressed a
        key.set("idle")
        key.set("escape")  // prints pressed escape, then closed
        try check()
    }

    @Test("ignoreNil (G-69)")
    func ignoreNil() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let selection = graph.mutable(Optional<Int>.none)
        let lastSelected: Node<Int> = selection.ignoreNil()
        lastSelected.listen(in: bag) { print("row", $0) }
        selection.set(4)  // prints row 4
        selection.set(nil)
        print(lastSelected)  // prints undefined: 4
        try check()
    }

    @Test("skip (G-70)")
    func skip() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let draft = graph.mutable("")
        let edits = draft.skip(1)
        edits.listen(in: bag) { print("save:", $0) }
        draft.set("Dear Ada")  // prints save: Dear Ada
        try check()
    }

    @Test("take (G-70)")
    func take() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let samples = graph.mutable(of: Int.self)
        let calibration = samples.take(2)
        calibration.listen(in: bag) { print($0) }
        samples.set(7)  // prints 7
        samples.set(9)  // prints 9
        samples.set(1)
        print(calibration.hasUpstreamNode)  // prints true
        try check()
    }

    @Test("prefix (G-70)")
    func prefix() throws {
        let graph = Graph()
        let samples = graph.mutable(of: Int.self)
        let first = samples.prefix(1)
        samples.set(7)
        samples.set(9)
        print(first, first.hasUpstreamNode)  // prints undefined: 7 false
        try check()
    }

    @Test("distinct (G-71)")
    func distinct() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let position = graph.mutable(10.0)
        let steps = position.distinct { abs($0 - $1) < 0.5 }
        steps.listen(in: bag) { print($0) }  // prints 10.0
        position.set(10.2)
        position.set(10.6)  // prints 10.6
        position.map { $0 > 10 }.distinct().listen(in: bag) { print($0) }  // prints true
        position.set(11.2)  // prints 11.2
        try check()
    }

    @Test("scan (G-72)")
    func scan() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let deposit = graph.mutable(of: Int.self)
        let balance = deposit.scan(100) { $0 + $1 }
        balance.listen(in: bag) { print($0) }
        deposit.set(20)  // prints 120
        deposit.set(-50)  // prints 70
        let average = deposit.scan(0.0) { mean, value, index in
            mean + (Double(value) - mean) / Double(index + 1)
        }
        deposit.set(-30)  // prints 40
        print(average)  // prints undefined: -40.0
        try check()
    }

    @Test("delta (G-69)")
    func delta() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let meter = graph.mutable(1_200)
        let used = meter.delta()
        used.listen(in: bag) { print($0) }
        meter.set(1_212)  // prints 12
        meter.set(1_215)  // prints 3
        try check()
    }

    @Test("delta with a function of one's own (G-69)")
    func deltaFunction() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let floor = graph.mutable(0)
        let direction = floor.apply(Delta { $1 > $0 ? "up" : "down" })
        direction.listen(in: bag) { print($0) }
        floor.set(3)  // prints up
        floor.set(1)  // prints down
        try check()
    }

    @Test("ifEmpty (G-11)")
    func ifEmpty() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let guest = graph.mutable(of: String.self)
        guest.ifEmpty("vacant").listen(in: bag) { print($0) }  // prints vacant
        guest.set("Ada")  // prints Ada
        guest.clear()  // prints vacant
        try check()
    }

    @Test("An operator of one's own (G-69)")
    func ownOperator() throws {
        struct Evens: Operator {
            let name = "Evens"
            mutating func receive(_ value: Int, at site: Site) -> Emission<Int>? {
                value.isMultiple(of: 2) ? .value(value) : nil
            }
        }
        let graph = Graph()
        let bag = CancellableBag()
        let numbers = graph.mutable(of: Int.self)
        let evens = numbers.apply(Evens())
        evens.listen(in: bag) { print($0) }
        numbers.set(1)
        numbers.set(2)  // prints 2
        try check()
    }
}
