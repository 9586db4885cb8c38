import ReactiveGraph
import TestSupport
import Testing

@Suite("Loads that are needed, and values that are up to date")
struct FreshnessTests {
    let clock = ManualClock()
    let graph: Graph
    let log = EventLog()
    let owner = Keeper()

    init() {
        graph = Graph(clock: clock)
    }

    func mirror() -> MutableNode<Int> {
        let node = graph.mutable(of: Int.self)
        node.addListener(owner: owner) { [log] in log.note(text($0)) }
        _ = log.take()
        return node
    }

    // MARK: - Age

    @Test("G-160: a value is up to date within an age from when it was set or confirmed")
    func age() {
        let node = mirror()
        #expect(!node.isUpToDate(within: .seconds(9)))
        node.beginLoad().finish(1)
        clock.advance(by: .seconds(9))
        #expect(node.isUpToDate(within: .seconds(9)))
        clock.advance(by: .milliseconds(1))
        #expect(!node.isUpToDate(within: .seconds(9)))
        node.beginLoad().notModified()
        #expect(node.isUpToDate(within: .zero))
        clock.advance(by: .seconds(1))
        node.beginLoad().fail(Failure("down"))
        #expect(!node.isUpToDate(within: .zero) && node.isUpToDate(within: .seconds(1)))
        node.set(1)
        #expect(node.isUpToDate(within: .zero))
        expectSound(graph, node)
    }

    @Test("G-160: an empty node is never up to date; wiping forgets the age")
    func empty() {
        let node = mirror()
        node.beginLoad().finish(1)
        node.clear()
        #expect(!node.isUpToDate(within: .seconds(9)))
        node.beginLoad().notModified()
        #expect(!node.isUpToDate(within: .seconds(9)))
        node.set(2, source: .cache)
        #expect(node.isUpToDate(within: .zero))
        node.wipe()
        #expect(!node.isUpToDate(within: .seconds(9)))
    }

    @Test(
        "G-160: times are noted from the first load or set with a source on; derived nodes have an age, too"
    )
    func noted() {
        let node = graph.mutable(1)
        #expect(!node.isUpToDate(within: .seconds(9)))
        node.set(2, source: .local)
        #expect(node.isUpToDate(within: .seconds(9)))
        let derived = node.map { $0 }
        derived.writable().beginLoad().cancel()
        #expect(!derived.isUpToDate(within: .seconds(9)))
        node.set(3)
        #expect(derived.isUpToDate(within: .zero) && node.isUpToDate(within: .zero))
    }

    @Test("G-160: an invalidated value counts as out of date until the next one, or until it is confirmed")
    func invalidate() {
        let node = mirror()
        node.invalidate()
        node.set(1, source: .cache)
        node.invalidate()
        #expect(node.value == 1 && !node.isUpToDate(within: .seconds(9)))
        #expect(log.take() == ["1 from cache"])
        node.beginLoad().notModified()
        #expect(node.isUpToDate(within: .zero))
        node.invalidate()
        node.set(2)
        #expect(node.isUpToDate(within: .zero))
    }

    // MARK: - Loads

    @Test("G-160: a load begins only if none is running and the value is out of date; a running one is given")
    func needed() {
        let node = mirror()
        var begun: [Load<Int>] = []
        let first = node.loadIfNeeded(within: .seconds(5)) { begun.append($0) }
        #expect(first?.isRunning == true && first === begun.last)
        #expect(node.loadIfNeeded(within: .seconds(5)) { begun.append($0) } === first)
        let other = node.beginLoad()
        #expect(node.loadIfNeeded(within: .seconds(5)) { begun.append($0) } === first)
        first?.finish(1)
        #expect(node.loadIfNeeded(within: .zero) { begun.append($0) } === other)
        other.cancel()
        #expect(node.loadIfNeeded(within: .seconds(5)) { begun.append($0) } == nil && begun.count == 1)
        clock.advance(by: .seconds(6))
        let second = node.writable().loadIfNeeded(within: .seconds(5)) { begun.append($0) }
        #expect(second != nil && second === begun.last && begun.count == 2)
    }

