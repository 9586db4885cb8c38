import ReactiveGraph
import TestSupport
import Testing

@Suite("Distinct until changed")
struct DistinctTests {
    let graph = Graph()

    @Test("Drops values equal to what the new node holds (G-71)")
    func emits() {
        let source = graph.mutable(1)
        let heard = Recorder(source.distinct())
        for value in [1, 2, 2, 1] { source.set(value) }
        #expect(heard.history == [1, 2, 1])
    }

    @Test("Compares with what the new node holds now, whoever put it there (G-71)")
    func comparesDownstream() {
        let source = graph.mutable(1)
        let derived = source.distinct()
        let heard = Recorder(derived)
        derived.writable().set(5)
        source.set(5)
        source.set(1)
        derived.writable().clear()
        source.set(1)
        #expect(heard.history == [1, 5, 1, 1])
    }

    @Test("Clearing the upstream does not reset it; nil equals nil (G-71)")
    func empty() {
        let source = graph.mutable(Int?.none)
        let heard = Recorder(source.distinct())
        source.clear()
        source.set(nil)
        source.set(1)
        #expect(heard.history == [nil, 1])
    }

    @Test("Takes a comparison of one's own")
    func by() {
        let source = graph.mutable("a")
        let heard = Recorder(source.distinct { $0.count == $1.count })
        source.set("b")
        source.set("cc")
        #expect(heard.history == ["a", "cc"])
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.distinct() }
    }

    @Test("The comparison is given the held value first, then the new one")
    func orderOfArguments() {
        let source = graph.mutable(3)
        let rising = Recorder(source.distinct { held, new in held >= new })
        for value in [2, 5, 4, 6] { source.set(value) }
        #expect(rising.history == [3, 5, 6])
    }
}
