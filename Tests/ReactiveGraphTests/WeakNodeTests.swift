import ReactiveGraph
import TestSupport
import Testing

@Suite("Weak nodes")
struct WeakNodeTests {
    let graph = Graph()

    private final class Page {
        let title: String
        var node: AnyNode?

        init(_ title: String) {
            self.title = title
        }
    }

    @Test("G-148: it does not hold its value, and is empty again once the object is gone")
    func weakly() {
        var page: Page? = Page("a")
        let node = graph.weak(page!)
        #expect(node.object === page && !node.isEmpty)
        weak let gone = page
        page = nil
        #expect(gone == nil)
        #expect(node.object == nil && node.isEmpty)
        #expect(node.value == nil)
    }

    @Test("G-148: a value that refers back to its owner does not leak; an ordinary node's does")
    func leak() {
        weak var gone: Page?
        do {
            let page = Page("a")
            page.node = graph.weak(page)
            gone = page
        }
        #expect(gone == nil)
        #expect(graph.counts.liveNodes == 0)
        do {
            let page = Page("a")
            page.node = graph.mutable(page)
            gone = page
        }
        #expect(gone != nil)
        gone?.node = nil
        #expect(gone == nil)
    }

    @Test("G-148: it is set, cleared and listened to like another node")
    func setting() {
        let node = graph.weak(of: Page.self)
        #expect(node.isEmpty && node.isMutable)
        let (a, b) = (Page("a"), Page("b"))
        let heard = EmissionRecorder(node.map { $0.object?.title }, replay: false)
        node.set(a)
        node.set(b)
        node.set(b)
        node.clear()
        node.set(a)
        #expect(heard.history == [.value("a"), .value("b"), .value("b"), .value("a")])
        #expect(node.description == "undefined: \(a)")
    }

    @Test("G-148: collect() notices the death; listeners to empties receive it, once")
    func collecting() {
        let node = graph.weak(of: Page.self)
        let derived = node.map { $0.object?.title }
        derived.propagatesEmpty = true
        let heard = EmissionRecorder(derived, replay: false)
        do {
            let page = Page("a")
            node.set(page)
            graph.collect()
        }
        #expect(derived.value == "a")
        graph.collect()
        graph.collect()
        #expect(heard.history == [.value("a"), .empty])
        expectSound(graph, node)
    }

    @Test("G-148, G-22: a listener that comes after the death receives nothing")
    func late() {
        let node = graph.weak(of: Page.self)
        do { node.set(Page("a")) }
        let bag = CancellableBag()
        node.listen(in: bag) { _ in Issue.record("the object is gone") }
        #expect(node.fork().isEmpty)
        #expect(node.emission.isEmpty)
    }

    @Test("G-148: an object that dies in its own pass is noticed afterwards")
    func inPass() {
        let node = graph.weak(of: Page.self)
        let bag = CancellableBag()
        var page: Page? = Page("a")
        var heard: [String] = []
        node.listen(in: bag) { _ in
            page = nil
            heard.append("empty: \(node.isEmpty)")
        }
        node.set(page!)
        #expect(heard == ["empty: false"])
        #expect(node.isEmpty)
    }

    @Test("Is released with its last holder")
    func release() {
        weak var gone: AnyNode?
        let page = Page("a")
        do {
            let node = graph.weak(page)
            gone = node
        }
        #expect(gone == nil)
        graph.collect()
        #expect(graph.counts.liveNodes == 0)
    }
}
