import ReactiveGraph
import Testing

extension Examples {
    @Test("Consumers hold providers (G-52 … G-55)")
    func memoryConsumers() throws {
        let graph = Graph()
        let celsius = graph.mutable(21.5)
        var warm: Node<Double>? = celsius.map { $0 * 9 / 5 + 32 }.filter { $0 > 70 }
        print(warm?.value ?? 0, graph.counts.liveNodes)  // prints 70.7 3
        warm = nil
        print(graph.counts.liveNodes, celsius.hasDownstreamNode)  // prints 1 false
        try check()
    }

    @Test("A listener holds everything above it, and ends with its bag (G-57, G-64, G-67)")
    func memoryOwner() throws {
        final class Gauge: ListenerOwner {
            let listenBag = CancellableBag()
            var text = ""
        }

        let graph = Graph()
        let celsius = graph.mutable(21.5)
        var gauge: Gauge? = Gauge()
        if let gauge {
            celsius.map { "\($0) °C" }.listen(owner: gauge) { gauge, text in gauge.text = text }
        }
        print(gauge?.text ?? "gone", graph.counts.liveNodes)  // prints 21.5 °C 2
        gauge = nil
        print(graph.counts.liveNodes, graph.counts.liveListeners)  // prints 1 0
        try check()
    }

    @Test("An owner without a bag is watched (G-67)")
    func memoryForeignOwner() throws {
        final class Window {}

        let graph = Graph()
        let title = graph.mutable("Untitled")
        var window: Window? = Window()
        if let window { title.listen(owner: window) { _, title in print(title) } }  // prints Untitled
        window = nil
        print(graph.counts.liveListeners)  // prints 1
        graph.collect()
        print(graph.counts.liveListeners)  // prints 0
        try check()
    }

    @Test("Dropping a cancellable changes nothing, dropping a bag ends what is in it (G-30, G-60, G-64)")
    func memoryCancellables() throws {
        let graph = Graph()
        let count = graph.mutable(1)
        var bag: CancellableBag? = CancellableBag()
        if let bag {
            let listen = count.listen(in: bag) { print("heard", $0) }  // prints heard 1
            _ = listen
        }
        count.set(2)  // prints heard 2
        bag = nil
        count.set(3)
        try check()
    }

    @Test("A ring holds itself, and is reported (G-56)")
    func memoryRings() throws {
        let graph = Graph()
        do {
            let a = graph.mutable(1).named("a")
            let b = a.map { $0 }.named("b")
            a.link(to: b)
        }
        for ring in graph.leakedRings() {
            print(ring)  // prints [a: 1, b: 1]
            ring.first?.removeUpstreamNodes()
        }
        print(graph.counts.liveNodes)  // prints 0
        try check()
    }

    @Test("A sync lasts as long as its owner (G-89, G-151)")
    func memorySync() throws {
        final class Form: ListenerOwner {
            let listenBag = CancellableBag()
        }

        let graph = Graph()
        let model = graph.mutable("Ada")
        do {
            let form = Form()
            let field = graph.mutable("")
            field.sync(with: model, owner: form)
            field.set("Grace")
            print(model, graph.counts.liveNodes)  // prints undefined: Grace 2
        }
        print(graph.counts.liveNodes, graph.leakedRings().count)  // prints 1 0
        try check()
    }

    @Test("Why a node is alive (G-52)")
    func memoryWhyAlive() throws {
        final class Gauge: ListenerOwner {
            let listenBag = CancellableBag()
        }

        let graph = Graph()
        let gauge = Gauge()
        let celsius = graph.mutable(21.5).named("celsius")
        celsius.map { $0 * 9 / 5 + 32 }.named("fahrenheit").listen(owner: gauge) { _, _ in }
        for path in celsius.ownerPaths() { print(path) }
        // prints a reference → celsius, then a listen of Gauge → fahrenheit ─Map→ celsius
        try check()
    }

    @Test("A closure that captures its owner makes a ring (G-62)")
    func memoryCapture() throws {
        final class Gauge: ListenerOwner {
            let listenBag = CancellableBag()
            var value = 0

            func show(_ node: Node<Int>) {
                node.listen(owner: self) { gauge, value in gauge.value = value }  // no capture of self
            }
        }

        let graph = Graph()
        let count = graph.mutable(7)
        do {
            let gauge = Gauge()
            gauge.show(count)
            print(gauge.value, count.listenerCount)  // prints 7 1
        }
        print(count.listenerCount)  // prints 0
        try check()
    }

    @Test("What dies within a turn (G-66a)")
    func memoryTurn() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let count = graph.mutable(0)
        var doubled: Node<Int>? = count.map { value in
            print("doubling", value)
            return value * 2
        }  // prints doubling 0
        count.listen(in: bag, replay: false) { _ in doubled = nil }
        count.set(1)
        print(graph.counts.liveNodes, doubled == nil)  // prints 1 true
        try check()
    }

    @Test("A node that does not hold its value (G-148)")
    func memoryWeak() throws {
        final class Document {
            let title = "Letter"
        }

        let graph = Graph()
        var document: Document? = Document()
        let current = document.map { graph.weak($0) } ?? graph.weak(of: Document.self)
        print(current.object?.title ?? "none")  // prints Letter
        document = nil
        print(current.isEmpty, document == nil)  // prints true true
        try check()
    }
}
