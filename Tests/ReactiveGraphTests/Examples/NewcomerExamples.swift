import ReactiveGraph
import Testing

extension Examples {
    @Test("Validation of a form, for readers who know Combine (G-81, G-71)")
    func fromCombine() throws {
        final class SignUp: ListenerOwner {
            let listenBag = CancellableBag()
            let name: MutableNode<String>
            let password: MutableNode<String>
            let canSubmit: Node<Bool>

            init(graph: Graph) {
                name = graph.mutable("")
                password = graph.mutable("")
                canSubmit = name.combine(with: password) { !$0.isEmpty && $1.count >= 8 }.distinct()
            }
        }

        let form = SignUp(graph: Graph())
        form.canSubmit.listen(owner: form) { _, canSubmit in print("enabled:", canSubmit) }
        // prints enabled: false
        form.name.set("Ada")
        form.password.set("difference engine")  // prints enabled: true
        form.password.set("engine")  // prints enabled: false
        try check()
    }

    @Test("One emission a turn, where combineLatest gives two (G-50, G-81)")
    func noGlitch() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let number = graph.mutable(1)
        let square = number.map { $0 * $0 }
        number.combine(with: square).listen(in: bag) { print($0, $1) }  // prints 1 1
        number.set(3)  // prints 3 9
        try check()
    }

    @Test("The latest of several requests, for readers who know RxSwift (G-76, G-84)")
    func fromRxSwift() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let rooms = ["hall": graph.mutable(19), "kitchen": graph.mutable(23)]
        let nowhere = graph.node(of: Int.self)
        let selected = graph.mutable(of: String.self)
        let unit = graph.mutable("°C")

        selected
            .distinct()
            .flattenMap { rooms[$0] ?? nowhere }
            .withLatest(from: unit) { "\($0) \($1)" }
            .listen(in: bag) { print($0) }
        selected.set("hall")  // prints 19 °C
        selected.set("hall")
        rooms["kitchen"]?.set(24)
        selected.set("kitchen")  // prints 24 °C
        bag.cancel()
        rooms["kitchen"]?.set(25)
        try check()
    }
}
