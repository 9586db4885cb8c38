import ReactiveGraph
import TestSupport
import Testing

@Suite("Events")
struct EventsTests {
    let graph = Graph()
    let log = EventLog()

    @Test("G-119: added comes first, before the add returns, to the new listener only, value or not")
    func added() {
        let full = graph.mutable(1)
        let empty = graph.mutable(of: Int.self)
        let owner = Keeper()
        let first = Ear("a", log)
        full.addListener(first)
        empty.addListener(first)
        log.note("returned")
        full.addListener(owner: owner) { [log] in log.note("b \(text($0))") }
        empty.listen(owner: owner) { [log] _, value in log.note("plain \(value)") }
        #expect(log.lines == ["a added(1)", "a added(empty)", "returned", "b added(1)"])
    }

    @Test("G-119: added during a pass carries the new value, which is not delivered again (G-46)")
    func addedInPass() {
        let node = graph.mutable(0)
        let late = Ear("late", log)
        let bag = CancellableBag()
        node.listen(in: bag, replay: false) { [unowned node] _ in node.addListener(late) }
        node.set(1)
        #expect(log.lines == ["late added(1)"])
        node.set(2)
        #expect(log.lines == ["late added(1)", "late 2"])
    }

    @Test("G-122: stopped is delivered once, at removal before it returns, and ends the events")
    func stopped() {
        let node = graph.mutable(0)
        let ear = Ear("e", log)
        node.addListener(ear)
        node.removeListeners(ownedBy: ear)
        log.note("returned")
        node.removeListeners(ownedBy: ear)
        node.set(1)
        #expect(log.lines == ["e added(0)", "e stopped", "returned"])
    }

    @Test("G-122: at an owner's death several nodes are reported in order of creation, then of addition")
    func stoppedOrder() {
        for hasBag in [true, false] {
            let nodes = (0..<3).map { graph.mutable($0) }
            var owner: AnyObject? = hasBag ? BagKeeper() : Keeper()
            for (index, name) in [(2, "x"), (0, "y"), (1, "z"), (0, "w"), (2, "v")] {
                nodes[index].addListener(ValueEar(name: "\(index)\(name)", log: log), owner: owner!)
            }
            _ = log.take()
            withExtendedLifetime(owner) {}
            owner = nil
            graph.collect()
            #expect(log.take() == ["0y", "0w", "1z", "2x", "2v"].map { $0 + " stopped" })
            withExtendedLifetime(nodes) {}
        }
    }

    @Test("G-122: a listener called with stopped may end others, add listeners and set nodes")
    func stoppedDoes() {
        let node = graph.mutable(0)
        let owner = Keeper()
        let ear = Ear("e", log)
        let second = Ear("f", log)
        node.addListener(ear, owner: owner).addListener(second, owner: owner)
        ear.onEvent = { [unowned ear] event in
            guard event == "stopped" else { return }
            ear.onEvent = nil
            node.removeListeners(ownedBy: owner)
            node.addListener(ear)
            node.set(1)
        }
        _ = log.take()
        node.removeListeners(ownedBy: owner)
        #expect(log.lines == ["e stopped", "f stopped", "e added(0)", "e 1"])
    }

    @Test(
        "G-64, G-121: a listener that adds itself again at stopped is called so once for each cancel of its owner's bag"
    )
    func addsItselfAgain() {
        final class Holder: ListenerOwner {
            let listenBag = CancellableBag()
        }
        let node = graph.mutable(0)
        let owner = Holder()
        let ear = Ear("e", log)
        ear.onEvent = { [unowned ear] event in
            if event == "stopped" { node.addListener(ear, owner: owner) }
        }
        node.addListener(ear, owner: owner)
        for _ in 0..<2 {
            _ = log.take()
            owner.listenBag.cancel()
            #expect(log.lines == ["e stopped", "e added(0)"])
        }
        ear.onEvent = nil
        owner.listenBag.cancel()
        #expect(!node.hasListener)
    }

    @Test("G-123, G-35: listeners of every kind are served in order of addition, before transforms")
    func order() {
        let node = graph.mutable(of: Int.self)
        let owner = Keeper()
        let derived = node.map { [log] value in
            log.note("map")
            return value
        }
        node.addListener(ValueEar(name: "a", log: log), owner: owner)
        node.listen(owner: owner) { [log] _, _ in log.note("b") }
        node.addListener(owner: owner) { [log] _ in log.note("c") }
        _ = log.take()
        node.set(1)
        #expect(log.lines == ["a 1", "b", "c", "map"] && derived.value == 1)
    }

    @Test("newValue says where the value came from, through derived nodes too (G-135)")
    func source() {
        let node = graph.mutable(of: Int.self)
        let owner = Keeper()
        node.map { -$0 }.addListener(owner: owner) { [log] in log.note(text($0)) }
        node.set(1)
        node.set(2, source: .cache)
        node.beginLoad().finish(3)
        node.set(4, context: Context("mine"))
        #expect(log.lines == ["added(empty)", "-1", "-2 from cache", "-3 from network", "-4"])
    }

    @Test("G-133a: event listeners receive a clear as empty, plain listeners do not")
    func clear() {
        let node = graph.mutable(1)
        let owner = Keeper()
        node.addListener(owner: owner) { [log] in log.note(text($0)) }
        node.listen(owner: owner) { [log] _, value in log.note("plain \(value)") }
        node.clear()
        #expect(log.lines == ["added(1)", "plain 1", "empty"])
    }

    @Test("G-46, G-47: a listener removed in a pass receives stopped, and not the value")
    func removedInPass() {
        let node = graph.mutable(0)
        let owner = Keeper()
        let first = Ear("a", log)
        node.addListener(first).addListener(ValueEar(name: "b", log: log), owner: owner)
        first.onEvent = { if $0 == "1" { node.removeListeners(ownedBy: owner) } }
        _ = log.take()
        node.set(1)
        #expect(log.lines == ["a 1", "b stopped"])
        first.onEvent = nil
    }

    @Test("G-37: a set from inside an event is delivered to all after the event before")
    func reentrant() {
        let node = graph.mutable(0)
        let first = Ear("a", log)
        let second = Ear("b", log)
        node.addListener(first).addListener(second)
        first.onEvent = { if $0 == "1" { node.set(2) } }
        _ = log.take()
        node.set(1)
        #expect(log.lines == ["a 1", "b 1", "a 2", "b 2"])
        first.onEvent = nil
    }

    @Test("Events can be compared")
    func equality() {
        #expect(NodeEvent<Int>.newValue(1, source: .local) != .newValue(1, source: .cache))
        #expect(NodeEvent<Int>.error(Failure("a")) == .error(Failure("a")))
        #expect(NodeEvent<Int>.error(Failure("a")) != .error(Failure("b")))
        #expect(NodeEvent<Int>.added(.empty) == .added(.empty) && NodeEvent<Int>.requested != .stopped)
    }
}
