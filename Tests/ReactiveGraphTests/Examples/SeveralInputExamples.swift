import ReactiveGraph
import Testing

extension Examples {
    @Test("merge (G-80)")
    func merge() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let keyboard = graph.mutable(of: String.self)
        let voice = graph.mutable(of: String.self)
        Node.merge([keyboard, voice]).listen(in: bag) { print($0) }
        keyboard.set("stop")  // prints stop
        voice.set("go on")  // prints go on
        try check()
    }

    @Test("combine (G-81)")
    func combine() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let inside = graph.mutable(21)
        let outside = graph.mutable(of: Int.self)
        let warmer = Node.combineEach(inside, outside) { $0 - $1 }
        warmer.listen(in: bag) { print("warmer by", $0) }
        outside.set(8)  // prints warmer by 13
        inside.set(20)  // prints warmer by 12
        try check()
    }

    @Test("combine settles (G-51)")
    func combineSettles() throws {
        let bag = CancellableBag()
        for mode in [Graph.Propagation.settled, .immediate] {
            let graph = Graph(propagation: mode)
            let s = graph.mutable(3)
            let total = Node.combineEach(s.map { $0 * 10 }, s.map { $0 + 1 }, +)
            total.listen(in: bag, replay: false) { print(mode, $0) }
            s.set(4)  // prints settled 45, then immediate 44, then immediate 45
        }
        try check()
    }

    @Test("combine of a list (G-85)")
    func combineList() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let rooms = [18, 21, 19].map { graph.mutable($0) }
        let coldest = Node.combineEach(rooms) { $0.min() ?? 0 }
        coldest.distinct().listen(in: bag) { print($0) }  // prints 18
        rooms[0].set(22)  // prints 19
        try check()
    }

    @Test("withLatest (X-8)")
    func withLatest() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let meter = graph.mutable(2)
        let price = graph.mutable(of: Int.self)
        let cost = meter.withLatest(from: price) { $0 * $1 }
        cost.listen(in: bag) { print("costs", $0) }
        price.set(10)  // prints costs 20
        price.set(20)
        meter.set(3)  // prints costs 60
        try check()
    }

    @Test("gather (F-5)")
    func gather() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let warmest = graph.gather(GatherExtreme<Double>.max)
        let hall = graph.mutable(19.5)
        let attic = graph.mutable(24.0)
        warmest.listen(in: bag) { print($0) }
        warmest.insert(hall)  // prints 19.5
        warmest.insert(attic)  // prints 24.0
        attic.set(17)  // prints 19.5
        warmest.remove(hall)  // prints 17.0
        try check()
    }

    @Test("gather: several changes at once (F-5)")
    func gatherUpdate() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let names = graph.gather(GatherList<String>())
        names.listen(in: bag, replay: false) { print($0) }
        let (ada, bob) = (graph.mutable("Ada"), graph.mutable("Bob"))
        names.update {
            names.insert(bob, as: "2")
            names.insert(ada, as: "1")
        }  // prints ["Ada", "Bob"]
        try check()
    }

    @Test("flattenMap (G-77)")
    func flattenMap() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let rooms = ["hall": graph.mutable(19), "kitchen": graph.mutable(23)]
        let nowhere = graph.node(of: Int.self)
        let chosen = graph.mutable("hall")
        let shown = chosen.flattenMap { rooms[$0] ?? nowhere }
        shown.listen(in: bag) { print($0) }  // prints 19
        chosen.set("kitchen")  // prints 23
        rooms["hall"]?.set(17)
        rooms["kitchen"]?.set(24)  // prints 24
        try check()
    }

    @Test("flatten (G-77)")
    func flatten() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let main = graph.mutable("main feed")
        let spare = graph.mutable("spare feed")
        let source: MutableNode<Node<String>> = graph.mutable(main)
        source.flatten().listen(in: bag) { print($0) }  // prints main feed
        source.set(spare)  // prints spare feed
        try check()
    }

    @Test("sync (G-88)")
    func sync() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let celsius = graph.mutable(0.0)
        let kelvin = graph.mutable(300.0)
        kelvin.sync(with: celsius, transform: { $0 + 273 }, revert: { $0 - 273 }).store(in: bag)
        kelvin.listen(in: bag) { print($0) }  // prints 273.0
        celsius.set(27)  // prints 300.0
        kelvin.set(280)  // prints 280.0
        print(celsius)  // prints undefined: 7.0
        try check()
    }

    @Test("link (G-26)")
    func link() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let sensor = graph.mutable(5)
        let display = graph.node(0)
        display.listen(in: bag) { print($0) }  // prints 0
        let link = display.link(to: sensor)  // prints 5
        sensor.set(6)  // prints 6
        link?.cancel()
        sensor.set(7)
        try check()
    }

    @Test("mapEach (G-87)")
    func mapEach() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let name = graph.mutable("Ada")
        let score = graph.mutable(7)
        let round = graph.mutable(1)
        let line = Node.combine(name, score, round).mapEach { "\($0): \($1) in round \($2)" }
        line.listen(in: bag) { print($0) }  // prints Ada: 7 in round 1
        score.set(9)  // prints Ada: 9 in round 1
        try check()
    }
}
