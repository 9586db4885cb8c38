import CEL
import Definitions
import Testing
import Values

@Suite("Checks of values")
struct CheckTests {
    private func complaint(_ json: String, _ adjust: (inout Check) -> Void) throws -> String? {
        var check = Check()
        adjust(&check)
        return check.complaint(about: try Datum.parse(json))
    }

    @Test(
        "every type takes its own values and no others",
        arguments: [
            (Check.Kind.number, "a number"), (.integer, "a whole number"), (.string, "a string"),
            (.boolean, "a boolean"), (.object, "an object"), (.array, "an array"),
        ]
    )
    func kinds(_ kind: Check.Kind, _ what: String) throws {
        let samples: [(String, Set<Check.Kind>)] = [
            ("null", []), ("true", [.boolean]), ("1", [.number, .integer]), ("1.5", [.number]),
            (#""1""#, [.string]), ("[]", [.array]), ("{}", [.object]),
        ]
        for (json, kinds) in samples {
            let found = try complaint(json) { $0.kind = kind }
            #expect(found == (kinds.contains(kind) ? nil : "must be \(what)"), "\(json)")
            #expect(try complaint(json) { $0.kind = .any } == nil)
        }
    }

    @Test(
        "a whole number may be written in any way and be of any size",
        arguments: [
            ("5", true), ("5.0", true), ("1e3", true), ("-0.0", true), ("1.5e1", true), ("1e300", true),
            ("123456789012345678901234567890", true), ("0.5", false), ("1e-1", false), ("1.25e1", false),
        ]
    )
    func whole(_ json: String, _ isWhole: Bool) throws {
        let found = try complaint(json) { $0.kind = .integer }
        #expect(found == (isWhole ? nil : "must be a whole number"))
    }

    @Test("a pattern is looked for in strings")
    func pattern() throws {
        let options = DefinitionOptions(expressions: Options(regex: SubstringEngine()))
        func read(_ node: String) -> (check: Check?, problems: [DefinitionProblem]) {
            let text = "{\"graph\": \"g\", \"nodes\": {\"a\": \(node)}}"
            guard let document = try? Document.parse(json: text) else { return (nil, []) }
            let (definition, problems) = GraphDefinition.read(document, file: nil, options: options)
            guard case .mutable(let rules)? = definition?.nodes.first?.kind else { return (nil, problems) }
            return (rules.check, problems)
        }
        let check = try #require(read(#"{"set": "string", "pattern": "bc"}"#).check)
        #expect(try check.complaint(about: Datum.parse(#""abcd""#)) == nil)
        #expect(try check.complaint(about: Datum.parse(#""abd""#)) == "must match bc")
        #expect(try check.complaint(about: Datum.parse("5")) == "must be a string")
        #expect(!check.passesEverything)
        let bad = read(#"{"set": "string", "pattern": "a(b"}"#).problems
        #expect(bad.map(\.message) == ["pattern cannot be used: a ')' is missing"])
        #expect(bad.map(\.position.column) == [62])
        let initial = read(#"{"set": "string", "pattern": "bc", "initial": "x"}"#).problems
        #expect(initial.map(\.message) == ["the initial value must match bc"])
    }

    @Test(
        "bounds are included",
        arguments: [
            ("-1", "must be at least 0"), ("-1e-9", "must be at least 0"), ("0", ""), ("-0", ""),
            ("7.5", ""),
            ("10", ""), ("10.000001", "must be at most 10"), ("1e9", "must be at most 10"),
        ]
    )
    func bounds(_ json: String, _ expected: String) throws {
        let found = try complaint(json) { ($0.kind, $0.min, $0.max) = (.number, Number(0), Number(10)) }
        #expect((found ?? "") == expected)
    }

    @Test(
        "lengths are counted in characters of a string and elements of an array",
        arguments: [
            (Check.Kind.string, #""a""#, "must have at least 2 characters"), (.string, #""äé""#, ""),
            (.string, #""🙂🙂🙂""#, ""), (.string, #""\u00e4\ud83d\ude42""#, ""),
            (.string, #""abcd""#, "must have at most 3 characters"),
            (.array, "[1]", "must have at least 2 elements"), (.array, "[1, [2, 3, 4]]", ""),
            (.array, "[1, 2, 3, 4]", "must have at most 3 elements"),
        ]
    )
    func lengths(_ kind: Check.Kind, _ json: String, _ expected: String) throws {
        let found = try complaint(json) { ($0.kind, $0.minLength, $0.maxLength) = (kind, 2, 3) }
        #expect((found ?? "") == expected)
    }

    @Test("an enum compares values, not their text")
    func allowed() throws {
        let allowed = AllowedValues(try ["1", #""off""#, #"{"a":1,"b":[2]}"#].map { try Datum.parse($0) })
        for json in ["1.0", "10e-1", #""\u006fff""#, #"{"b": [2.0], "a": 1}"#] {
            #expect(try complaint(json) { $0.allowed = allowed } == nil, "\(json)")
        }
        let found = try complaint("2") { $0.allowed = allowed }
        #expect(found == #"must be one of 1, "off", {"a":1,"b":[2]}"#)
    }

    @Test("a complaint does not repeat the value")
    func secrets() throws {
        #expect(try complaint(#""a secret""#) { $0.kind = .number } == "must be a number")
    }

    @Test("an enum of many values is read in time linear in them, and a complaint names a few")
    func manyAllowed() throws {
        let text = (0..<40_000).map { "\($0)" }.joined(separator: ",")
        func read(_ values: String) throws -> (Check?, [DefinitionProblem]) {
            let document = try Document.parse(
                json: #"{"graph":"g","nodes":{"x":{"set":{"enum":[\#(values)]}}}}"#
            )
            let (definition, problems) = GraphDefinition.read(document, file: nil)
            guard case .mutable(let rules)? = definition?["x"]?.kind else { return (nil, problems) }
            return (rules.check, problems)
        }
        let check = try #require(try read(text).0)
        let last = try Datum.parse("39999.0")
        #expect(check.complaint(about: last) == nil)
        let complaint = check.complaint(about: try Datum.parse("-1"))
        #expect(complaint?.hasSuffix("18, 19 and 39980 more") == true)
        #expect(try read(text + ",7").1.map(\.message) == ["enum has a duplicate value"])
    }

    @Test("a failure is no value, whatever the check")
    func failures() {
        let failure = Datum.fail("expr_divide", at: "n", "division by zero")
        #expect(Check().complaint(about: failure) == "a failure cannot be set")
        #expect(Check().passesEverything)
    }
}

/// Stands in for a real engine: a pattern is found where it stands literally; an open bracket makes
/// it none.
private final class SubstringEngine: RegexEngine {
    private final class Matcher: RegexMatcher {
        let pattern: String

        init(_ pattern: String) {
            self.pattern = pattern
        }

        func cost(ofBytes count: Int) -> Int { count }

        func isFound(in text: String) -> Bool { text.contains(pattern) }
    }

    func work(of pattern: String) -> Int { pattern.utf8.count }

    func has(_ pattern: String) -> Bool { false }

    func matcher(for pattern: String) throws(RegexProblem) -> any RegexMatcher {
        if let place = Array(pattern.utf8).firstIndex(of: UInt8(ascii: "(")) {
            throw RegexProblem("a ')' is missing", at: place)
        }
        return Matcher(pattern)
    }
}
