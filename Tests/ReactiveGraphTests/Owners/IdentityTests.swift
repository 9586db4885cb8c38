import ReactiveGraph
import TestSupport
import Testing

/// A listener that is one of several for the same screen.
private final class ScreenEar: NodeListener {
    let screen: String?
    let log: EventLog

    init(_ screen: String?, _ log: EventLog) {
        self.screen = screen
        self.log = log
    }

    var observerIdentity: AnyHashable? { screen }

    func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>) {
        log.note("\(screen ?? "-") \(text(event))")
    }
}

private struct ScreenValue: NodeListener {
    let screen: String?
    let log: EventLog

    var observerIdentity: AnyHashable? { screen }

    func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>) {
        log.note("\(screen ?? "-") \(text(event))")
    }
}

@Suite("The identity of listeners")
struct IdentityTests {
    let graph = Graph()
    let log = EventLog()

    @Test(
        "G-118: objects with the same identity of their own are one listener; the second adds its owner only"
    )
    func objects() {
        let node = graph.mutable(1)
        var (first, second): (Keeper?, Keeper?) = (Keeper(), Keeper())
        node.addListener(ScreenEar("a", log), owner: first!)
        node.addListener(ScreenEar("a", log), owner: second!)
        node.addListener(ScreenEar("b", log), owner: first!)
        #expect(log.take() == ["a added(1)", "b added(1)"])
        first = nil
        node.set(2)
        #expect(log.take() == ["a 2", "b stopped"])
        second = nil
        node.set(3)
        #expect(!node.hasListener)
    }

    @Test("G-118: without one, objects are told apart as objects, and values are unique")
    func byDefault() {
        let node = graph.mutable(1)
        let owner = Keeper()
        let ear = ScreenEar(nil, log)
        node.addListener(ear, owner: owner).addListener(ear, owner: owner)
        node.addListener(ScreenEar(nil, log), owner: owner)
        #expect(log.take().count == 2)
        let value = ScreenValue(screen: nil, log: log)
        node.addListener(value, owner: owner).addListener(value, owner: owner)
        #expect(log.take().count == 2)
    }

    @Test("G-118: a value may have an identity of its own; one given with the call goes before it")
    func values() {
        let node = graph.mutable(1)
        let owner = Keeper()
        node.addListener(ScreenValue(screen: "a", log: log), owner: owner)
        node.addListener(ScreenValue(screen: "a", log: log), owner: owner)
        #expect(log.take() == ["a added(1)"])
        node.addListener(ScreenValue(screen: "a", log: log), owner: owner, identity: "b")
        #expect(log.take() == ["a added(1)"])
        let object: any NodeListener = ScreenEar("a", log)
        node.addListener(object, owner: owner)
        #expect(log.take() == [])
        #expect(node.listenerCount == 2)
    }

    @Test("G-118, G-117: a listener that owns itself and one of the same identity that comes later")
    func selfOwned() {
        let node = graph.mutable(1)
        var first: ScreenEar? = ScreenEar("a", log)
        let second = ScreenEar("a", log)
        node.addListener(first!)
        node.addListener(second)
        first = nil
        node.set(2)
        // The second one is an owner of the first one's listen, so the first one lives on.
        #expect(log.take() == ["a added(1)", "a 2"])
        node.removeListeners(ownedBy: second)
        #expect(!node.hasListener)
    }
}
