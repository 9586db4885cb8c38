import ReactiveGraph
import TestSupport
import Testing

#if DEBUG
    /// Takes what the compiler refuses to another thread.
    private struct Smuggled<Thing>: @unchecked Sendable {
        let thing: Thing
    }

    private func elsewhere<Thing>(_ thing: Thing, _ body: @escaping @Sendable (Thing) -> Void) {
        let smuggled = Smuggled(thing: thing)
        onThreads { _ in body(smuggled.thing) }
    }

    @Suite("Calls from another thread are stopped in debug builds")
    struct ConfinementTests {
        @Test("G-109: setting and clearing")
        func set() async {
            await #expect(processExitsWith: .failure) {
                elsewhere(Graph().mutable(1)) { $0.set(2) }
            }
            await #expect(processExitsWith: .failure) {
                elsewhere(Graph().mutable(1)) { $0.clear() }
            }
        }

        @Test("G-109: listening")
        func listen() async {
            await #expect(processExitsWith: .failure) {
                elsewhere(Graph().mutable(1)) { $0.listen(in: CancellableBag()) { _ in } }
            }
        }

        @Test("G-109: linking, and making nodes and operators")
        func link() async {
            await #expect(processExitsWith: .failure) {
                let graph = Graph()
                elsewhere((graph.mutable(1), graph.mutable(2))) { $0.0.link(to: $0.1) }
            }
            await #expect(processExitsWith: .failure) {
                elsewhere(Graph().mutable(1)) { _ = $0.map { $0 + 1 } }
            }
            await #expect(processExitsWith: .failure) {
                elsewhere(Graph()) { _ = $0.mutable(1) }
            }
        }

        @Test("G-109: submitting without the handle")
        func submit() async {
            await #expect(processExitsWith: .failure) {
                elsewhere(Graph(executor: Elsewhere())) { $0.submit {} }
            }
        }

        /// A loop that says that its thread is another one.
        private final class Elsewhere: LoopExecutor {
            struct Bell: LoopBell { func ring() {} }
            var isCurrent: Bool { false }
            func post(_ action: @escaping () -> Void) {}
            func makeBell(_ action: @escaping () -> Void) -> any LoopBell { Bell() }
        }

        @Test("G-109: with an executor the executor is asked")
        func executor() async {
            await #expect(processExitsWith: .failure) {
                _ = Graph(executor: Elsewhere()).mutable(1)
            }
        }

        @Test("The check can be left out, for a graph inside an actor")
        func unchecked() {
            let node = Graph(checksThread: false).mutable(1)
            elsewhere(node) { $0.set(2) }
            #expect(node.value == 2)
        }
    }
#endif
