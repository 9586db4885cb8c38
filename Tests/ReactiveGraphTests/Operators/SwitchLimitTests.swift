import ReactiveGraph
import TestSupport
import Testing

@Suite("Limits of a switch (G-143)")
struct SwitchLimitTests {
    let graph = Graph()

    @Test("G-143: one key too many fails, and the switch continues")
    func fails() {
        var errors: [String] = []
        graph.onError = { errors.append($0.description) }
        let source = graph.mutable(1)
        let switched = source.switch(maxKeys: .fail(2)) { $0 }.named("rooms")
        source.set(2)
        source.set(3)
        #expect(switched.value?.key == 2)
        #expect(errors.count == 1 && errors[0].contains("rooms") && errors[0].contains("2"))
        source.set(1)
        #expect(switched.value?.node.value == 1)
        expectSound(graph, source, switched)
    }

    @Test("G-143: eviction releases the key used longest ago; a case of it gets the new inner node")
    func evicts() throws {
        let source = graph.mutable(1)
        let switched = source.switchMap(maxKeys: .evictOldest(2)) { ($0 % 10, $0) }
        let one = Recorder(switched.case(1))
        let first = try #require(switched.value?.node)
        source.set(2)
        source.set(11)
        source.set(3)
        #expect(graph.counts.liveNodes == 5)
        source.set(21)
        #expect(switched.value?.node === first)
        source.set(2)
        source.set(3)
        source.set(31)
        #expect(switched.value?.node !== first)
        #expect(one.history == [1, 11, 21, 31])
        expectSound(graph, source, switched, first)
    }

    @Test("G-143: a limit of one keeps the current key only")
    func one() {
        let source = graph.mutable(1)
        let switched = source.switch(maxKeys: .evictOldest(1)) { $0 }
        for value in 2...5 {
            source.set(value)
            #expect(switched.value?.node.value == value)
            #expect(graph.counts.liveNodes == 3)
        }
    }

    @Test("G-143: an inner node that nothing follows is released once another key is current")
    func unused() {
        let source = graph.mutable(1)
        let switched = source.switch(releasesUnused: true) { $0 }
        let two = switched.case(2)
        #expect(graph.counts.liveNodes == 4)
        source.set(2)
        weak let inner = switched.value?.node
        source.set(3)
        #expect(graph.counts.liveNodes == 5)
        source.set(4)
        #expect(graph.counts.liveNodes == 5)
        #expect(inner?.value == 2 && two.value == 2)
        let again = switched.case(3)
        source.set(3)
        #expect(again.value == 3)
        expectSound(graph, source, two, again)
    }

    @Test("G-143: it is released when the last case dies, unless its key is current")
    func lastCase() {
        let source = graph.mutable(1)
        let switched = source.switch(releasesUnused: true) { $0 }
        var one: Node<Int>? = switched.case(1)
        weak let inner = switched.value?.node
        one = nil
        #expect(inner?.value == 1 && one == nil)
        one = switched.case(1)
        source.set(2)
        #expect(inner?.value == 1)
        one = nil
        #expect(inner == nil)
        expectSound(graph, source, switched)
    }

    @Test("G-143: without the option an inner node stays for the life of the edge")
    func kept() {
        let source = graph.mutable(0)
        let switched = source.switch { $0 }
        for value in 1..<100 { source.set(value) }
        #expect(graph.counts.liveNodes == 102)
        #expect(switched.case(3).isEmpty)
    }
}
