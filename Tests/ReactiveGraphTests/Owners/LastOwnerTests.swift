import ReactiveGraph
import Testing

@Suite("The last owner of a listener that also owns itself")
struct LastOwnerTests {
    private final class Listener: NodeListener, ListenerOwner {
        let listenBag = CancellableBag()

        func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>) {}
    }

    private final class Owner {}

    /// The node is the last to hold the listener, which ends its listens when it dies: in the
    /// middle of being let go.
    @Test("G-117: when it goes and nothing else holds the listener, the listener dies and the listen ends")
    func dies() {
        let graph = Graph()
        let node = graph.mutable(1)
        let owner = Owner()
        weak var weakly: Listener?
        do {
            let listener = Listener()
            weakly = listener
            node.addListener(listener).addListener(listener, owner: owner)
        }
        #expect(weakly != nil && node.listenerCount == 1)
        node.removeListeners(ownedBy: owner)
        #expect(weakly == nil && node.listenerCount == 0)
        #expect(graph.counts.liveListeners == 0)
    }
}
