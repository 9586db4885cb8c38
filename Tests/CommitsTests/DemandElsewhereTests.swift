import Commits
import Testing

@Suite("Demand at other servers")
struct DemandElsewhereTests {
    @Test("D-4: the union of what servers want, and what changes in it")
    func elsewhere() {
        let union = DemandElsewhere()
        #expect(union.set(["a", "b"], of: "g", at: "one") == ["a", "b"])
        #expect(union.set(["b", "c"], of: "g", at: "two") == ["c"])
        #expect(union.change(adding: [], removing: ["a", "b"], of: "g", at: "one") == ["a"])
        #expect(union.wanted(in: "g") == ["b", "c"] && union.isWanted("b", of: "g"))
        #expect(union.set([], of: "h", at: "two").isEmpty)
        #expect(union.forget(server: "two") == ["g": ["b", "c"]])
        #expect(union.wanted(in: "g").isEmpty && !union.isWanted("c", of: "g"))
    }
}
