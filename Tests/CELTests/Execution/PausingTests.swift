import TestSupport
import Testing

@testable import CEL

@Suite("An evaluation may pause between two elements of a macro")
struct PausingTests {
    /// Run with `v`, two rows with a list each, and `m`, a map.
    private static let sources = [
        "v.filter(r, r.n == 1).map(r, r.list)", "v.map(r, r.list.map(x, x + r.name))",
        "v.all(r, r.list.exists(x, x.size() == r.name))", "v.map(r, r.list.map(x, x + string(r.n)))",
        "v.exists(r, r.list.all(x, r.name == x || x.startsWith('a')) && r.n == 2)",
        "v.map(r, v.filter(q, q.n > r.n).map(q, q.list + r.list).size())",
        "v[0].filter(k, k != 'n')", "true || v.map(r, r.name).size() == 1",
        "v.map(r, r.name).size() == 1 || v.all(r, r.n > 0)", "v.exists_one(r, r.list.exists_one(x, x != ''))",
        "m.all(k, m[k] > 0)", "m.exists(k, v, v > 2 && k.size() > 1)", "m.transformList(k, v, [k, v])",
        "m.transformMap(k, v, v > 1, [v] + m.map(q, m[q]))", "v.transformMapEntry(i, r, {string(i): r.list})",
        "v.transformMapEntry(i, r, {'same': r.list})", "lists.range(40).map(x, x % 7).sortBy(x, -x)",
        "lists.range(9).all(x, 6 / (x - 8) > -100 || lists.range(x).exists(y, y == 3))",
        "lists.range(9).exists(x, 1 / x == 1 && v.all(r, r.missing))", "lists.range(9).map(x, 1 / (5 - x))",
        "cel.bind(f, v.map(r, r.missing), lists.range(9).map(x, x > 3 ? [x] : v.map(r, r.n)))",
        "[?optional.of(v.map(r, [r.n])), v.map(r, r.list)].map(l, l + l)",
        "{?'a': optional.of(m.map(k, k)), 'b': v.map(r, {'l': r.list})}",
        "optional.of(v).optMap(w, w.map(r, r.list))", "'%s'.format([v.map(r, r.n)]) + 'x'",
        "[1, 2, 3].map(x, ['a text of more than 15 bytes', string(x) + string(v.size())])",
        "lists.range(200).map(x, lists.range(200).map(y, x * y))", "lists.range(70).map(x, v)",
    ]

    private static func arguments(_ list: ValueList = ValueList([text])) -> [Value] {
        let first = ValueMap([("n", 1), ("a key of more than 15 bytes", 0), ("list", .list(list))])
        let second = ValueMap([("n", 2), ("list", .list(ValueList([text, text])))])
        let rows = Value.list(ValueList([.map(first), .map(second)]))
        return [rows, .map(ValueMap([("first", 1), ("second", 2), ("third", 3)]))]
    }

    private static let text = Value.string("a text of more than 15 bytes")

    private static func program(
        _ source: String,
        cost: Int = 10_000,
        outputBytes: Int = 65_536
    ) throws -> Program {
        let options = Options(cost: cost, outputBytes: outputBytes)
        return try Program(source, variables: ["v", "m"].map { Variable($0) }, options: options)
    }

    /// What an evaluation has come to.
    private struct Account: Equatable {
        var result: Result<String, EvaluationError>?
        var units = 0
    }

    private static func whole(_ program: Program, _ arguments: [Value]) -> Account {
        var account = Account()
        account.result = Result { () throws(EvaluationError) in
            try arguments.withUnsafeBufferPointer { (buffer) throws(EvaluationError) in
                describe(try program.evaluate(buffer, spent: &account.units))
            }
        }
        return account
    }

