import Support
import Testing
import Values

@Suite("Reading JSON by cursor")
struct JSONReaderTests {
    @Test("members are found by key, escaped or not, and values keep their own bytes")
    func members() throws {
        let text = #" { "op" : "set", "\u0069d":9 , "set":{"a": [1, "]}"],"b":"\"{"} ,"":null,"x\n":true}"#
        try read(text) { reader in
            #expect(reader.kind == .object)
            #expect(reader.members.map(\.key.string) == ["op", "id", "set", "", "x\n"])
            #expect(reader["op"]?.string == "set")
            #expect(reader["id"]?.int == 9)
            #expect(reader["x\n"]?.bool == true)
            #expect(reader[""]?.kind == .null)
            #expect(reader["nothing"] == nil)
            let set = try #require(reader["set"])
            #expect(String(decoding: set.bytes, as: UTF8.self) == #"{"a": [1, "]}"],"b":"\"{"}"#)
            let elements = try #require(set["a"]).elements.map { String(decoding: $0.bytes, as: UTF8.self) }
            #expect(elements == ["1", #""]}""#])
            #expect(set["b"]?.text.map { $0 == "\"{" } == true)
        }
    }

    @Test("what a value is not, it does not pretend to be")
    func otherKinds() throws {
        try read("[1, \"1\", true, null, {}, [], 1.5]") { reader in
            let kinds = reader.elements.map(\.kind)
            #expect(kinds == [.number, .string, .bool, .null, .object, .array, .number])
            #expect(reader.elements.map(\.int) == [1, nil, nil, nil, nil, nil, nil])
            #expect(reader.elements.map(\.string) == [nil, "1", nil, nil, nil, nil, nil])
            #expect(reader.elements.map(\.bool) == [nil, nil, true, nil, nil, nil, nil])
            #expect(reader.elements.map(\.double) == [1, nil, nil, nil, nil, nil, 1.5])
            #expect(reader.members.map(\.key.string) == [])
            #expect(reader["a"] == nil)
        }
    }

    @Test("a text is compared without being unescaped unless it must be")
    func texts() throws {
        let cases: [(String, Bool)] = [
            (#""set""#, true), (#""\u0073et""#, true), (#""s\u0065t""#, true), (#""sets""#, false),
            (#""""#, false), (#""Set""#, false),
            (#""se\t""#, false),
        ]
        for (text, isSet) in cases {
            try read(text) { reader in
                #expect(reader.text.map { $0 == "set" } == isSet, "\(text)")
            }
        }
        try read(#""\ud83d\ude00 \u00e9\/\\ ü""#) { reader in
            #expect(reader.string == "😀 é/\\ ü")
            let bytes = reader.text?.withUTF8 { Array($0) }
            #expect(bytes == Array("😀 é/\\ ü".utf8))
        }
    }

    @Test(
        "a number is the double nearest to it",
        arguments: [
            "0", "1", "-1", "0.1", "0.3", "123456.789", "1e22", "1e23", "9007199254740993",
            "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308",
            "1e-22", "123456789012345", "1234567890123456", "0.000001", "8.41e21", "7.3177701707893310e15",
            "-0.0", "1e+02", "1E-07", "99999999999999.9e-9",
        ]
    )
    func doubles(_ text: String) throws {
        try read(text) { reader in
            #expect(reader.double?.bitPattern == Double(text)?.bitPattern)
        }
    }

    private func read(_ text: String, _ body: (JSONReader) throws -> Void) throws {
        try text.withBorrowedBytes { try body(try JSONReader(checking: $0)) }
    }
}
