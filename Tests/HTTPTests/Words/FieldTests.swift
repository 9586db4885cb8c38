import HTTP
import Support
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Lends the bytes of a text.
func lend<Result>(_ text: String, _ body: (BorrowedBytes) -> Result) -> Result {
    Array(text.utf8).withBorrowedBytes(body)
}

@Suite("MediaType says what is read as JSON")
struct MediaTypeTests {
    @Test(
        "content types",
        arguments: [
            ("application/json", true), ("APPLICATION/JSON", true), ("application/json; charset=utf-8", true),
            ("application/json;charset=\"UTF-8\"", true), ("text/plain", true),
            ("text/plain; charset=us-ascii", true),
            ("application/x-www-form-urlencoded", true), ("", true),
            ("application/json; charset=utf-16", false),
            ("text/plain; charset=iso-8859-1", false), ("text/html", false), ("application/xml", false),
            ("application/merge-patch+json", false), ("application/vnd.api+json", false), ("json", false),
            ("application/json/x", false), ("application/json, text/html", false),
            ("multipart/form-data; boundary=x", false),
            ("text/", false), ("/plain", false), ("text/plain; x=y; charset=utf-8", true),
        ]
    )
    func contentTypes(value: String, expected: Bool) {
        #expect(lend(value) { MediaType.carriesJSON($0) } == expected)
    }

    @Test("no type at all is JSON; a merge patch is one only by name")
    func others() {
        #expect(MediaType.carriesJSON(nil))
        #expect(!MediaType.isMergePatch(nil))
        #expect(lend("application/merge-patch+json") { MediaType.isMergePatch($0) })
        #expect(!lend("application/json") { MediaType.isMergePatch($0) })
    }
}

@Suite("Accept chooses the representation the client likes best")
struct AcceptTests {
    static let offers: [StaticString] = ["application/json", "text/vnd.graphviz"]

    @Test(
        "headers",
        arguments: [
            ("", 0), ("*/*", 0), ("text/*", 1), ("text/vnd.graphviz", 1),
            ("application/json;q=0.5, text/*;q=0.8", 1),
            ("text/html, */*;q=0.1", 0), ("application/json;q=0, */*", 1), ("TEXT/VND.GRAPHVIZ", 1),
            ("text/html", nil), ("application/json;q=0", nil), ("*/*;q=0", nil), ("*/*;q=2", nil),
            ("application/json;q=0.1;x=y, text/vnd.graphviz;q=0.10", 0), ("application/*;q=1.000,text/*", 0),
        ] as [(String, Int?)]
    )
    func headers(value: String, expected: Int?) {
        #expect(lend(value) { Accept.choose($0, from: Self.offers) } == expected)
    }

    @Test("no header accepts everything")
    func missing() {
        #expect(Accept.choose(nil, from: Self.offers) == 0)
    }
}

@Suite("Entity tags are compared weakly")
struct EntityTagTests {
    private func outcome(_ value: String, _ tag: String?) -> String {
        lend(value) { bytes in
            guard let condition = EntityTagCondition(bytes) else { return "malformed" }
            return "\(condition.matches(tag))"
        }
    }

    @Test(
        "conditions",
        arguments: [
            ("*", "k:7", "true"), ("*", nil, "false"), ("\"k:7\"", "k:7", "true"),
            ("\"k:7\"", nil, "false"), ("\"k:8\"", "k:7", "false"),
            ("W/\"k:7\"", "k:7", "true"), ("\"a\", W/\"k:7\" ,\"b\"", "k:7", "true"),
            ("\"a\",\"k:7\"", "k:7", "true"), ("\"a,b\"", "a,b", "true"), ("\"\"", "", "true"),
            ("k:7", "k:7", "malformed"), ("\"k:7", "k:7", "malformed"), ("", "k:7", "malformed"),
            ("w/\"k:7\"", "k:7", "malformed"), ("*, \"a\"", "a", "malformed"),
            ("\"a\" \"b\"", "a", "malformed"),
            ("\"a b\"", "a b", "malformed"), (",", "a", "malformed"),
        ] as [(String, String?, String)]
    )
    func conditions(value: String, tag: String?, expected: String) {
        #expect(outcome(value, tag) == expected)
    }
}

@Suite("Preferences are read, unknown ones ignored")
struct PreferencesTests {
    @Test("wait and return, in any order and quoting")
    func known() {
        var preferences = Preferences()
        lend("respond-async, wait=30; x=y, Return=\"minimal\"") { preferences.add($0) }
        #expect(
            preferences.waitSeconds == 30 && preferences.returnsMinimal && !preferences.returnsRepresentation
        )
        lend("wait=5, return=representation") { preferences.add($0) }
        #expect(
            preferences.waitSeconds == 30 && preferences.returnsMinimal && !preferences.returnsRepresentation
        )
    }

    @Test(
        "an invalid number means no wait",
        arguments: ["wait=", "wait=x", "wait=-1", "wait=99999999999999999999", "wait"]
    )
    func badWait(value: String) {
        var preferences = Preferences()
        lend(value) { preferences.add($0) }
        #expect(preferences.waitSeconds == nil)
    }
}

@Suite("Query is decoded when asked")
struct QueryTests {
    @Test("names, values, escapes, repetition")
    func pairs() {
        lend("node=a&every=250&node=b%20c+d&flag&empty=&bad=%zz&x=1=2&&") {
            let query = Query($0)
            #expect(query.strings("node") == ["a", "b c d"])
            #expect(query.string("node") == "a")
            #expect(query.integer("every") == 250)
            #expect(query.string("empty") == "")
            #expect(query.string("bad") == nil)
            #expect(query.string("x") == "1=2")
            #expect(query.raw("missing") == nil)
        }
    }

    @Test("a query with a bad escape, or that is not UTF-8, is recognised")
    func readable() {
        for text in ["", "a", "a=b&c=%20", "a=%c3%a4&&=", "a=1=2+3"] {
            #expect(lend(text) { Query($0).isReadable }, "\(text)")
        }
        for text in ["a=%zz", "a=%4", "a=%", "%=1", "a=b&c=%ff", "%c3=1"] {
            #expect(!lend(text) { Query($0).isReadable }, "\(text)")
        }
    }

    @Test("values that are not UTF-8 are ignored")
    func notUTF8() {
        #expect(lend("a=%ff") { Query($0).string("a") } == nil)
    }
}

@Suite("HTTPDate writes IMF-fixdates")
struct HTTPDateTests {
    @Test(
        "known moments",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_763_690_000, "Fri, 21 Nov 2025 01:53:20 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)]
    )
    func known(seconds: Int64, text: String) {
        #expect(HTTPDate(unixSeconds: seconds).text == text)
    }

    @Test("every day up to 2200 is what the C library says", arguments: [0, 86_399])
    func everyDay(offset: Int64) {
        for day in Int64(0)..<84_000 {
            let date = HTTPDate(unixSeconds: day * 86_400 + offset)
            guard date.text != Self.formatted(day * 86_400 + offset) else { continue }
            #expect(Bool(false), "day \(day): \(date.text)")
        }
    }

    /// The same by `gmtime_r` and `strftime`, whose names of days and months are English in the
    /// locale of a program that sets none.
    private static func formatted(_ seconds: Int64) -> String {
        var moment = time_t(seconds)
        var parts = tm()
        gmtime_r(&moment, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { buffer in
            _ = strftime(buffer.baseAddress!, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(cString: buffer.baseAddress!)
        }
    }
}
