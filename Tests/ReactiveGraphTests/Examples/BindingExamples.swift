import Observation
import ReactiveGraph
import ReactiveGraphBinding
import Testing

extension Examples {
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

    @Test("A property kept at the value of a node (G-96)")
    func bind() throws {
        final class Slider: Bindable {
            let bindings: Bindings
            @Bound var position = 0

            init(graph: Graph) { bindings = Bindings(graph: graph) }
        }

        let graph = Graph()
        let slider = Slider(graph: graph)
        let volume = graph.mutable(30)
        let binding = slider.bind(\.position, to: volume)
        slider.position = 40
        print(volume)  // prints undefined: 40
        binding.cancel()
        volume.set(0)
        print(slider.position)  // prints 40
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

    @Test("A node as an observable object (G-57)")
    func observed() throws {
        let graph = Graph()
        let price = graph.mutable(10)
        let shown = ObservedNode(price.map { "\($0) €" })
        withObservationTracking {
            print(shown.value ?? "no price")  // prints 10 €
        } onChange: {
            print("draw again")
        }
        price.set(12)  // prints draw again
        print(shown.value ?? "no price")  // prints 12 €
        try check()
    }

    @Test("A node as an observable object that a view sets (G-57)")
    func observedMutable() throws {
        let graph = Graph()
        let node = graph.mutable("Ada")
        let name = ObservedMutableNode(node)
        name.value = "Grace"  // as a view does, with $name.value
        print(node)  // prints undefined: Grace
        try check()
    }
}
