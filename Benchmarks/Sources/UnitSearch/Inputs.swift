import CEL

/// A variable of all programs, and the value it has: what is known beforehand would be computed
/// when the program is made.
struct Input {
    let name: String
    let kind: Kind
    let value: Value

    init(_ name: String, _ kind: Kind, _ value: Value) {
        self.name = name
        self.kind = kind
        self.value = value
    }
}

/// Values that make functions work hard, as large as the limits allow: texts of 64 KiB, 64 levels.
enum Inputs {
    static let all: [Input] = numbers + texts + times + containers + [
        Input("yes", .bool, true), Input("no", .bool, false), Input("nothing", .any, .null),
        Input("optNone", .optional, .optional(.none)), Input("optOne", .optional, .optional(OptionalValue(1))),
        Input("optList", .optional, .optional(OptionalValue(list(1_000) { .int(Int64($0)) }))),
    ]

    private static let numbers: [Input] = [
        Input("i0", .int, .int(0)), Input("i1", .int, .int(1)), Input("i3", .int, .int(3)),
        Input("i30", .int, .int(30)), Input("i300", .int, .int(300)), Input("i4000", .int, .int(4_000)),
        Input("iMany", .int, .int(9_000_000)), Input("iMax", .int, .int(.max)), Input("iMin", .int, .int(.min)),
        Input("u5", .uint, .uint(5)), Input("uMax", .uint, .uint(.max)),
        Input("d21", .double, 21.5), Input("dTenth", .double, 0.1), Input("dTiny", .double, .double(.leastNonzeroMagnitude)),
        Input("dSmall", .double, 2.2250738585072011e-308), Input("dHuge", .double, .double(.greatestFiniteMagnitude)),
        Input("dLong", .double, 123_456_789.123_456_78), Input("d1e17", .double, 1.2345e17),
        Input("dNaN", .double, .double(.nan)), Input("dInf", .double, .double(.infinity)), Input("d308", .double, 308),
    ]

    private static let texts: [Input] = [
        Input("sEmpty", .string, ""), Input("sA", .string, "a"), Input("sHello", .string, "hello"),
        Input("sSixteen", .string, "sixteen letters!"), Input("sComma", .string, ","),
        Input("s100", .string, text(100) { "abcdefghij"[$0 % 10] }),
        Input("s1k", .string, text(1_000) { "abcdefghij"[$0 % 10] }),
        Input("s60k", .string, text(60_000) { "the quick brown fox "[$0 % 20] }),
        Input("sSame", .string, text(60_000) { _ in "a" }), Input("sSameEnd", .string, text(4_000) { $0 == 3_999 ? "b" : "a" }),
        Input("sToss", .string, text(4_000) { ($0 * $0 * 7_919 + $0 * 104_729) % 1_013 % 2 == 0 ? "a" : "b" }),
        Input("sToss100", .string, text(100) { ($0 * $0 * 7_919 + $0 * 104_729) % 1_013 % 2 == 0 ? "a" : "b" }),
        Input("sLetters", .string, .string(String(String.UnicodeScalarView((0..<1_500).map { Unicode.Scalar(0x100 + $0 * 7 % 1_111)! })))),
        Input("sAccents", .string, .string(String(repeating: "é😀", count: 10_000))),
        Input("sBlanks", .string, text(60_000) { _ in " " }), Input("sQuotes", .string, text(30_000) { "\"\n"[$0 % 2] }),
        Input("sFields", .string, text(60_000) { "a,"[$0 % 2] }),
        Input("sDigits", .string, "123456789012"), Input("sDecimal", .string, "2.2250738585072011e-308"),
        Input("sLongDecimal", .string, text(1_000) { $0 == 0 ? "." : "2225073858"[$0 % 10] }),
        Input("sExponent", .string, text(900) { $0 < 890 ? "1" : "e-12000000"[$0 - 890] }),
        Input("sBase64", .string, text(60_000) { "QUJD"[$0 % 4] }),
        Input("sTime", .string, "2009-02-13T23:31:30.123456789+05:30"),
        Input("sSpan", .string, text(128) { "1h1m1s1ms"[$0 % 9] }),
        Input("pWord", .pattern, "[a-z]+x"), Input("pStates", .pattern, "(a|b)*a(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)"),
        Input("pLetters", .pattern, "\\pL"), Input("pFold", .pattern, "(?i)straße\\pL"), Input("pMany", .pattern, "(\\pL|\\pN){30}$"),
        Input("pRepeat", .pattern, "x{1000}"), Input("pNested", .pattern, "((a{10}){10}){10}b"), Input("pBad", .pattern, "(a"),
        Input("pDots", .pattern, ".*.*.*=.*"), Input("pLarge", .pattern, "(.{200}){5}"),
        Input("pClass", .pattern, "[^\\pL\\pN]"), Input("pRow", .pattern, text(400) { "ab|"[$0 % 3] }),
        Input("zBerlin", .zone, "Europe/Berlin"), Input("zOffset", .zone, "+05:30"), Input("zNone", .zone, "No/Where"),
        Input("zBad", .zone, "../x"),
        Input("fS", .format, "%s"), Input("fF", .format, "%.17f"), Input("fE", .format, "%e"), Input("fLong", .format, "%.1000f"),
        Input("fD", .format, "%d"), Input("fB", .format, "%b"), Input("fX", .format, "%X"), Input("fO", .format, "%o %% "),
        Input("bSome", .bytes, .bytes([0, 255, 128, 7])), Input("bLetters", .bytes, .bytes([UInt8](repeating: 97, count: 60_000))),
        Input("bAny", .bytes, .bytes((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })),
    ]

