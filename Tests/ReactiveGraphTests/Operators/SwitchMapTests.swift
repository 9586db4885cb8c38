import ReactiveGraph
import TestSupport
import Testing

@Suite("SwitchMap")
struct SwitchMapTests {
    let graph = Graph()

    @Test("G-90: the function gives key and mapped value; each key has one inner node, made on first use")
    func inners() {
        let source = graph.mutable(1)
        let switched = source.switchMap { ($0 % 2, "v\($0)") }
        let odd = switched.value?.node
        #expect(odd?.value == "v1")
        source.set(2)
        let even = switched.value?.node
        #expect(even !== odd && even?.value == "v2")
        source.set(3)
        #expect(switched.value?.node === odd && odd?.value == "v3" && even?.value == "v2")
        #expect(graph.counts.liveNodes == 4)
        #expect(switched.upstreamTransforms.map(\.name) == ["SwitchMap"])
    }

    @Test("G-90: the function is called once per value, however many cases there are")
    func calls() {
        let source = graph.mutable(0)
        var calls = 0
        let switched = source.switchMap { value in
            calls += 1
            return (value % 2, value * 10)
        }
        let even = Recorder(switched.case(0))
        let odd = Recorder(switched.case(1))
        for value in 1...4 { source.set(value) }
        #expect(calls == 5)
        #expect(even.history == [0, 20, 40] && odd.history == [10, 30])
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.switchMap { ($0, "\($0)") } }
    }
}
