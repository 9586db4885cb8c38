import ReactiveGraph
import Testing

extension Examples {
    @Test("An actor that owns its graph (G-108)")
    func actorGraph() async throws {
        actor Thermostat {
            private let graph = Graph()
            private let target: MutableNode<Double>
            private let text: Node<String>

            init() {
                target = graph.mutable(20)
                text = target.map { "\($0) °C" }
            }

            func raise(by step: Double) -> String {
                target.set((target.value ?? 0) + step)
                return text.value ?? ""
            }
        }

        let thermostat = Thermostat()
        _ = await thermostat.raise(by: 1)
        print(await thermostat.raise(by: 0.5))  // prints 21.5 °C
        try check()
    }

    @Test("A model on the main actor (G-108, G-109)")
    @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    func mainActorModel() async throws {
        @MainActor
        final class Editor {
            private let graph = Graph()
            private let bag = CancellableBag()
            private let text: MutableNode<String>
            private(set) var length = 0

            init() {
                text = graph.mutable("")
                text.listen(in: bag) { [unowned self] in length = $0.count }
            }

            isolated deinit {}  // the graph, the bag and the node end on the main actor

            func type(_ word: String) { text.set((text.value ?? "") + word) }
        }

        let editor = await Editor()
        await Task.detached { await editor.type("swift") }.value
        print(await editor.length)  // prints 5
        try check()
    }

    @Test("A graph that is handed over (G-108)")
    func adoptedGraph() async throws {
        final class Model {
            let graph = Graph()
            let count: MutableNode<Int>

            init() { count = graph.mutable(1) }
        }

        actor Factory {
            func makeModel() -> sending Model { Model() }  // the graph belongs to the factory
        }

        let model = await Factory().makeModel()
        model.graph.adoptIsolation()  // from here on it belongs to this task
        model.count.set(2)
        print(model.count)  // prints undefined: 2
        try check()
    }
}
