import ReactiveGraph
import Testing

extension Examples {
    @Test("Order (G-35, G-36)")
    func order() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let s = graph.mutable(of: Int.self)
        let p = s.map { $0 + 1 }
        let q = s.map { $0 + 2 }
        let r = p.map { $0 + 3 }
        for (name, node) in [("r", r), ("q", q), ("p", p), ("s", s)] {
            node.listen(in: bag) { _ in print(name) }
        }
        s.set(0)  // prints s, then p, then r, then q
        try check()
    }

    @Test("Re-entrant sets (G-37)")
    func reentrancy() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let volume = graph.mutable(30)
        volume.listen(in: bag) { if $0 > 100 { volume.set(100) } }  // a limiter
        volume.listen(in: bag, replay: false) { print($0) }
        volume.set(150)  // prints 150, then 100
        try check()
    }

    @Test("A ring settles (G-41)")
    func ring() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let x = graph.mutable(1)
        let y = x.map { $0 + 1 }
        x.link(to: y).map { bag.add($0) }
        y.listen(in: bag) { print("y", $0) }  // prints y 2
        x.set(5)  // prints y 6
        print(x)  // prints undefined: 5
        try check()
    }
}
