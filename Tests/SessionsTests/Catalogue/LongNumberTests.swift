import CEL
import LogTestSupport
import Testing
import Values

@testable import Graphs
@testable import Sessions

/// A number of JSON keeps its digits wherever it is only passed on; what is computed of whole
/// numbers is exact, or an error.
@Suite("Whole numbers beyond 2^53")
struct LongNumberTests {
    private static let id = "1234567890123456789"

    @Test(
        "X-2: a tree has every digit of a whole number of 64 bits, however it is written",
        arguments: [
            ("9007199254740992", Value.double(9_007_199_254_740_992)),
            ("9007199254740993", .int(9_007_199_254_740_993)),
            ("-9007199254740993", .int(-9_007_199_254_740_993)), ("1e18", .double(1e18)),
            ("9007199254740993.0", .double(9_007_199_254_740_992)),
            ("9007199254740993.5", .double(9_007_199_254_740_994)),
            ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
            ("9223372036854775808", .uint(9_223_372_036_854_775_808)), ("18446744073709551615", .uint(.max)),
            ("18446744073709551616", .double(18_446_744_073_709_551_616)), ("1e30", .double(1e30)),
        ]
    )
    func trees(text: String, value: Value) throws {
        let datum = try Datum.parse(text)
        #expect(datum.tree == value && "\(datum.tree)" == "\(value)")
        let written = try Datum(tree: datum.tree)
        if case .double = value {} else { #expect(written == datum, "\(written.text)") }
        #expect("\(written.tree)" == "\(try Datum.parse(written.text).tree)", "as if read back")
    }

    @Test(
        "X-2: expressions, operators and reductions",
        arguments: [
            (#""from":"x","pipe":[{"map":"value.id"}]"#, id),
            (#""from":"x","pipe":[{"map":"{'a': [value.id]}"}]"#, #"{"a":[\#(id)]}"#),
            (#""from":"x","pipe":[{"map":"value.id > 0 ? value.id : 0"}]"#, id),
            (#""from":"x","pipe":[{"map":"value.id - 1"}]"#, "1234567890123456788"),
            (#""from":"x","pipe":[{"map":"value.id > 1234567890123456788"}]"#, "true"),
            (#""from":"x","pipe":[{"map":"value.id == 1234567890123456788"}]"#, "false"),
            (#""from":"x","pipe":[{"map":"value.id * 10"}]"#, "12345678901234567890"),
            (#""from":"x","pipe":[{"map":"value.id * 100"}]"#, "fail:expr_overflow"),
            (#""from":"x","pipe":[{"map":"value.id / 10"}]"#, "1.2345678901234568e+17"),
            (#""from":"x","pipe":[{"map":"value.id"},{"window":{"count":2,"of":"max"}}]"#, id),
            (
                #""from":"x","pipe":[{"map":"value.id"},{"window":{"count":2,"of":"sum"}}]"#,
                "2469135780246913577"
            ),
            (#""from":"x","pipe":[{"map":"value.id"},"delta"]"#, "1"),
            (#""all":"n.*","reduce":"sum""#, "2469135780246913577"), (#""all":"n.*","reduce":"max""#, id),
            (#""all":"n.*","reduce":"min""#, "1234567890123456788"),
            (#""all":"n.*","reduce":"list""#, "[\(id),1234567890123456788]"),
            (#""all":"n.*","reduce":"sum","map":"value % 10""#, "7"),
            (#""all":"u.*","reduce":"sum""#, "fail:expr_overflow"),
        ]
    )
    func computed(node: String, result: String) throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"n.a":{"set":"integer"},"n.b":{"set":"number"},"#
                + #""u.a":{"set":"number","initial":18446744073709551615},"#
                + #""u.b":{"set":"number","initial":2},"#
                + #""y":{\#(node),"retain":"always"}}}"#
        )
        try bench.set(graph, [("x", #"{"id":1234567890123456788}"#)])
        let former = "1234567890123456788"
        try bench.set(graph, [("x", #"{"id":\#(Self.id)}"#), ("n.a", Self.id), ("n.b", former)])
        #expect(try bench.read(graph, "y") == result)
    }

    @Test("X-2: windows and differences go on after a restart with every digit")
    func saved() throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let definition =
            #"{"graph":"g","nodes":{"x":{"set":"number"},"d":{"from":"x","pipe":["delta"],"retain":"always"},"#
            + #""m":{"from":"x","pipe":[{"window":{"count":3,"of":"max"}}],"retain":"always"},"#
            + #""s":{"from":"x","pipe":[{"window":{"count":3,"of":"sum"}}],"retain":"always"}}}"#
        let graph = try bench.define(definition)
        for value in ["0.5", Self.id] { try bench.set(graph, [("x", value)]) }
        bench.endTurn()
        log.storeSnapshot(of: "g")
        let next = Bench(log: FaultyLog(after: log))
        let restored = try #require(try next.host.restore(graph: "g"))
        try next.set(restored, [("x", "1234567890123456788")])
        #expect(try next.read(restored, "d") == "-1" && next.read(restored, "m") == Self.id)
        try next.set(restored, [("x", "1")])
        #expect(try next.read(restored, "s") == "2469135780246913578")
    }

    @Test("X-2: bounds and schemas are checked to the last digit, and errors name them with every digit")
    func checks() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"number","max":9007199254740993},"#
                + #""y":{"set":"any","schema":{"exclusiveMaximum":9007199254740993,"type":"integer"}}}}"#
        )
        try bench.set(graph, [("x", "9007199254740993"), ("y", "9007199254740992")])
        for (name, words) in [("x", "at most"), ("y", "below")] {
            let error = #expect(throws: HostError.self) {
                try bench.submit(graph, [(name, name == "x" ? "9007199254740994" : "9007199254740993")])
            }
            #expect(error?.message == "must be \(words) 9007199254740993")
        }
    }
}
