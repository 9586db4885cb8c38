import ReactiveGraph
import Testing

extension Examples {
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
}
