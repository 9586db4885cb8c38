import CEL
import Testing

@testable import SluiceServer

@Suite("What compiling a regular expression may take")
struct RE2WorkTests {
    @Test(
        "ordinary patterns take few units",
        arguments: [
            ("", 1_000), ("^[a-z]+$", 1_000), (#"\d{4}-\d\d-\d\d"#, 2_000),
            ("(?i)^(get|post) /v1/[a-z0-9/]*$", 10_000),
            (#"^[^@ ]+@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,}$"#, 400_000), (#"^\p{L}+$"#, 110_000),
            (#"\p{Greek}+"#, 20_000),
        ] as [(String, Int)]
    )
    func ordinary(_ pattern: String, _ most: Int) {
        #expect(RE2Work.units(of: pattern) <= most)
    }

    @Test(
        "what takes RE2 long has many units, whether it is refused in the end or not",
        arguments: [
            // Milliseconds of RE2 on the reference machine; a unit is 20 ns.
            (#"\pL{10}"#, 8.4), (String(repeating: #"\pL"#, count: 300) + "[", 76),
            ("(?i)" + String(repeating: #"\PL"#, count: 300), 126),
            ("(?i)[" + String(repeating: #"\PL"#, count: 300), 74),
            (String(repeating: "a{1000}", count: 8_000), 1_100),
            (String(repeating: "a{0,100}", count: 60), 59), (String(repeating: "a?", count: 3_000), 32),
            (String(repeating: ".", count: 60_000), 30), (#"[\pL\d_]{3,7}x"#, 4), ("(?:.{0,9}){100}", 1.2),
            (String(repeating: #"[^\pL]"#, count: 100), 21),
        ] as [(String, Double)]
    )
    func dear(_ pattern: String, _ milliseconds: Double) {
        #expect(Double(RE2Work.units(of: pattern)) >= milliseconds * 50_000)
    }

    @Test(
        "a repetition multiplies what RE2 takes for the last atom, and text in quotes or brackets means nothing",
        arguments: [
            // What stands before `{1000}` costs at least what is repeated; nothing may hide it.
            #"\pL{1000}"#, #"(?:\Q)\E\pL){1000}"#, #"(?:[[:]\pL){1000}"#, #"(?:[]]\pL){1000}"#,
            #"\pL(?i){1000}"#,
            #"(?:[\]]\pL){1000}"#, #"\pL\Q\E{1000}"#, #"(?P<i>\pL){1000}"#, #"(?:\x{29}\pL){1000}"#,
            #"(?:\)\pL){1000}"#,
            #"((((\pL))){1000}"#, #"[\pL]{1000}"#, #"[^\PL]{1000}"#, #"(?:[[:alpha:]\pL]){999,1000}"#,
            #"\p{L}{0,1000}"#, #"\p{^L}{1000,}"#,
        ]
    )
    func hidden(_ pattern: String) {
        #expect(RE2Work.units(of: pattern) >= 40_000_000)
    }

    @Test("ever so many repetitions and open groups overflow nothing")
    func bounded() {
        #expect(RE2Work.units(of: String(repeating: "(", count: 10_000)) > 0)
        #expect(RE2Work.units(of: String(repeating: ")", count: 10_000)) > 0)
        let tower = String(repeating: "(", count: 100) + "a" + String(repeating: "){0,1000}$", count: 100)
        #expect(RE2Work.units(of: tower) > 1_000_000_000)
        #expect(RE2Work.units(of: "a{99999999999999999999999}") > 0)
        for text in [
            "\\", "\\p", "\\p{", "\\x{", "\\Q", "[", "[^", "[\\", "[[:", "(?", "(?i", "a{", "a{1", "a{1,",
            "\u{10FFFF}",
        ] {
            #expect(RE2Work.units(of: text) > 0)
            #expect(RE2Work.units(of: text + "\\pL") > 0)
        }
    }

    @Test("a pattern that is put together at run time is paid for by its work, whether it is known or not")
    func atRunTime() throws {
        let engine = RE2Engine()
        let program = try Program(
            "'abc'.matches(value)",
            variables: [Variable("value")],
            options: Options(cost: 10_000, regex: engine)
        )
        #expect(try program.evaluate("b+") == true)
        var spent = 0
        _ = try program.evaluate("b+", spent: &spent)
        var again = 0
        _ = try program.evaluate("b+", spent: &again)
        #expect(spent == again && spent >= engine.work(of: "b+"))
        let before = engine.compilations
        for dear in [#"\pL"#, "a{1000}", String(repeating: "(", count: 60_000)] {
            let error = #expect(throws: EvaluationError.self) { try program.evaluate(.string(dear)) }
            #expect(error?.code == .cost)
        }
        #expect(engine.compilations == before)
    }
}
