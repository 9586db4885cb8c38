import CEL
import Definitions
import Graphs
import Sessions
import LogTestSupport
import Testing
import Values

@testable import SluiceServer

@Suite("Regular expressions")
struct RE2EngineTests {
    private let engine = RE2Engine()

    @Test(
        "a pattern is found anywhere in the text",
        arguments: [
            ("b+", "abbc", true), ("^b", "abbc", false), ("^a.*c$", "abbc", true), ("", "", true),
            ("^$", "", true),
            ("x", "", false), (".", "\n", false), ("(?i)ABC", "xabc", true), ("^\\pL+$", "Größe", true),
            ("^.$", "🙂", true), ("a\u{0}b", "a\u{0}b", true), ("^a$", "a\u{0}", false),
            ("\\d{3}-\\d", "12-3", false),
            ("(?P<year>\\d{4})", "in 2024", true),
        ]
    )
    func search(_ pattern: String, _ text: String, _ isFound: Bool) throws {
        #expect(try engine.matcher(for: pattern).isFound(in: text) == isFound)
    }

    @Test(
        "an invalid pattern is refused with its place",
        arguments: [
            ("a(b", "a ')' is missing", 0), ("ab[z-a]", "the character range runs backwards", 3),
            ("a**", "two repetitions in a row", 1), ("*", "there is nothing to repeat", 0),
            ("x{1001}", "no such number of repetitions: at most 1000", 1),
            ("ab\\", "a backslash stands at the end", 2),
            ("a\\8", "there is no such escape", 1),
            ("a(?=b)", "there is no such group; look-around and back-references are not linear in time", 1),
            ("[[:vowel:]]", "the character range runs backwards", 1),
            ("(?:\\pL{100}){10}", "compiled, the pattern is too large", 0),
        ]
    )
    func refused(_ pattern: String, _ message: String, _ offset: Int) throws {
        let problem = #expect(throws: RegexProblem.self) { try engine.matcher(for: pattern) }
        #expect(problem == RegexProblem(message, at: offset))
        #expect(engine.count == 0)
    }

    @Test("equal patterns are one, for as long as one of them is held")
    func sharing() throws {
        var first: (any RegexMatcher)? = try engine.matcher(for: "a+")
        let second = try engine.matcher(for: "a+")
        #expect(first === second)
        first = nil
        for number in 0..<RE2Engine.recentCount { _ = try engine.matcher(for: "other\(number)") }
        #expect(engine.count == RE2Engine.recentCount + 1)
        #expect(try engine.matcher(for: "a+") === second)
        #expect(engine.compilations == RE2Engine.recentCount + 1)
    }

    @Test(
        "a pattern that comes again is compiled once, also one that is refused, until many others have come"
    )
    func remembered() throws {
        for _ in 0..<10 {
            _ = try engine.matcher(for: "a+")
            #expect(throws: RegexProblem.self) { try engine.matcher(for: "a**") }
            #expect(throws: RegexProblem.self) { try engine.matcher(for: "(?:\\pL{100}){10}") }
        }
        #expect(engine.compilations == 3)
        #expect(engine.has("a+") && engine.has("a**") && !engine.has("b"))
        for number in 0..<500 {
            _ = try engine.matcher(for: "passing\(number)")
            #expect(engine.count <= RE2Engine.recentCount)
        }
        #expect(!engine.has("a+") && !engine.has("a**"))
        #expect(engine.compilations == 503)
    }

    @Test(
        "a search costs what it may take at worst, and no more text is searched than the budget pays for",
        arguments: ["(a?){500}b", "(?:a|b)*a(?:a|b){13}c", "(x+x+)+y", "\\p{Lu}\\p{Ll}+ \\p{Greek}"]
    )
    func cost(_ pattern: String) throws {
        let matcher = try engine.matcher(for: pattern)
        let half = matcher.cost(ofBytes: 8_000) - matcher.cost(ofBytes: 0)
        #expect(matcher.cost(ofBytes: 16_000) >= 2 * half)
        #expect(matcher.cost(ofBytes: .max) == .max)
        let program = try Program(
            "value.matches(r'\(pattern)')",
            variables: [Variable("value")],
            options: .system()
        )
        for letters in ["x", "ab", "Aa \u{3b1}"] {
            let text = String(repeating: letters, count: 60_000)
            let error = #expect(throws: EvaluationError.self) { try program.evaluate(.string(text)) }
            #expect(error?.code == .cost)
        }
    }

    @Test("graphs, pipelines and checks have regular expressions and time zones")
    func everywhere() throws {
        let folder = try TemporaryFolder()
        folder.write(
            "g.yaml",
            """
            nodes:
              name: { set: string, pattern: "^[a-z]+$" }
              hour: { from: name, pipe: [ { map: "time.getHours('Europe/Berlin')" } ] }
              good: { from: name, pipe: [ { filter: "value.matches('^a')" } ] }
              bad: { from: name, pipe: [ { filter: "value.matches('ab[z-a]')" } ] }
              worse: { set: string, pattern: "ab[z-a]" }
            """
        )
        let result = GraphFolder.read(
            file: folder.path + "/g.yaml",
            DefinitionOptions(Configuration())
        )
        #expect(
            result.problems.map { $0.description.split(separator: ":", maxSplits: 1)[1] } == [
                "5:59: the regular expression cannot be used: the character range runs backwards",
                "6:38: pattern cannot be used: the character range runs backwards",
            ]
        )
    }
}
