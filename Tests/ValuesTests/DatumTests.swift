import CEL
import Support
import Testing
import Values

@Suite("Data: what nodes hold")
struct DatumTests {
    @Test("a value keeps its text, white space around it trimmed")
    func keepsText() throws {
        for text in ["21.50", "1e2", "-0", "\"\\u0041\"", "{ \"b\" : 1,\n \"a\":2 }", "[1 , 2]", "null"] {
            let datum = try Datum.parse(" \n\(text)\t ")
            #expect(datum.text == text)
            #expect(datum.byteCount == text.utf8.count)
            // Making the tree does not change the text.
            _ = datum.tree
            #expect(datum.text == text)
        }
    }

    @Test("the fragment is what a frame shows")
    func fragment() throws {
        var bytes: [UInt8] = []
        try Datum.parse(" 21.50 ").appendFragment(to: &bytes)
        bytes.append(UInt8(ascii: ","))
        try Datum(tree: .double(68)).appendFragment(to: &bytes)
        bytes.append(UInt8(ascii: ","))
        Datum.fail("expr_divide", at: "load:3", "division by \"zero\"").appendFragment(to: &bytes)
        let expected =
            #""v":21.50,"v":68,"fail":{"code":"expr_divide","at":"load:3","msg":"division by \"zero\""}"#
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test(
        "a computed value is written as JSON says it, and seen by the next stage as it would be read",
        arguments: computedValues
    )
    func computed(_ tree: Value, _ text: String) throws {
        let datum = try Datum(tree: tree)
        let read = try Datum.parse(text)
        #expect(isSameTree(datum.tree, read.tree))
        #expect(datum.text == text)
        #expect(datum.kind == read.kind)
        #expect(datum == read)
        #expect(isSameTree(datum.tree, read.tree))
    }

    @Test("moments and spans of time are written as RFC 3339 and protobuf have them")
    func times() throws {
        let moments: [(Int64, Int32, String)] = [
            (0, 0, "1970-01-01T00:00:00Z"), (-1, 0, "1969-12-31T23:59:59Z"),
            (951_782_400, 0, "2000-02-29T00:00:00Z"),
            (1_763_690_000, 120_000_000, "2025-11-21T01:53:20.120Z"),
            (0, 1_000, "1970-01-01T00:00:00.000001Z"),
            (0, 1, "1970-01-01T00:00:00.000000001Z"), (253_402_300_799, 0, "9999-12-31T23:59:59Z"),
            (-62_135_596_800, 0, "0001-01-01T00:00:00Z"), (1_709_164_800, 0, "2024-02-29T00:00:00Z"),
        ]
        for (seconds, nanos, text) in moments {
            let moment = try #require(Timestamp(seconds: seconds, nanos: nanos))
            #expect(try Datum(tree: .timestamp(moment)).text == "\"\(text)\"")
        }
        let spans: [(Int64, Int32, String)] = [
            (90, 0, "90s"), (1, 500_000_000, "1.500s"), (0, -3_000_000, "-0.003s"), (-2, -1, "-2.000000001s"),
            (0, 0, "0s"),
        ]
        for (seconds, nanos, text) in spans {
            let span = try #require(TimeSpan(seconds: seconds, nanos: nanos))
            #expect(try Datum(tree: .duration(span)).text == "\"\(text)\"")
        }
    }

    @Test("what JSON cannot represent is no datum, however deep it is nested")
    func inexpressible() {
        let values: [Value] = [.double(.nan), .double(.infinity), .double(-.infinity), .type(.int)]
        for value in values {
            for tree in [
                value, .list(ValueList([.null, value])), .map(ValueMap([("a", .list(ValueList([value])))])),
            ] {
                let error = #expect(throws: JSONError.self) { try Datum(tree: tree) }
                #expect(error?.reason == .inexpressible)
            }
        }
    }

    @Test("keys that are no strings become strings; keys that would be equal then are refused")
    func keys() throws {
        var builder = ValueMap.Builder()
        _ = builder.append(key: .int(-1), .null)
        _ = builder.append(key: .bool(true), .null)
        _ = builder.append(key: .uint(.max), .null)
        let datum = try Datum(tree: .map(builder.finish()))
        #expect(datum.text == #"{"-1":null,"true":null,"18446744073709551615":null}"#)
        var clash = ValueMap.Builder()
        _ = clash.append("1", .null)
        _ = clash.append(key: .int(1), .null)
        let map = clash.finish()
        #expect(throws: JSONError.self) { try Datum(tree: .map(map)) }
    }

    @Test("numbers are equal by their exact decimal value", arguments: equalNumbers)
    func equal(_ a: String, _ b: String) throws {
        #expect(try Datum.parse(a) == Datum.parse(b))
        #expect(try Datum.parse(b) == Datum.parse(a))
        #expect(try Datum.parse("[{\"x\":\(a)}]") == Datum.parse("[{\"x\":\(b)}]"))
    }

    @Test(
        "numbers that differ in any digit differ, also where their doubles do not",
        arguments: differentNumbers
    )
    func different(_ a: String, _ b: String) throws {
        #expect(try Datum.parse(a) != Datum.parse(b))
        #expect(try Datum.parse(b) != Datum.parse(a))
    }

    @Test("values of different kinds, keys or lengths differ")
    func differentValues() throws {
        let texts = [
            "null", "false", "true", "0", "1", "\"\"", "\"0\"", "\"null\"", "[]", "{}", "[0]", "[[]]",
            "[0,0]", "[0,1]", "[1,0]",
            "{\"a\":0}", "{\"b\":0}", "{\"a\":1}", "{\"a\":0,\"b\":0}", "{\"a\":0,\"c\":0}",
            "{\"c\":0,\"b\":0,\"a\":0}", "{\"\":0}",
            "[null]", "[{}]", "{\"a\":[]}", "{\"a\":{}}", "{\"a\":null}", "\"a\"", "\"A\"", "\"é\"",
            "\"e\u{301}\"", "\"\\u0000\"",
        ]
        let data = try texts.map { try Datum.parse($0) } + [.fail("a", at: "", ""), .fail("b", at: "", "")]
        for (i, a) in data.enumerated() {
            for (j, b) in data.enumerated() {
                #expect((a == b) == (i == j), "\(a) and \(b)")
            }
        }
    }

    @Test("objects are equal whatever the order of their keys, large ones too")
    func keyOrder() throws {
        let members = (0..<500).map { "\"key \($0)\":{\"n\":\($0),\"even\":\($0 % 2 == 0)}" }
        let forward = try Datum.parse("{\(members.joined(separator: ","))}")
        let backward = try Datum.parse("{\(members.reversed().joined(separator: " , "))}")
        #expect(forward == backward)
        let changed = try Datum.parse("{\(members.reversed().dropLast().joined(separator: ",")),\"key 0\":0}")
        #expect(forward != changed)
    }

    @Test("whole numbers are read as such however they are written")
    func integers() throws {
        let whole: [(String, Int)] = [
            ("0", 0), ("-0", 0), ("-0.0e9", 0), ("7", 7), ("-7", -7), ("1e3", 1_000), ("1.5e1", 15),
            ("100e-2", 1), ("5.0", 5),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("922337203685477580.7e1", .max),
            ("123456789012345678", 123_456_789_012_345_678), ("0.000001e6", 1), ("1200e-2", 12),
        ]
        for (text, number) in whole {
            #expect(int(text) == number, "\(text)")
        }
        let others = [
            "0.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e300", "15e-1", "\"1\"",
            "null", "true", "[]",
        ]
        for text in others {
            #expect(int(text) == nil, "\(text)")
        }
    }

    private func int(_ text: String) -> Int? {
        text.withBorrowedBytes { JSONReader(validated: $0).int }
    }
}

/// Spellings of the same number.
let equalNumbers: [(String, String)] = [
    ("1", "1.0"), ("1", "10e-1"), ("1", "0.1e1"), ("1", "1e0"), ("100", "1e2"), ("100", "1E+2"), ("0", "-0"),
    ("0", "0.000"),
    ("0", "0e99999999999999999999999"), ("1.5", "15e-1"), ("1.5", "0.0000015e6"), ("-2.50", "-25e-1"),
    ("1200", "12e2"),
    ("1e308", "10e307"), ("0.1", "1e-1"), ("1e-400", "10e-401"),
    ("1e-99999999999999999999", "10e-100000000000000000000"),
    ("1e-100000000000000000000", "0.1e-99999999999999999999"),
    ("1e-0099999999999999999999", "1e-99999999999999999999"),
    ("1e-100000000000000000", "0.01e-99999999999999998"), ("1e-99999999999999999", "100e-100000000000000001"),
    ("123456789012345678901234567890", "1.2345678901234567890123456789e29"), ("10.010", "1001e-2"),
    ("1e00000000000000000000001", "10"),
]

/// Numbers that are not the same, though some have the same double.
let differentNumbers: [(String, String)] = [
    ("1", "-1"), ("1", "10"), ("1", "1.0000000000000000000000001"),
    ("0.1", "0.1000000000000000055511151231257827"), ("1e2", "1e3"),
    ("9007199254740993", "9007199254740992"), ("1e-400", "1e-401"), ("1e-400", "0"), ("12", "1.2"),
    ("101", "1001"), ("110", "101"),
    ("1e-99999999999999999999", "1e-100000000000000000000"), ("1e-99999999999999999999", "1e-400"),
    ("2e5", "3e5"), ("1.0", "1.01"),
    ("1e-99999999999999999999", "-1e-99999999999999999999"),
]

/// Values of expressions and the JSON text of each.
let computedValues: [(Value, String)] = [
    (Value.int(68), "68"), (.uint(7), "7"), (.double(68), "68"), (.double(-0.0), "-0"),
    (.double(0.1), "0.1"),
    (.double(1e21), "1e+21"), (.double(.leastNonzeroMagnitude), "5e-324"),
    (.double(9_007_199_254_740_992), "9007199254740992"),
    (.int(.max), "9223372036854775807"), (.int(.min), "-9223372036854775808"),
    (.uint(.max), "18446744073709551615"), (.null, "null"), (.bool(true), "true"),
    (.bool(false), "false"),
    (.string("a\"\\\n\u{1}é"), "\"a\\\"\\\\\\n\\u0001é\""),
    (.bytes([0, 0xff, 0x10, 0x80]), "\"AP8QgA==\""),
    (.bytes([]), "\"\""), (.bytes([1]), "\"AQ==\""), (.bytes([1, 2]), "\"AQI=\""),
    (.bytes([1, 2, 3]), "\"AQID\""), (.list(ValueList([.int(1), .uint(2), .null])), "[1,2,null]"),
    (.list(ValueList([])), "[]"), (.map(ValueMap([])), "{}"),
    (.map(ValueMap([("b", .int(1)), ("a", .bool(false))])), "{\"b\":1,\"a\":false}"),
    (.optional(.none), "null"), (.optional(OptionalValue(.int(3))), "3"),
]
