import Definitions
import Graphs
import Sessions
import Testing
import Values

@testable import SluiceServer

@Suite("Reading YAML")
struct YAMLReaderTests {
    private func read(_ text: String) -> (document: Document?, problems: [String]) {
        let (document, problems) = YAMLReader.read(Array(text.utf8), file: "f.yaml")
        return (document, problems.map(\.description))
    }

    @Test("scalars keep text, style and place; only core schema words are typed")
    func scalars() throws {
        let document = try #require(read("a: off\nb: 12:30\nc: 0x1F\n  \nd: 'true'\ne: ~\n").document)
        #expect(document["a"]?.scalar?.value == .string("off"))
        #expect(document["b"]?.scalar?.value == .string("12:30"))
        #expect(document["c"]?.scalar?.value == .number("31"))
        #expect(document["d"]?.scalar?.value == .string("true"))
        #expect(document["e"]?.scalar?.value == .null)
        #expect(document["d"]?.position == Position(line: 5, column: 4))
    }

    @Test("JSON is YAML")
    func json() throws {
        let document = try #require(read(#"{"a": [1, {"b": "x"}], "c": null}"#).document)
        #expect(document["a"]?.elements?.count == 2)
        let inner = document["a"]?.elements?.last
        #expect(inner?["b"]?.scalar?.text == "x")
    }

    @Test("aliases repeat what was anchored")
    func aliases() throws {
        let document = try #require(read("a: &n [1, 2]\nb: *n\n").document)
        #expect(document["b"]?.elements?.count == 2)
    }

    @Test(
        "what makes YAML dangerous or surprising is refused with its place",
        arguments: [
            ("a: !!str 1", "1:4: tags are not supported"), ("a: !x 1", "tags are not supported"),
            ("a: &x { b: 1 }\nc: { <<: *x }", "merge keys are not supported"),
            ("a: *nope", "no anchor '&nope'"),
            ("a: &x [ *x ]", "no anchor '&x'"), ("a: 1\n---\nb: 2", "2:1: a file holds one document"),
            ("? [1]\n: 2", "a key must be a single word"), ("a: [", "this is not YAML"),
            ("a:\n\t- 1", "this is not YAML"),
            ("a: \"\\q\"", "this is not YAML"),
            (String(repeating: "[", count: 100), "nests more than 64 deep"),
        ]
    )
    func refusals(text: String, problem: String) {
        let result = read(text)
        #expect(result.document == nil)
        #expect(result.problems.contains { $0.contains(problem) }, "\(result.problems)")
    }

    @Test(
        "what people forget to quote is named, and tabs are",
        arguments: [
            ("unit: %", "needs quotes: \"%\""), ("map: @x", "needs quotes: \"@\""),
            ("a:\n\tb: 1", "there is a tab here"),
            ("a:\n  b: 1\n\tc: 2", "there is a tab here"),
            ("a: { map: value > 5 ? 'a' : 'b' }", "'? :' needs quotes"),
            ("pipe:\n  - map: value > 5 ? 'a' : 'b'", "'? :' needs quotes"),
            ("a: 'a' + value", "begins with a quote"),
            ("a: { map: !value }", "quote it: \"!value\""),
            ("a: { schedule: */15 * * * * }", "begins with '*' needs quotes: \"*/15 * * * *\""),
            ("a: { all: *.x, reduce: avg }", "begins with '*' needs quotes: \"*.x\""),
            ("a:\n  nodes: [b, *]", "begins with '*' needs quotes: \"*\""),
            ("a: *b", "begins with '*' needs quotes: \"*b\""),
            ("a:\n  set:number\n  unit: C", "a space is needed after ':', as in set: number"),
            ("a:\n  unit: C\n  set:number", "a space is needed after ':', as in set: number"),
        ]
    )
    func hints(text: String, hint: String) {
        let result = read(text)
        #expect(result.document == nil)
        #expect(result.problems.contains { $0.contains(hint) }, "\(result.problems)")
    }

    @Test("aliases cannot make a document large, many or deep")
    func bombs() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...8 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        #expect(read(text).problems.contains { $0.contains("aliases repeat more than 100000 values") })
        let many = "a: &x 1\nb: [\(Array(repeating: "*x", count: 101).joined(separator: ", "))]"
        #expect(read(many).problems.contains { $0.contains("more than 100 aliases") })
        var deep = "a0: &a0 [1]\n"
        for level in 1...90 { deep += "a\(level): &a\(level) [*a\(level - 1)]\n" }
        #expect(read(deep).problems.contains { $0.contains("nests more than 64 deep") })
    }

    @Test("what is written out is bounded by the file alone")
    func large() {
        let text = (0..<110_000).map { "n\($0): 1\n" }.joined()
        #expect(read(text).document?.entries?.count == 110_000)
    }

    @Test("no bytes whatever stop the process")
    func anyBytes() {
        var seed: UInt64 = 7
        let alphabet = Array("{}[]:,-?&*!|>'\"%@`#\n\t ab01~\\".utf8) + [0, 0xff, 0xc3, 0xe2]
        for _ in 0..<3000 {
            var bytes: [UInt8] = []
            for _ in 0..<40 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(alphabet[Int(seed >> 33) % alphabet.count])
            }
            let result = YAMLReader.read(bytes, file: nil)
            #expect(result.document == nil || result.problems.isEmpty)
        }
    }
}
