import ReactiveGraph
import Testing

extension Examples {
    @Test("map (G-69)")
    func map() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let celsius = graph.mutable(21.5)
        let fahrenheit = celsius.map { $0 * 9 / 5 + 32 }
        fahrenheit.listen(in: bag) { print($0) }  // prints 70.7
        celsius.set(100)  // prints 212.0
        try check()
    }

    @Test("replace (G-69)")
    func replace() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let save = graph.mutable(of: String.self)
        let discard = graph.mutable(of: String.self)
        let isEdited = save.replace(false).merge(with: discard.replace(false))
        isEdited.listen(in: bag) { print($0) }
        save.set("letter.txt")  // prints false
        try check()
    }

    @Test("tryMap and mapResult (G-99)")
    func tryMap() throws {
        struct NotANumber: Error {
            let text: String
        }
        func number(_ text: String) throws -> Int {
            guard let number = Int(text) else { throw NotANumber(text: text) }
            return number
        }

        let graph = Graph()
        let bag = CancellableBag()
        graph.onError = { _ in print("no number") }
        let text = graph.mutable("4").named("text")
        text.tryMap(number).listen(in: bag) { print($0) }  // prints 4
        text.mapResult(number).map { (try? $0.get()) ?? 0 }.listen(in: bag) { print($0) }  // prints 4
        text.set("four")  // prints no number, then no number, then 0
        try check()
    }

    @Test("The throwing forms of others (G-99)")
    func tryScan() throws {
        struct Overdrawn: Error {}

        let graph = Graph()
        let bag = CancellableBag()
        graph.onError = { print($0) }
        let deposit = graph.mutable(of: Int.self)
        let balance = deposit.tryScan(100) { balance, amount in
            guard balance + amount >= 0 else { throw Overdrawn() }
            return balance + amount
        }
        balance.named("balance").listen(in: bag) { print($0) }
        deposit.set(-150)  // prints tryScan of node balance failed: Overdrawn()
        deposit.set(-50)  // prints 50
        try check()
    }

    @Test("fork (G-69)")
    func fork() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let volume = graph.mutable(30)
        let shown = volume.fork().named("shown volume")
        shown.listen(in: bag) { print($0) }  // prints 30
        volume.set(40)  // prints 40
        print(shown)  // prints shown volume: 40
        try check()
    }

    @Test("then (G-69)")
    func then() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let level = graph.mutable(3)
        let doubled = level.map { $0 * 2 }
            .then { node in node.listen(in: bag) { print("doubled", $0) } }  // prints doubled 6
            .filter { $0 > 8 }
        level.set(5)  // prints doubled 10
        print(doubled.value ?? 0)  // prints 10
        try check()
    }

    @Test("transform: an operator of one's own from a function")
    func transform() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let name = graph.mutable("Ada")
        let greeting = name.transform(named: "Greet") { emission, _ -> Emission<String>? in
            switch emission {
            case .value(""): nil
            case .value(let name): .value("Hello, \(name)")
            case .empty: .value("Hello, whoever you are")
            }
        }
        greeting.listen(in: bag) { print($0) }  // prints Hello, Ada
        name.set("")
        name.clear()  // prints Hello, whoever you are
        try check()
    }
}
