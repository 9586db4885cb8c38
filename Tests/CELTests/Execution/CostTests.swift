@testable import CEL
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What things cost: whatever is read or made is paid for, before it is done.
@Suite("What evaluation costs")
struct CostTests {
    /// The code of the failure, or nil; and the units spent.
    private func spending(_ source: String, _ value: Value) throws -> (code: ExpressionErrorCode?, units: Int)
    {
        let program = try Program(source, variables: [Variable("value")])
        var spent = 0
        do {
            _ = try program.evaluate(value, spent: &spent)
            return (nil, spent)
        } catch {
            return (error.code, spent)
        }
    }

    @Test(
        "the keys of a map that is made are read, and paid for",
        arguments: [
            "{value: 1}.size()", "{?value: optional.of(1)}.size()",
            "[1].transformMapEntry(i, x, {value: x}).size()",
            "[1].map(x, {value: x}).size()",
        ]
    )
    func keys(_ source: String) throws {
        let long = Value.string(String(repeating: "x", count: 200_000))
        #expect(try spending(source, long).code == .cost)
        #expect(try spending(source, "short").code == nil)
    }

    @Test("the keys of maps that are compared are paid for")
    func comparedKeys() throws {
        let map = Value.map(ValueMap([(String(repeating: "x", count: 8_000), 1)]))
        #expect(try spending("value == value", map).units >= 1_000)
        #expect(try spending("value == value", .map(ValueMap([("x", 1)]))).units < 20)
    }

    @Test(
        "nothing is looked at before it is paid for, also where the call fails",
        arguments: [
            "value.indexOf('x', 900000) == 0 || value != null",
            "'%x'.format([value]) == ''",
            "value.lastIndexOf('x', 900000) == 0 || value != null",
            "value.substring(900000) == '' || value != null",
        ]
    )
    func text(_ source: String) throws {
        let long = Value.string(String(repeating: "x", count: 200_000))
        #expect(try spending(source, long).code == .cost)
    }

    @Test(
        "elements are paid for before they are looked at, also where the last one is wrong",
        arguments: [
            "value.join() == '' || value != null", "value.sort() == [] || value != null",
            "sum(value) == 0 || value != null",
        ]
    )
    func elements(_ source: String) throws {
        let list = [Value](repeating: "a", count: 20_000) + [.int(1)]
        #expect(try spending(source, .list(ValueList(list))).code == .cost)
        let short: Value = ["a", 1]
        #expect(try spending(source, short).code == nil)
    }

    @Test("a text is split and replaced for its length and its pieces, not for its length at each piece")
    func pieces() throws {
        let line = Value.string(Array(repeating: "abcdefgh", count: 1_000).joined(separator: ","))
        #expect(try spending("value.split(',').size()", line).units < 12_000)
        #expect(try spending("value.replace(',', ';').size()", line).units < 10_000)
        #expect(try spending("value.contains('c')", line).units < 20)
    }

    @Test("digits of numbers far from one cost what they take")
    func digits() throws {
        #expect(try spending("'%f'.format([value])", .double(.leastNonzeroMagnitude)).units >= 1_000)
        #expect(try spending("'%.3e'.format([value])", 1e300).units >= 900)
        #expect(try spending("'%f'.format([value])", 20.5).units < 120)
        #expect(try spending("'%f'.format([value])", 0).units < 120)
    }

    /// What the search for dear expressions (Benchmarks/Sources/UnitSearch) has found: what each
    /// took, in units of 20 ns.
    static let dear: [(source: String, value: Value, atLeast: Int)] = [
        ("value % 4.9e-324", .double(.greatestFiniteMagnitude), 250),
        ("'%s'.format([value])", .bytes([UInt8](repeating: 255, count: 8_000)), 6_400),
        ("value.exists(x, x + 'a' == value)", numbers(100), 2_000),
        ("value.map(x, string(x))", numbers(100), 1_800),
        ("value.map(x, [x])", numbers(100), 700),
        ("value.map(x, {'a': x})", numbers(100), 1_000),
        ("'%s'.format([value])", numbers(100), 1_800),
        ("value.reverse()", numbers(1_000), 1_000),
        ("value == value", .list(ValueList([numbers(30)])), 30),
        ("value", numbers(4_000), 280),
        ("value.replace('', 'b')", .string(String(repeating: "a", count: 2_000)), 1_500),
        ("value.split('')", .string(String(repeating: "a", count: 1_000)), 1_600),
        ("value.reverse()", .string(String(repeating: "é", count: 4_000)), 1_100),
        ("double(value)", .string(String(repeating: "1", count: 1_000)), 180),
        ("duration(value)", .string(String(repeating: "1h1m", count: 32)), 250),
        ("string(value)", .timestamp(Timestamp(seconds: 0)!), 40),
        ("value * 1.0 / 3.0", .double(.leastNonzeroMagnitude), 5),
    ]

    private static func numbers(_ count: Int) -> Value {
        .list(ValueList((0..<count).map { .double(1 / Double($0 + 3)) }))
    }

    @Test("what the search has found costs what it took", arguments: dear)
    func found(_ source: String, _ value: Value, _ atLeast: Int) throws {
        let units = try spending(source, value).units
        #expect(units >= atLeast, "\(source): \(units)")
    }

    @Test("the search for costly expressions uses every function and macro")
    func searched() throws {
        let here = "\(#filePath)"
        let tests = try #require(here.firstRange(of: "/Tests/CELTests/"))
        let path = "\(here[..<tests.lowerBound])/Benchmarks/Sources/UnitSearch/Grammar.swift"
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 100_000)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        let grammar = String(decoding: bytes, as: UTF8.self)
        for name in Macro.callableNames {
            #expect(grammar.contains(name), "\(name)")
        }
    }

    @Test("long expressions are read in time that goes with their length")
    func longExpressions() throws {
        // Deep chains side by side, which depend on a variable at their far end; then chains that
        // fail where they begin.
        let chain = "value" + String(repeating: "+1", count: 240)
        let chains = "[" + Array(repeating: chain, count: 400).joined(separator: ",") + "].size()"
        #expect(outcome(chains, ["value": 1], cost: 1_000_000) == "int 400")
        let fields = "value" + String(repeating: ".b", count: 240)
        let members = "[" + Array(repeating: fields, count: 400).joined(separator: ",") + "].size()"
        #expect(outcome(members, ["value": .map(ValueMap([("b", 1)]))], cost: 1_000_000) == "error expr_type")
        let list = "[" + Array(repeating: "1", count: 500).joined(separator: ",") + "]"
        let failing = "[1 / 0] + " + String(repeating: list + " + ", count: 200) + "[]"
        #expect(outcome(failing, cost: 1_000_000) == "error expr_divide")
    }

    @Test("a chain of texts costs what its bytes cost, once")
    func chainsOfTexts() throws {
        let long = Value.string(String(repeating: "x", count: 800))
        let once = try spending("string(value) + string(value) + ''", long)
        let often = try spending(Array(repeating: "string(value)", count: 40).joined(separator: " + "), long)
        #expect(once.code == nil && once.units > 200)
        #expect(often.code == nil && often.units < 22 * once.units)
        let longest = Value.string(String(repeating: "x", count: 60_000))
        #expect(try spending("string(value) + string(value) + string(value)", longest).code == .cost)
    }
}
