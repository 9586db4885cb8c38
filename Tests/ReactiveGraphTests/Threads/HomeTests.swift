import Dispatch
import ReactiveGraph
import TestSupport
import Testing

#if DEBUG
    /// Takes what the compiler refuses to other tasks and actors.
    private struct Smuggled<Thing>: @unchecked Sendable {
        let thing: Thing

        init(_ thing: Thing) { self.thing = thing }
    }

    /// What a synchronous function without an isolation makes.
    private final class Model {
        let graph = Graph()
        let number: MutableNode<Int>

        init() { number = graph.mutable(0) }
    }

    private protocol Counting: Actor {
        func count()
        var total: Int { get }
    }

    /// Makes its graph in its initialiser, outside its own isolation.
    private actor Early: Counting {
        let model = Model()
        private let bag = CancellableBag()
        private(set) var total = 0

        init() {
            model.number.listen(in: bag, replay: false) { _ in }
        }

        func count() {
            model.number.set(model.number.value! + 1)
            total = model.number.value!
        }

        func smuggle() -> Smuggled<MutableNode<Int>> { Smuggled(model.number) }
    }

    /// Makes its graph when it is first asked.
    private actor Late: Counting {
        private lazy var graph = Graph()
        private lazy var number = graph.mutable(0)
        var total: Int { number.value! }

        func count() { number.set(number.value! + 1) }
        func smuggle() -> Smuggled<MutableNode<Int>> { Smuggled(number) }
        func set(_ node: Smuggled<MutableNode<Int>>) { node.thing.set(7) }
    }

    /// The same by way of a function that knows nothing of it.
    private actor Indirect: Counting {
        private lazy var model = Model()
        var total: Int { model.number.value! }

        func count() { model.number.set(model.number.value! + 1) }
        func smuggle() -> Smuggled<MutableNode<Int>> { Smuggled(model.number) }
    }

    private final class QueueExecutor: SerialExecutor {
        let queue = DispatchQueue(label: "an actor's")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let executor = asUnownedSerialExecutor()
            queue.async { job.runSynchronously(on: executor) }
        }

        func isIsolatingCurrentContext() -> Bool? { nil }
    }

    /// On a queue of its own.
    private actor Queued: Counting {
        private let executor = QueueExecutor()
        private lazy var graph = Graph()
        private lazy var number = graph.mutable(0)
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        var total: Int { number.value! }

        func count() { number.set(number.value! + 1) }
        func smuggle() -> Smuggled<MutableNode<Int>> { Smuggled(number) }
    }

    /// What it owns ends with it, on whatever thread.
    private actor Closing {
        private let model = Model()
        private let bag = CancellableBag()

        init() { model.number.listen(in: bag, replay: false) { _ in } }
        func count() { model.number.set(1) }
    }

    /// Uses its graph to the last, which only an isolated `deinit` may do.
    @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    private actor ClosingIsolated {
        private lazy var graph = Graph()
        private lazy var number = graph.mutable(0)

        func count() { number.set(1) }
        isolated deinit { number.set(2) }
    }

    @globalActor
    private actor Household {
        static let shared = Household()
    }

    @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    @Household
    private final class House {
        let graph = Graph()
        lazy var doors = graph.mutable(0)
        var opened: Int { doors.value! }
        isolated deinit {}
        func open() { doors.set(doors.value! + 1) }
        func smuggle() -> Smuggled<MutableNode<Int>> { Smuggled(doors) }
    }

    @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    @MainActor
    private final class View {
        private let graph = Graph()
        private let bag = CancellableBag()
        private lazy var clicks = graph.mutable(0)
        private(set) var shown = 0

        init() { clicks.listen(in: bag) { [unowned self] in shown = $0 } }
        isolated deinit {}
        func click() { clicks.set(clicks.value! + 1) }
        func smuggle() -> Smuggled<MutableNode<Int>> { Smuggled(clicks) }
    }

    private func sleep() async { try? await Task.sleep(for: .milliseconds(2)) }

    /// Counts from many tasks on many threads, and drops the actor in another one.
    private func exercise(_ make: @Sendable () -> any Counting) async {
        let counter = make()
        await counter.count()
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    await sleep()
                    await counter.count()
                }
            }
        }
        #expect(await counter.total == 21)
        await Task.detached { [make = make()] in await make.count() }.value
    }

    @Suite("A graph is used where it belongs: an actor, a task or a thread")
    struct HomeTests {
        @Test("G-108: the methods of an actor run on many threads")
        func actors() async {
            await exercise { Early() }
            await exercise { Late() }
            await exercise { Indirect() }
            await exercise { Queued() }
        }

        @Test("G-108: a task that goes on on another thread")
        func task() async {
            let graph = Graph()
            let node = graph.mutable(1)
            let bag = CancellableBag()
            for value in 2...40 {
                await withTaskGroup { group in for _ in 0..<4 { group.addTask { await sleep() } } }
                node.set(value)
                node.listen(in: bag) { _ in }
            }
            #expect(node.value == 40)
        }

        @Test("G-108: the main actor, and another global actor")
        @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
        func globalActors() async {
            let view = await View()
            let house = await House()
            for _ in 1...5 {
                await sleep()
                await view.click()
                await Task.detached { await house.open() }.value
            }
            #expect(await view.shown == 5)
            #expect(await house.opened == 5)
        }

        @Test("G-108: the queue of the main actor, on whatever thread")
        @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
        func mainQueue() async {
            let view = await View()
            await withCheckedContinuation { done in
                DispatchQueue.main.async {
                    MainActor.assumeIsolated { view.click() }
                    done.resume()
                }
            }
            #expect(await view.shown == 1)
        }

        @Test("G-109: a detached task is stopped")
        @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
        func detached() async {
            await #expect(processExitsWith: .failure) {
                let node = Smuggled(Graph().mutable(1))
                await Task.detached { node.thing.set(2) }.value
            }
            await #expect(processExitsWith: .failure) {
                let late = Late()
                await late.count()
                let node = await late.smuggle()
                await Task.detached { node.thing.set(2) }.value
            }
            await #expect(processExitsWith: .failure) {
                let indirect = Indirect()
                await indirect.count()
                let node = await indirect.smuggle()
                await Task.detached { node.thing.set(2) }.value
            }
            await #expect(processExitsWith: .failure) {
                let queued = Queued()
                await queued.count()
                let node = await queued.smuggle()
                await Task.detached { node.thing.set(2) }.value
            }
            await #expect(processExitsWith: .failure) {
                let node = await View().smuggle()
                await Task.detached { node.thing.set(2) }.value
            }
            await #expect(processExitsWith: .failure) {
                let house = await House()
                let node = await house.smuggle()
                await Task.detached { node.thing.set(2) }.value
            }
        }

        @Test("G-109: another actor is stopped")
        @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
        func otherActor() async {
            await #expect(processExitsWith: .failure) {
                let (one, other) = (Late(), Late())
                await one.count()
                await other.set(one.smuggle())
            }
            await #expect(processExitsWith: .failure) {
                let early = Early()
                await early.count()
                let number = await early.smuggle()
                await Late().set(number)
            }
            await #expect(processExitsWith: .failure) {
                let node = await View().smuggle()
                await Late().set(node)
            }
        }

        @Test("G-109: a thread without a task is stopped")
        @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
        func threads() async {
            await #expect(processExitsWith: .failure) {
                let late = Late()
                await late.count()
                let node = await late.smuggle()
                onThreads { _ in node.thing.set(2) }
            }
            await #expect(processExitsWith: .failure) {
                let node = await View().smuggle()
                onThreads { _ in node.thing.set(2) }
            }
        }

        @Test("G-108: a graph made in a task belongs to the first actor that uses it")
        func adoptedByFirstActor() async {
            await #expect(processExitsWith: .failure) {
                let node = Smuggled(Graph().mutable(1))
                let late = Late()
                await late.set(node)
                node.thing.set(2)
                await late.set(node)
            }
            let node = Smuggled(Graph().mutable(1))
            let late = Late()
            await late.set(node)
            await Task.detached { await late.set(node) }.value
            #expect(node.thing.value == 7)
        }

        @Test("G-108: a graph that was handed over belongs where it was adopted")
        func handedOver() async {
            let model = Smuggled(Model())
            let kept = await Task.detached {
                model.thing.graph.adoptIsolation()
                await sleep()
                model.thing.number.set(5)
                return model
            }.value
            kept.thing.graph.adoptIsolation()
            #expect(kept.thing.number.value == 5)
            kept.thing.number.set(6)
            onThreads { _ in
                kept.thing.graph.adoptIsolation()
                kept.thing.number.set(7)
            }
            kept.thing.graph.adoptIsolation()
            let view = await Task { @MainActor in
                kept.thing.graph.adoptIsolation()
                kept.thing.number.set(8)
                await sleep()
                kept.thing.number.set(9)
                return kept
            }.value
            #expect(view.thing.number.value == 9)
            view.thing.graph.adoptIsolation()
            await #expect(processExitsWith: .failure) {
                let model = Smuggled(Model())
                await Task.detached { model.thing.graph.adoptIsolation() }.value
                model.thing.number.set(1)
            }
        }

        @Test("G-108: with an executor nothing is adopted")
        func executorStays() async {
            await #expect(processExitsWith: .failure) { Graph(executor: Elsewhere()).adoptIsolation() }
            Graph(executor: ManualExecutor()).adoptIsolation()
        }

        @Test("G-109: the message names the place and the remedy")
        func message() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let late = Late()
                await late.count()
                let node = await late.smuggle()
                await Task.detached { node.thing.set(2) }.value
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("set: the graph belongs to the isolation of Late"))
            #expect(text.contains("adoptIsolation()"))
        }

        @Test("G-108: an actor's graph does not keep it alive, and may end with it")
        func notKept() async {
            weak var kept: Late?
            do {
                let late = Late()
                await late.count()
                kept = late
            }
            while kept != nil { await sleep() }
        }

        @Test("G-109: what an actor owns ends with it, wherever that is")
        @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
        func actorsDeinit() async {
            for _ in 0..<20 {
                await Task.detached {
                    let closing = Closing()
                    await closing.count()
                    await Task.detached { await closing.count() }.value
                }.value
                await Task.detached {
                    let closing = ClosingIsolated()
                    await closing.count()
                    await Task.detached { await closing.count() }.value
                }.value
            }
        }
    }

    /// A loop that says that its thread is another one.
    private final class Elsewhere: LoopExecutor {
        struct Bell: LoopBell { func ring() {} }
        var isCurrent: Bool { false }
        func post(_ action: @escaping () -> Void) {}
        func makeBell(_ action: @escaping () -> Void) -> any LoopBell { Bell() }
    }
#endif
