import ReactiveGraph
import Testing

extension Examples {
    @Test("Named nodes (G-127, G-130)")
    func registry() throws {
        struct User { let name: String }

        let graph = Graph()
        let registry = Registry(graph: graph, policy: .untilPressure)
        let user = registry.mutable("https://example.org/users/1", as: User.self)
        print(registry.node("https://EXAMPLE.org/users/1#top", as: User.self) === user)  // prints true
        _ = registry.node("https://example.org/users/2", as: User.self)
        print(registry.count, registry.flushUnused(), registry.count)  // prints 2 1 1
        try check()
    }

    @Test("Names with placeholders (F-1, F-9)")
    func patterns() throws {
        struct User { let age: Int }

        let pattern = try NamePattern("sensor.{id}.celsius")
        print(pattern.values(of: "sensor.hall.celsius") ?? [])  // prints ["hall"]
        print(pattern.name(of: ["attic"]))  // prints sensor.attic.celsius

        let registry = Registry(graph: Graph(), naming: .verbatim)
        registry.setFactory(for: try NamePattern("user.{id}.age")) { name, values in
            registry.node("user.\(values[0])", as: User.self).map(\.age)
        }
        let age = registry.node("user.7.age", as: Int.self)
        registry.mutable("user.7", as: User.self).set(User(age: 30))
        print(age.value ?? 0)  // prints 30
        try check()
    }
}
