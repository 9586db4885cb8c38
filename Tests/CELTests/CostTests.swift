import CEL
import Testing

/// What things cost: whatever is read or made is paid for, before it is done.
@Suite("What evaluation costs")
struct CostTests {
    /// The code of the failure, or nil; and the units spent.
    private func spending(_ source: String, _ value: Value) throws -> (code: ErrorCode?, units: Int) {
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
        #expect(try spending("value.split(',').size()", line).units < 8_000)
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

    @Test("long expressions are read in time that goes with their length")
    func longExpressions() throws {
        // Deep chains side by side, which depend on a variable at their far end; then chains that fail where they begin.
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
}
