import Support
import TestSupport
import Testing

@Suite("Names in order")
struct SortedNamesTests {
    @Test("F-8: they do what a sorted set does, for random adds and removes")
    func model() {
        var random = SeededGenerator(seed: 5)
        let names = SortedNames()
        var model: Set<String> = []
        for step in 0..<6_000 {
            let name = "n\(Int.random(in: 0..<1_500, using: &random))"
            // It grows, and shrinks again.
            if Int.random(in: 0..<6_000, using: &random) > step {
                #expect(names.insert(name) == model.insert(name).inserted)
            } else {
                #expect(names.remove(name) == (model.remove(name) != nil))
            }
            #expect(names.count == model.count && names.contains(name) == model.contains(name))
            guard step % 50 == 0 else { continue }
            let prefix = ["", "n1", "n14", "x"].randomElement(using: &random) ?? ""
            let after = Bool.random(using: &random) ? name : nil
            var seen: [String] = []
            names.visit(prefix: prefix, after: after) { name in
                seen.append(name)
                return seen.count < 40
            }
            let expected = model.filter { $0.hasPrefix(prefix) && $0 > (after ?? "") }.sorted().prefix(40)
            #expect(seen == Array(expected))
        }
    }
}
