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

    @Test("Nodes bound to properties (G-96)")
    func bound() throws {
        final class Thermostat: Bindable {
            let bindings: Bindings
            @Bound var target = 21.0
            @Bound(normalise: { new, _ in min(max(new, 0), 100) }) var humidity = 50
            var fahrenheit: Double { target * 9 / 5 + 32 }

            init(graph: Graph) {
                bindings = Bindings(graph: graph)
            }
        }

        let graph = Graph()
        let bag = CancellableBag()
        let thermostat = Thermostat(graph: graph)
        thermostat.node(\.fahrenheit).listen(in: bag) { print($0) }  // prints 69.8
        thermostat.node(\.target).set(20)  // prints 68.0
        thermostat.node(\.humidity).set(130)
        print(thermostat.target, thermostat.humidity)  // prints 20.0 100
        try check()
    }

    @Test("A bound property with accessors of its own (G-96)")
    func accessors() throws {
        final class Device {
            var volume = 5
        }
        final class Player: Bindable {
            let bindings: Bindings
            let device = Device()
            var volume: Int {
                get {
                    bindings.access(\Player.volume)
                    return device.volume
                }
                set {
                    device.volume = newValue
                    bindings.changed(\Player.volume)
                }
            }

            init(graph: Graph) {
                bindings = Bindings(graph: graph)
            }
        }

        let player = Player(graph: Graph())
        let node = player.node(\.volume)
        player.volume = 7
        print(node.value(default: 0))  // prints 7
        try check()
    }
}
