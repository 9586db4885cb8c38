import ReactiveGraph
import TestSupport
import Testing

@Suite("Links")
struct LinkTests {
    let graph = Graph()

    @Test("A link replays once and follows; cancelling is idempotent and leaves values (G-26, G-30)")
    func link() {
        let upstream = graph.mutable(1)
        let node = graph.mutable(of: Int.self)
        let heard = Recorder(node)
        let link = node.link(to: upstream)
        upstream.set(2)
        link?.cancel()
        link?.cancel()
        upstream.set(3)
        #expect(heard.history == [1, 2])
        #expect(node.value == 2)
        #expect(link?.isActive == false)
    }

    @Test("Dropping a cancellable changes nothing, and it holds nothing (G-30)")
    func dropping() {
        let upstream = graph.mutable(1)
        var node: MutableNode<Int>? = graph.mutable(of: Int.self)
        weak let gone = node
        let link = node?.link(to: upstream)
        #expect(node?.value == 1)
        node = nil
        #expect(gone == nil)
        #expect(link?.isActive == false)
        link?.cancel()
    }

    @Test("Linking a node to itself does nothing (G-27)")
    func itself() {
        let node = graph.mutable(1)
        #expect(node.link(to: node) == nil)
        #expect(!node.hasUpstreamNode)
    }

    @Test("Several links between the same pair are independent (G-29)")
    func several() {
        let upstream = graph.mutable(of: Int.self)
        let node = graph.mutable(of: Int.self)
        let links = [node.link(to: upstream), node.link(to: upstream)]
        let heard = Recorder(node)
        upstream.set(1)
        #expect(node.upstreamNodes == [upstream, upstream])
        links[0]?.cancel()
        upstream.set(2)
        #expect(heard.history == [1, 1, 2])
    }

    @Test("A link without replay takes only later values (G-149)")
    func noReplay() {
        let upstream = graph.mutable(1)
        let node = graph.mutable(0)
        node.link(to: upstream, replay: false)
        #expect(node.value == 0)
        upstream.set(2)
        #expect(node.value == 2)
    }

    @Test("Removing neighbours disconnects all edges to them, and no listens (G-31)")
    func removing() {
        let a = graph.mutable(1)
        let b = graph.mutable(1)
        let c = graph.mutable(1)
        c.link(to: a)
        c.link(to: b)
        c.link(to: b)
        let heard = Recorder(b)
        b.removeDownstreamNode(c)
        #expect(c.upstreamNodes == [a])
        #expect(heard.history == [1])
        #expect(b.hasListener)
        c.removeUpstreamNode(b)
        c.removeUpstreamNodes()
        #expect(!c.hasUpstreamNode)
        a.removeDownstreamNodes()
        let flat = a.flattenMap { _ in b }
        flat.link(to: a)
        flat.removeUpstreamNodes()
        #expect(!flat.hasUpstreamNode)
        expectSound(graph, a, b, c, flat)
    }
}
