import TestSupport
import Testing

@testable import CEL

@Suite("Values hold what JSON and CEL can say")
struct ValueTests {
    @Test(
        "maps keep their order and find their keys, small and large",
        arguments: [0, 1, 12, 13, 100, 5_000],
        ["key ", String(repeating: "a long key ", count: 10)]
    )
    func maps(_ count: Int, _ key: String) {
        var builder = ValueMap.Builder()
        for number in 0..<count {
            let isNew = builder.append("\(key)\(number)", .int(Int64(number)))
            #expect(isNew)
        }
        for number in 0..<count {
            let isNew = builder.append("\(key)\(number)", 0)
            #expect(!isNew, "a key may stand once")
        }
        let map = builder.finish()
        #expect(map.count == count)
        #expect(map.map(\.value) == (0..<count).map { .int(Int64($0)) })
        for number in 0..<count {
            #expect(map["\(key)\(number)"] == .int(Int64(number)))
        }
        #expect(map[key] == nil)
        #expect(map[key: 1] == nil)
    }

    @Test("keys are numbers by value, and strings by their bytes", arguments: [3, 40])
    func keys(_ filling: Int) {
        var builder = ValueMap.Builder()
        for number in 0..<filling {
            _ = builder.append("filling \(number)", .null)
        }
        let accepted = [
            builder.append(key: 1, "int"), builder.append(key: .uint(1), "uint"),
            builder.append(key: .uint(.max), "max"), builder.append(key: true, "true"),
            builder.append(key: 1.5, "double"), builder.append("é", "composed"),
            builder.append("e\u{301}", "decomposed"),
        ]
        #expect(accepted == [true, false, true, true, false, true, true])
        let map = builder.finish()
        #expect(map[key: .uint(1)] == "int")
        #expect(map[key: 1.0] == "int")
        #expect(map[key: 1.5] == nil)
        #expect(map[key: .double(.nan)] == nil)
        #expect(map[key: true] == "true")
        #expect(map[key: .null] == nil)
        #expect(map["é"] == "composed")
        #expect(map["e\u{301}"] == "decomposed")
    }

    @Test("fields are found whatever storage their names have")
    func storage() throws {
        // The same text as a short string, as a long one's piece, and built at run time.
        let long = String("a name that is long enough".dropLast(20)) + ""
        for name in ["a", "inside", "a name that is not short at all", long] {
            let key = String(decoding: Array(name.utf8), as: UTF8.self)
            let value = Value.map(ValueMap([(key, 1), ("other", 2)]))
            let program = try Program("value.`\(name)`", variables: [Variable("value")])
            #expect(try program.evaluate(value) == 1)
            #expect(throws: EvaluationError.self) { try program.evaluate(["x": 1]) }
        }
    }

    @Test("a value's payload lies first, as direct access to fields, elements and texts needs it")
    func layout() {
        let map = ValueMap([("a", 1)])
        withUnsafePointer(to: Value.map(map)) { pointer in
            let word = UnsafeRawPointer(pointer).load(as: UnsafeRawPointer.self)
            #expect(word == UnsafeRawPointer(Unmanaged.passUnretained(map.storage).toOpaque()))
        }
        let list = ValueList([1])
        withUnsafePointer(to: Value.list(list)) { pointer in
            let word = UnsafeRawPointer(pointer).load(as: UnsafeRawPointer.self)
            #expect(word == UnsafeRawPointer(Unmanaged.passUnretained(list.storage).toOpaque()))
        }
        for text in [
            "", "short", "a text of more than fifteen bytes", "日本", String(repeating: "é", count: 40),
        ] {
            withUnsafePointer(to: Value.string(text)) { pointer in
                #expect(UnsafeRawPointer(pointer).assumingMemoryBound(to: String.self).pointee == text)
            }
        }
        #expect(MemoryLayout<ValueMap.Entry>.offset(of: \.key) == 0)
        #expect(MemoryLayout<Value>.stride == 24)
    }

    @Test("nesting is counted where containers are made")
    func nesting() {
        #expect(Value.int(1).nestingDepth == 0)
        #expect(Value.list(ValueList([])).nestingDepth == 1)
        #expect(Value(dictionaryLiteral: ("a", [1, [2]])).nestingDepth == 3)
        #expect(Value.optional(OptionalValue([1])).nestingDepth == 2)
        #expect(Value.optional(.none).nestingDepth == 0)
    }

    @Test("times keep to their ranges")
    func times() {
        #expect(Timestamp(seconds: 253_402_300_799, nanos: 999_999_999) != nil)
        #expect(Timestamp(seconds: 253_402_300_800) == nil)
        #expect(Timestamp(seconds: 0, nanos: 1_000_000_000) == nil)
        #expect(Timestamp(milliseconds: -1)?.description == "1969-12-31T23:59:59.999Z")
        #expect(TimeSpan(seconds: 1, nanos: -1) == nil)
        #expect(TimeSpan(seconds: 315_576_000_001) == nil)
        #expect(TimeSpan(seconds: -1, nanos: -500_000_000)?.description == "-1.500s")
    }

    @Test("doubles are written shortest and read back the same")
    func doubles() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            for strictly in [true, false] {
                let text = NumberText.text(number, strictly: strictly)
                #expect(Double(text) == number, "\(number)")
            }
            #expect(Double(DecimalText.scientific(number, places: 17)) == number, "\(number)")
        }
    }

    @Test(
        "doubles are written out from 0.0001 to below 10^17, strictly to below 10^6",
        arguments: [
            (0.0001, "0.0001", "0.0001"), (0.00009, "9e-05", "9e-05"), (-22, "-22", "-22"),
            (999_999.5, "999999.5", "999999.5"), (1e6, "1000000", "1e+06"),
            (-1_234_567.25, "-1234567.25", "-1.23456725e+06"),
            (0x1p53, "9007199254740992", "9.007199254740992e+15"),
            (-2.5e16, "-25000000000000000", "-2.5e+16"), (1e17, "1e+17", "1e+17"),
        ]
    )
    func notations(number: Double, text: String, strict: String) {
        #expect(NumberText.text(number, strictly: false) == text)
        #expect(NumberText.text(number, strictly: true) == strict)
    }

    @Test("whole doubles below 10^17 have the shortest digits and zeros")
    func wholeDoubles() {
        var random = SeededGenerator(seed: 8)
        for _ in 0..<20_000 {
            let number = Double(
                Int64.random(in: -99_999_999_999_999_000..<99_999_999_999_999_000, using: &random)
            )
            let text = NumberText.text(number, strictly: false)
            #expect(Double(text) == number && Int64(text) != nil, "\(number)")
        }
    }
}