    @Test("G-160: after an error a load begins once the pause is over, or the node was invalidated")
    func retry() {
        let node = mirror()
        var count = 0
        let load = { node.loadIfNeeded(within: .seconds(60), retryAfter: .seconds(3)) { _ in count += 1 } }
        load()?.fail(Failure("down"))
        for _ in 0..<10 { #expect(load() == nil) }
        clock.advance(by: .milliseconds(2_999))
        #expect(load() == nil && count == 1)
        clock.advance(by: .milliseconds(1))
        load()?.fail(Failure("down"))
        #expect(load() == nil && count == 2)
        node.invalidate()
        load()?.finish(1)
        #expect(load() == nil && count == 3)
        // An error that belongs to no load counts, too, also where the value is young.
        node.fail(Failure("push failed"))
        #expect(load() == nil)
        clock.advance(by: .seconds(3))
        #expect(load() != nil && count == 4)
        node.set(2)
        #expect(load() == nil)
        // A second without another pause.
        node.fail(Failure("down"))
        clock.advance(by: .milliseconds(999))
        #expect(node.loadIfNeeded(within: .zero) { _ in } == nil)
        clock.advance(by: .milliseconds(1))
        #expect(node.loadIfNeeded(within: .zero) { _ in } != nil)
    }

    @Test("G-160: a load that cannot run is not carried out")
    func impossible() {
        let registry = Registry(graph: graph)
        let node = registry.mutable("http://", as: Int.self)
        #expect(node.loadIfNeeded(within: .zero) { _ in Issue.record("carried out") }?.isRunning == false)
    }

    @Test("G-160: loads are cancelled unless a listener reaches the node, directly or over others")
    func unobserved() {
        let node = graph.mutable(of: Int.self)
        let derived = node.map { $0 + 1 }.map { $0 + 1 }
        let bag = CancellableBag()
        derived.listen(in: bag) { _ in }
        let load = node.beginLoad()
        #expect(!node.cancelLoadsIfUnobserved() && load.isRunning)
        bag.cancel()
        var listener: Keeper? = Keeper()
        node.addListener(owner: listener!) { _ in }
        #expect(!node.cancelLoadsIfUnobserved() && load.isRunning)
        listener = nil
        #expect(node.cancelLoadsIfUnobserved() && !load.isRunning && !node.isLoading)
        #expect(listener == nil && derived.isEmpty && node.cancelLoadsIfUnobserved())
    }

    @Test("G-160: a load that began in the node's own pass is known at once")
    func neededInPass() {
        let node = mirror()
        let bag = CancellableBag()
        var loads: [Load<Int>] = []
        node.listen(in: bag) { _ in
            node.invalidate()
            for _ in 0..<2 { node.loadIfNeeded(within: .zero) { loads.append($0) } }
        }
        node.set(1)
        #expect(loads.count == 1 && node.loadCount == 1)
        loads[0].cancel()
        #expect(node.loadCount == 0)
    }

    @Test("G-160: listeners receive the progress of a load, within 0…1, rising, and only while it runs")
    func progress() {
        let node = mirror()
        let load = node.beginLoad()
        for fraction in [0, 0.25, 0.2, .nan, 0.5, -1, 7, 2] { load.report(progress: fraction) }
        #expect(load.progress == 1)
        load.finish(1)
        #expect(load.progress == 1)
        load.report(progress: 1)
        #expect(
            log.take() == [
                "requested", "progress(0.25)", "progress(0.5)", "progress(1.0)", "1 from network",
            ]
        )
    }

    @Test("G-160: progress ends with 1, before the outcome, whatever that is", arguments: 0..<5)
    func lastProgress(outcome: Int) {
        let node = mirror()
        var load: Load<Int>? = node.beginLoad()
        load?.report(progress: 0.5)
        switch outcome {
        case 0: load?.finish(1)
        case 1: load?.notModified()
        case 2: load?.fail(Failure("down"))
        case 3: load?.cancel()
        default: break
        }
        #expect(outcome == 4 || load?.progress == 1)
        load = nil
        let last = ["1 from network", "notModified", "error(down)", "cancelled", "cancelled"][outcome]
        #expect(log.take() == ["requested", "progress(0.5)", "progress(1.0)", last])
        #expect(!node.isLoading)
    }

    // MARK: - Wiping

    @Test("G-160: wiping a node cancels its running loads: a late finish does not refill it")
    func wipe() {
        let node = mirror()
        node.set(1)
        node.fail(Failure("down"))
        let loads = [node.beginLoad(), node.beginLoad(), node.beginLoad()]
        var aborted: [Int] = []
        for (index, load) in loads.enumerated() { load.onCancel = { aborted.append(index) } }
        loads[1].finish(2)
        node.fail(Failure("again"))
        _ = log.take()
        node.wipe()
        #expect(log.take() == ["progress(1.0)", "cancelled", "progress(1.0)", "cancelled", "empty by wipe"])
        #expect(node.isEmpty && node.latestError == nil && !node.isLoading && aborted == [0, 2])
        loads[0].finish(3)
        loads[2].fail(Failure("late"))
        #expect(node.isEmpty && node.latestError == nil && log.lines == [])
        node.beginLoad().finish(4)
        #expect(node.value == 4)
    }

    @Test("G-160: wiping in the node's own pass takes effect after it, and lets no late finish through")
    func wipeInPass() {
        let node = mirror()
        let bag = CancellableBag()
        let load = node.beginLoad()
        node.listen(in: bag) { _ in
            node.wipe()
            load.finish(9)
        }
        node.set(1)
        #expect(log.take() == ["requested", "1", "progress(1.0)", "cancelled", "empty by wipe"])
        #expect(node.isEmpty && node.loadCount == 0)
    }

    @Test("G-160: a registry's wipe cancels loads; a derived node is wiped through its writable view")
    func registryWipe() {
        let registry = Registry(graph: graph, policy: .always)
        let node = registry.mutable("a", as: Int.self)
        let load = node.beginLoad()
        registry.wipe()
        load.finish(1)
        #expect(node.isEmpty)
        node.set(1)
        let derived = node.map { $0 }
        let other = derived.writable().beginLoad()
        derived.writable().wipe()
        #expect(derived.isEmpty && !other.isRunning && node.value == 1)
    }

    @Test("A load reports once that it was cancelled, also when it is dropped; a bag can hold it")
    func onCancel() {
        let node = mirror()
        var count = 0
        let load = node.beginLoad()
        load.onCancel = { count += 1 }
        load.cancel()
        load.cancel()
        #expect(count == 1)
        do { node.beginLoad().onCancel = { count += 1 } }
        #expect(count == 2)
        let done = node.beginLoad()
        done.onCancel = { count += 1 }
        done.finish(1)
        done.cancel()
        #expect(count == 2)
        let bag = CancellableBag()
        let held = node.beginLoad().store(in: bag)
        bag.cancel()
        #expect(!held.isRunning && !node.isLoading)
    }
}
