import ReactiveGraph
import Testing

extension Examples {
    @Test("Factories (G-134)")
    func registryFactory() throws {
        let graph = Graph()
        let registry = Registry(graph: graph)
        let celsius = registry.mutable("/celsius", as: Double.self)
        registry.setFactory(for: "/fahrenheit") { [unowned registry] in
            registry.node("/celsius", as: Double.self).map { $0 * 9 / 5 + 32 }
        }
        celsius.set(100)
        print(registry.node("/fahrenheit", as: Double.self))  // prints /fahrenheit: 212.0
        print(registry.count)  // prints 1
        try check()
    }

    @Test("Retention and pressure (G-129 … G-131)")
    func memoryRetention() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let registry = Registry(graph: graph, policy: .untilPressure)
        registry.mutable("/used", as: Int.self).listen(in: bag) { _ in }
        registry.mutable("/unused", as: Int.self).set(1)
        registry.mutable("/passing", as: Int.self, retention: .whileInUse).set(1)
        registry.mutable("/settings", as: Int.self, retention: .always).set(1)
        print(registry.names)  // prints ["/used", "/unused", "/settings"]
        registry.flushUnused()
        print(registry.names)  // prints ["/used", "/settings"]
        try check()
    }

    @Test("Pressure from the system (G-131)")
    func memoryPressure() throws {
        let graph = Graph()
        let registry = Registry(graph: graph, policy: .untilPressure)
        let system = PressureSource()  // the host signals it when memory is short
        registry.flush(on: system)
        registry.mutable("/page", as: String.self).set("text")
        system.signal()
        print(registry.count, registry.pressure.releasedNodes)  // prints 0 1
        try check()
    }

    @Test("Wiping (G-133)")
    func registryWipe() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let registry = Registry(graph: graph)
        let name = registry.mutable("/me/name", as: String.self)
        name.set("Ada")
        name.addListener(owner: bag) { print($0) }  // prints added(Ada)
        registry.wipe { name, _ in name.hasPrefix("/me") }  // prints empty(source: wipe)
        try check()
    }

    @Test("Wiping by a pattern (G-162)")
    func registryPattern() throws {
        let graph = Graph()
        let registry = Registry(graph: graph, policy: .always)
        for path in ["/users/7", "/users/8", "/settings"] { registry.mutable(path, as: Int.self).set(1) }
        registry.wipe(matching: "/users/*")
        print(registry.nodes.filter(\.isEmpty).compactMap(\.name))  // prints ["/users/7", "/users/8"]
        try check()
    }

    @Test("Children and relatives (G-161)")
    func registryRelatives() throws {
        let graph = Graph()
        let registry = Registry(graph: graph)
        let users = registry.node("https://example.org/users", as: [String].self)
        let ada = users.child("7", as: String.self)
        ada.writable().set("Ada")
        print(ada)  // prints https://example.org/users/7: Ada
        print(ada.relative("8?full", as: String.self))  // prints https://example.org/users/8?full: empty
        let page = users.withParameter("page", "2", as: [String].self)
        print(page.withParameter("page", nil, as: [String].self) === users)  // prints true
        try check()
    }
}