    /// Evaluates in pieces of so many units, again and again, but no more than so many pieces; the
    /// program and the arguments are let go after the first.
    private static func inPieces(
        _ pieces: [Int],
        atMost count: Int = .max,
        _ start: () throws -> (Program, [Value])
    ) throws -> Account {
        func first(_ account: inout Account) throws -> Result<EvaluationState, EvaluationError> {
            let (program, arguments) = try start()
            return Result { () throws(EvaluationError) in
                try arguments.withUnsafeBufferPointer { (buffer) throws(EvaluationError) in
                    try program.evaluate(buffer, pausingAfter: pieces[0], spent: &account.units)
                }
            }
        }
        var account = Account()
        var state = try first(&account)
        var number = 1
        while case .success(.paused(let evaluation)) = state {
            if number == count { return account }
            let units = pieces[number % pieces.count]
            number += 1
            state = Result { () throws(EvaluationError) in
                try evaluation.resume(pausingAfter: units, spent: &account.units)
            }
        }
        account.result = state.map { state in
            if case .finished(let value) = state { describe(value) } else { "paused" }
        }
        return account
    }

    private static let pieces = [[0], [1], [7], [100], [.min, 50, 3], [0, .max], [.max]]

    @Test("in pieces it comes to the same value or failure for the same units", arguments: sources)
    func sameAsWhole(_ source: String) throws {
        var random = SeededGenerator(seed: 20_261_126)
        let units = Self.whole(try Self.program(source), Self.arguments()).units
        for round in 0..<12 {
            let cost = round == 0 ? 10_000 : Int.random(in: 0...units, using: &random)
            let program = try Self.program(source, cost: cost, outputBytes: round == 1 ? 3 : 65_536)
            let whole = Self.whole(program, Self.arguments())
            for pieces in Self.pieces {
                let account = try Self.inPieces(pieces) { (program, Self.arguments()) }
                #expect(account == whole, "\(cost), \(pieces)")
            }
        }
    }

    @Test("random programs come to the same in pieces")
    func randomPrograms() throws {
        var writer = ProgramWriter(random: SeededGenerator(seed: 20_261_127))
        let variables = [Variable("value"), Variable("list"), Variable("map")]
        let arguments: [Value] = [
            21.5, [1, 2.5, "a", true, .null, [1]], ["a": 1, "b": ["c": "x"], "list": [3, 1, 2]],
        ]
        for _ in 0..<3_000 {
            let source = writer.expression(depth: 5)
            let options = Options(cost: 2_000)
            guard let program = try? Program(source, variables: variables, options: options) else { continue }
            let inPieces = try Self.inPieces([0, 20]) { (program, arguments) }
            #expect(inPieces == Self.whole(program, arguments), "\(source)")
        }
    }

    @Test(
        "it pauses when a piece has taken more than its units, and else not",
        arguments: ["lists.range(v).all(x, x >= 0)", "lists.range(v).all(i, x, i + x >= 0)"]
    )
    func sizes(_ source: String) throws {
        let program = try Self.program(source)
        let arguments: [Value] = [100, .null]
        try arguments.withUnsafeBufferPointer { arguments in
            var pieces = [0]
            var state = try program.evaluate(arguments, pausingAfter: 500, spent: &pieces[0])
            while case .paused(let evaluation) = state {
                pieces.append(0)
                state = try evaluation.resume(pausingAfter: 100, spent: &pieces[pieces.count - 1])
            }
            #expect(pieces.count > 3 && pieces[0] > 500 && pieces[0] < 520, "\(pieces)")
            #expect(pieces[1..<(pieces.count - 1)].allSatisfy { $0 > 100 && $0 < 120 }, "\(pieces)")
        }
    }

    @Test(
        "without macros it never pauses",
        arguments: ["v", "v[0].n + 1 > m.first && v.size() == 2", "[v, v].flatten().sort() == [] || true"]
    )
    func withoutMacros(_ source: String) throws {
        let program = try Self.program(source)
        let account = try Self.inPieces([0], atMost: 1) { (program, Self.arguments()) }
        #expect(account.result != nil)
        #expect(account == Self.whole(program, Self.arguments()))
    }

    @Test("what is dropped at a pause releases all it has, once", arguments: sources)
    func dropping(_ source: String) throws {
        for count in 1..<40 {
            weak var kept: ValueList.Storage?
            let rows = try {
                let list = ValueList([Self.text])
                kept = list.storage
                let arguments = Self.arguments(list)
                _ = try Self.inPieces([0], atMost: count) { (try Self.program(source), arguments) }
                return Self.whole(try Self.program("v[0].list[0]"), arguments)
            }()
            #expect(rows.result == .success(describe(Self.text)))
            #expect(kept == nil)
        }
    }
}
