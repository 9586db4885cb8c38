import ReactiveGraph
import Testing

@testable import Definitions

@Suite("Families by the parts of their names")
struct PatternTrieTests {
    @Test("F-2: whatever overlaps or is covered is among the candidates")
    func complete() throws {
        let parts = ["a", "ab", "{x}", "a{x}", "{x}b", "ab{x}c", "b{x}"]
        let pairs = parts.flatMap { first in parts.map { "\(first).\($0.replacing("x", with: "y"))" } }
        let patterns = try (parts + pairs).filter { $0.contains("{") }.map { try NamePattern($0) }
        let trie = PatternTrie()
        for (place, pattern) in patterns.enumerated() {
            trie.insert(PatternTrie.Family(pattern: pattern, place: place))
        }
        for pattern in patterns {
            let found = Set(trie.candidates(for: pattern.text).map(\.place))
            for (place, other) in patterns.enumerated() where other.overlaps(pattern) || other.covers(pattern)
            {
                #expect(found.contains(place), "\(other.text) for \(pattern.text)")
            }
        }
        for name in ["a", "abc.ab", "abxc.b1", "ab.ab", "1b.a1"] {
            let found = Set(trie.candidates(for: name).map(\.place))
            for (place, pattern) in patterns.enumerated() where pattern.values(of: name) != nil {
                #expect(found.contains(place), "\(pattern.text) for \(name)")
            }
        }
    }

    @Test("many families are not compared with each other", arguments: ["f#.{id}.v", "f#-{id}", "{id}.f#"])
    func few(_ form: String) throws {
        let trie = PatternTrie()
        var compared = 0
        for number in 0..<2_000 {
            let text = form.split(separator: "#", omittingEmptySubsequences: false).joined(
                separator: "\(number)"
            )
            compared += trie.candidates(for: text).count
            trie.insert(PatternTrie.Family(pattern: try NamePattern(text), place: number))
        }
        #expect(compared <= 2_000)
    }
}
