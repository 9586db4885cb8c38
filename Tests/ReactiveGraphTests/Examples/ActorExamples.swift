import ReactiveGraph
import ReactiveGraphBinding
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

    @Test("Work of a model of the main actor, done elsewhere (G-108)")
    @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    func mainActorWork() async throws {
        @MainActor
        final class Counter {
            let text: MutableNode<String>
            let words: MutableNode<Int>
            private let bag = CancellableBag()
            private(set) var work: Task<Void, Never>?

            init() {
                let graph = Graph()
                text = graph.mutable(of: String.self)
                words = graph.mutable(of: Int.self)
                text.listen(in: bag) { [unowned self] in count($0) }
            }

            isolated deinit { work?.cancel() }

            private func count(_ text: String) {
                work?.cancel()
                work = Task { [weak self] in
                    let count = await Self.numberOfWords(in: text)  // not on the main thread
                    if !Task.isCancelled { self?.words.set(count) }
                }
            }

            @concurrent
            private nonisolated static func numberOfWords(in text: String) async -> Int {
                text.split(separator: " ").count
            }
        }

        let words = await Task { @MainActor in
            let counter = Counter()
            counter.text.set("one")
            counter.text.set("one two three")
            await counter.work?.value
            return counter.words.value
        }.value
        print(words ?? 0)  // prints 3
        try check()
    }

    @Test("A model whose nodes are shown, on the main actor (G-108)")
    @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    @MainActor
    func mainActorViews() throws {
        @MainActor
        final class Thermometer {
            let celsius: ObservedMutableNode<Double>
            let text: ObservedNode<String>

            init(graph: Graph) {
                let node = graph.mutable(20.0)
                celsius = ObservedMutableNode(node)
                text = ObservedNode(node.map { "\($0) °C" })
            }

            isolated deinit {}
        }

        let model = Thermometer(graph: Graph())
        model.celsius.value = 21.5  // a slider, with $model.celsius.value
        print(model.text.value ?? "")  // prints 21.5 °C
        try check()
    }
}
