import ReactiveGraph
import Testing

extension Examples {
    @Test("switch and case (G-90, G-91)")
    func switchCase() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let orders = graph.mutable(of: Int.self)
        let bySize = orders.switch { $0 >= 100 ? "large" : "small" }
        bySize.case("large").listen(in: bag) { print("ask the boss:", $0) }
        bySize.case("small").listen(in: bag) { print("ship:", $0) }
        orders.set(250)  // prints ask the boss: 250
        orders.set(20)  // prints ship: 20
        try check()
    }

    @Test("switchMap, the default case and everything else (G-90, G-93)")
    func switchMap() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let messages = graph.mutable(of: (topic: String?, text: String).self)
        let byTopic = messages.switchMap { ($0.topic, $0.text) }
        byTopic.case("news").listen(in: bag) { print("news:", $0) }
        byTopic.defaultCase().listen(in: bag) { print("without topic:", $0) }
        byTopic.otherwise(excluding: ["news", nil]).listen(in: bag) { print("other:", $0) }
        messages.set(("news", "it snows"))  // prints news: it snows
        messages.set((nil, "hello"))  // prints without topic: hello
        messages.set(("sport", "2 : 1"))  // prints other: 2 : 1
        try check()
    }

    @Test("A switch that releases keys (G-143)")
    func switchLimit() throws {
        let graph = Graph()
        let visits = graph.mutable(of: String.self)
        let byPage = visits.switch(maxKeys: .evictOldest(2)) { $0 }
        for page in ["/", "/news", "/help", "/"] { visits.set(page) }
        print(byPage.value?.key ?? "", graph.counts.liveNodes)  // prints / 4
        try check()
    }

    @Test("split (G-94)")
    func split() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let readings = graph.mutable(3)
        readings.split { $0 < 0 }
            .then { $0.listen(in: bag) { print("frost", $0) } }
            .else { $0.listen(in: bag) { print("mild", $0) } }  // prints mild 3
        readings.set(-2)  // prints frost -2
        try check()
    }
}
