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

    @Test("G-160: a load begins only if none is running and the value is out of date")
    func needed() {
        let node = mirror()
        let first = node.loadIfNeeded(within: .seconds(5))
        #expect(first?.isRunning == true)
        #expect(node.loadIfNeeded(within: .seconds(5)) == nil)
        first?.finish(1)
        #expect(node.loadIfNeeded(within: .seconds(5)) == nil)
        clock.advance(by: .seconds(6))
        let second = node.writable().loadIfNeeded(within: .seconds(5))
        #expect(second != nil)
        second?.fail(Failure("down"))
        node.invalidate()
        #expect(node.loadIfNeeded(within: .seconds(60)) != nil)
    }

    @Test("G-160: a load that began in the node's own pass is known at once")
    func neededInPass() {
        let node = mirror()
        let bag = CancellableBag()
        var loads: [Load<Int>] = []
        node.listen(in: bag) { _ in
            node.invalidate()
            for _ in 0..<2 { node.loadIfNeeded(within: .zero).map { loads.append($0) } }
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
        load.report(progress: 1)
        #expect(
            log.take() == [
                "requested", "progress(0.25)", "progress(0.5)", "progress(1.0)", "1 from network",
            ]
        )
        let other = node.beginLoad()
        other.report(progress: 0.5)
        #expect(log.take() == ["requested", "progress(0.5)"])
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
        #expect(log.take() == ["cancelled", "cancelled", "empty by wipe"])
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
        #expect(log.take() == ["requested", "1", "cancelled", "empty by wipe"])
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