    private static let times: [Input] = [
        Input("tZero", .timestamp, .timestamp(Timestamp(seconds: 0)!)),
        Input("tNow", .timestamp, .timestamp(Timestamp(seconds: 1_800_000_000, nanos: 123_456_789)!)),
        Input("tLast", .timestamp, .timestamp(Timestamp(seconds: 253_402_300_799, nanos: 999_999_999)!)),
        Input("rHour", .duration, .duration(TimeSpan(seconds: 3_600, nanos: 5)!)),
        Input("rLong", .duration, .duration(TimeSpan(seconds: -9_000_000_000, nanos: -999_999_999)!)),
    ]

    private static let containers: [Input] = [
        Input("lEmpty", .list, []), Input("lThree", .list, [1, 2.5, "a"]), Input("lMixed", .list, mixed),
        Input("lDeep", .list, deep(64) { [$0] }), Input("lWide", .list, list(30_000) { _ in .int(0) }),
        Input("lLists", .list, list(300) { _ in list(30) { .int(Int64($0)) } }),
        Input("lMaps", .list, list(1_000) { ["c": .double(Double($0)), "name": "room"] }),
        Input("lLarge", .list, list(2) { _ in text(30_000) { _ in "a" } }),
        Input("nThree", .numbers, [3.5, 1.0, 2.0]), Input("nRange", .numbers, list(900) { .int(Int64($0)) }),
        Input("nDown", .numbers, list(900) { .int(Int64(900 - $0)) }),
        Input("nDear", .numbers, list(900) { .double(1.0 / Double(7 + $0 * $0)) }),
        Input("nFar", .numbers, list(300) { .double(Double($0 + 1) * 1e-310) }),
        Input("nMany", .numbers, list(30_000) { .double(Double($0 * 7_919 % 30_011)) }),
        Input("wThree", .strings, ["b", "a", "c"]), Input("wMany", .strings, list(900) { .string("word number \($0 * 7_919 % 901)") }),
        Input("wEmpty", .strings, list(20_000) { _ in "" }), Input("wShort", .strings, list(9_000) { .string(String($0 % 977)) }),
        Input("wAlike", .strings, list(60) { .string(String(repeating: "x", count: 1_000) + String($0)) }),
        Input("mOne", .map, ["a": ["b": 1], "c": 2.5]), Input("mTwelve", .map, map(12)), Input("mThirteen", .map, map(13)),
        Input("mMany", .map, map(2_000)), Input("mDeep", .map, deep(64) { ["a": $0] }),
        Input("mLong", .map, map(6, key: { String(repeating: "k", count: 10_000) + String($0) })),
        Input("mAlike", .map, map(12, key: { String(repeating: "k", count: 16) + String($0) })),
    ]

    private static let mixed: Value = [
        .null, true, 1, .uint(2), 0.1, "text", .bytes([1]), [1], ["a": 1], .timestamp(Timestamp(seconds: 5)!),
        .duration(TimeSpan(seconds: 5)!), .type(.string),
    ]

    private static func text(_ count: Int, _ letter: (Int) -> Character) -> Value {
        .string(String((0..<count).map(letter)))
    }

    private static func list(_ count: Int, _ element: (Int) -> Value) -> Value {
        .list(ValueList((0..<count).map(element)))
    }

    private static func map(_ count: Int, key: (Int) -> String = { "key\($0)" }) -> Value {
        .map(ValueMap((0..<count).map { (key($0), .double(Double($0))) }))
    }

    private static func deep(_ levels: Int, _ around: (Value) -> Value) -> Value {
        var value: Value = 1
        for _ in 0..<levels {
            value = around(value)
        }
        return value
    }
}

extension String {
    fileprivate subscript(offset: Int) -> Character {
        self[index(startIndex, offsetBy: offset)]
    }
}
