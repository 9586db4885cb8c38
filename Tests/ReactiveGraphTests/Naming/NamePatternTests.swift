import TestSupport
import Testing

@testable import ReactiveGraph
import Support

@Suite("Patterns of names")
struct NamePatternTests {
    private func pattern(_ text: String) throws -> NamePattern { try NamePattern(text) }

    @Test("F-1: a placeholder stands for a segment, or for what is between its fixed beginning and end")
    func values() throws {
        let pattern = try pattern("room-{room}.n{number}s.celsius")
        #expect(pattern.placeholders == ["room", "number"])
        #expect(pattern.values(of: "room-a_B-9.n1s.celsius") == ["a_B-9", "1"])
        for name in [
            "room-.n1s.celsius", "room-a.ns.celsius", "room-a.n1.celsius", "room-a.n1s",
            "room-a.n1s.celsius.x",
            "xroom-a.n1s.celsius", "room-a.n1s.celsiu", "room-a.b.n1s.celsius", "",
        ] {
            #expect(pattern.values(of: name) == nil, "\(name)")
        }
        #expect(pattern.name(of: ["hall", "7"]) == "room-hall.n7s.celsius")
    }

    @Test("F-1: a placeholder stands for 1 to 64 letters, digits, _ and -, and never for a dot")
    func bounds() throws {
        let pattern = try pattern("a.{id}")
        #expect(pattern.values(of: "a." + String(repeating: "x", count: 64)) != nil)
        #expect(pattern.values(of: "a." + String(repeating: "x", count: 65)) == nil)
        #expect(pattern.values(of: "a.b.c") == nil)
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-".utf8)
        for byte in UInt8.min...UInt8.max {
            let name = Array("a.b".utf8) + [byte]
            let fits = name.withBorrowedBytes { pattern.matches($0) }
            #expect(fits == allowed.contains(byte), "\(byte)")
        }
    }

    @Test(
        "F-1: what is wrong with a pattern",
        arguments: [
            ("a.{id", NamePatternError.brace), ("a.id}", .brace), ("a.{i{d}}", .brace),
            ("a.{}", .placeholder("")),
            ("a.{1d}", .placeholder("1d")), ("a.{i-d}", .placeholder("i-d")), ("{a}.{a}", .repeated("a")),
            ("{a}{b}", .twoInSegment), ("{a}-{b}", .twoInSegment), ("a", .none), ("a..{b}", .character),
            ("-a.{b}", .character), ("a b.{c}", .character), ("", .character),
        ]
    )
    func refused(_ text: String, _ error: NamePatternError) {
        #expect(throws: error) { try NamePattern(text) }
    }

    @Test("F-2: which patterns could mean the same name, and which mean all names of another")
    func others() throws {
        let cases: [(String, String, overlaps: Bool, covers: Bool)] = [
            ("a.{x}", "a.{y}", true, true), ("a.{x}", "b.{x}", false, false), ("{x}.b", "a.{y}", true, false),
            ("a{x}.b", "ab{y}.b", true, true), ("ab{x}.b", "a{y}.b", true, false),
            ("{x}a.b", "{y}b.b", false, false),
            ("a.{x}", "a.{x}.c", false, false), ("{x}.{y}", "a.{x}", true, true),
            ("a{x}.b", "{y}a.b", true, false),
        ]
        for (a, b, overlaps, covers) in cases {
            let (first, second) = (try pattern(a), try pattern(b))
            #expect(first.overlaps(second) == overlaps && second.overlaps(first) == overlaps, "\(a) \(b)")
            #expect(first.covers(second) == covers, "\(a) \(b)")
        }
    }

    @Test("F-1: matching, filling and overlapping agree, for random patterns and names")
    func agreement() throws {
        var random = SeededGenerator(seed: 17)
        func segment() -> String {
            let fixed = ["", "a", "b", "ab"].randomElement(using: &random) ?? ""
            let end = ["", "a", "b"].randomElement(using: &random) ?? ""
            return Bool.random(using: &random) ? fixed + "{}" + end : fixed + end + "c"
        }
        func make(_ count: Int) throws -> NamePattern {
            var number = 0
            let text = (0..<count).map { _ in segment() }.joined(separator: ".")
            let parts = text.split(separator: "{}", omittingEmptySubsequences: false).map(String.init)
            guard parts.count > 1 else { return try make(count) }
            return try NamePattern(
                parts.dropFirst().reduce(parts[0]) { text, part in
                    number += 1
                    return "\(text){p\(number)}\(part)"
                }
            )
        }
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...3, using: &random)
            let (a, b) = (try make(count), try make(count))
            let values = a.placeholders.map { _ in
                ["a", "b", "ba", "abab", "cab"].randomElement(using: &random) ?? "a"
            }
            let name = a.name(of: values)
            #expect(a.values(of: name) == values, "\(a.text) \(name)")
            if b.values(of: name) != nil {
                #expect(a.overlaps(b), "\(a.text) and \(b.text) both mean \(name)")
            }
            if b.covers(a) {
                #expect(b.values(of: name) != nil, "\(b.text) covers \(a.text), and not \(name)")
            }
        }
    }

    @Test(
        "F-9: a registry makes the node of a name that fits a pattern once, and gives what the placeholders stand for"
    )
    func factory() throws {
        let graph = Graph()
        let registry = Registry(graph: graph, naming: .verbatim)
        registry.setFactory(for: try pattern("user.{id}.twice")) { _, values in
            registry.node("user.\(values[0])", as: Int.self).map { $0 * 2 }
        }
        let twice = registry.node("user.7.twice", as: Int.self)
        registry.mutable("user.7", as: Int.self).set(4)
        #expect(twice.value == 8)
        #expect(registry.node("user.7.twice", as: Int.self) === twice)
    }
}
