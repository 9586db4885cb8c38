import CEL
import Support
import TestSupport
import Testing
import Values

@Suite("Scanner, reader, tree, datum and equality agree on every text, and with the RFC written down plainly")
struct JSONAgreementTests {
    /// What the RFC leaves to the reader, and what is chosen here; the first column is what it is
    /// about.
    static let choices: [(String, [UInt8], Bool)] =
        [
            ("a number with an exponent beyond doubles", "123123e100000", false),
            ("the same, negative", "-123123e100000", false),
            ("an integer beyond doubles", "1" + String(repeating: "0", count: 400), false),
            ("an integer beyond 64 bits", "100000000000000000000", true),
            ("the same, negative", "-123123123123123123123123123123", true),
            ("an exponent that underflows", "123.456e-789", true),
            ("a very large exponent of zero", "0e123456789", true),
            ("a number that rounds", "0.1000000000000000055511151231257827021181583404541015625", true),
            ("the largest double and half a step less than one more", "1.7976931348623158e308", true),
            ("a first half alone", #""\uDADA""#, false), ("two first halves", #""\uD888\u1234""#, false),
            ("a second half alone", #""\uDFAA""#, false),
            ("halves in the wrong order", #""\uDd1e\uD834""#, false),
            ("a first half, then a character", #""\uD800abc""#, false),
            ("a first half, then an escape", #""\uD800\n""#, false),
            ("a first half in a key", #"{"\uD800":1}"#, false), ("an escaped NUL", #""\u0000""#, true),
            ("an escaped NUL in a key", #"{"\u0000":1}"#, true),
            ("an escaped noncharacter", #""\uFFFF""#, true),
            ("an escaped byte order mark", #""\uFEFF""#, true),
            ("a noncharacter", "\"\u{FFFE}\u{1FFFF}\"", true),
            ("a key twice", #"{"a":"b","a":"c"}"#, false), ("a member twice", #"{"a":"b","a":"b"}"#, false),
            ("an empty key", #"{"":0}"#, true), ("keys that differ in case", #"{"a":1,"A":1}"#, true),
            ("keys that look alike", "{\"\u{e9}\":1,\"e\u{301}\":1}", true),
            ("a key twice, once escaped", #"{"\u0061":1,"a":1}"#, false),
            ("64 arrays", String(repeating: "[", count: 64) + String(repeating: "]", count: 64), true),
            ("65 arrays", String(repeating: "[", count: 65) + String(repeating: "]", count: 65), false),
            ("500 arrays", String(repeating: "[", count: 500) + String(repeating: "]", count: 500), false),
            ("100,000 opening brackets", String(repeating: "[", count: 100_000), false),
            ("objects in arrays without end", String(repeating: #"[{"":"#, count: 50_000), false),
            ("a byte order mark", "\u{FEFF}{}", false), ("a byte order mark behind", "{}\u{FEFF}", false),
            ("a scalar alone", "42", true), ("a string alone", #""asd""#, true),
            ("a word alone", "null", true),
            ("DEL in a string", "\"\u{7F}\"", true), ("line separators", "\"\u{2028}\u{2029}\"", true),
        ].map { ($0.0, Array($0.1.utf8), $0.2) } + [
            ("UTF-16 with a mark, little end first", [0xFF, 0xFE, 0x5B, 0, 0x5D, 0], false),
            ("UTF-16 with a mark, big end first", [0xFE, 0xFF, 0, 0x5B, 0, 0x5D], false),
            ("UTF-16 without a mark", [0x5B, 0, 0x22, 0, 0x22, 0, 0x5D, 0], false),
            ("Latin-1", [0x5B, 0x22, 0xE9, 0x22, 0x5D], false),
            ("half a mark", [0xEF, 0xBB, 0x7B, 0x7D], false),
            ("an overlong quote", [0x22, 0xC0, 0xA2, 0x22], false),
            ("an overlong NUL", [0x22, 0xC0, 0x80, 0x22], false),
            ("an encoded first half", [0x22, 0xED, 0xA0, 0x80, 0x22], false),
            ("an encoded pair", [0x22, 0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80, 0x22], false),
            ("beyond Unicode", [0x22, 0xF4, 0xBF, 0xBF, 0xBF, 0x22], false),
            ("five bytes", [0x22, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x22], false),
            ("six bytes overlong", [0x22, 0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF, 0x22], false),
            ("a lone continuation", [0x22, 0x81, 0x22], false),
            ("a character cut by the quote", [0x22, 0xE0, 0xFF, 0x22], false),
            ("NUL behind the value", [0x31, 0], false), ("NUL between tokens", [0x5B, 0x31, 0, 0x5D], false),
            ("a raw NUL in a string", [0x22, 0x61, 0, 0x61, 0x22], false), ("a lone byte FF", [0xFF], false),
            ("a bad byte in a number", [0x5B, 0x31, 0x2E, 0x31, 0xE5, 0x5D], false),
            ("a bad byte behind an escape", [0x22, 0x5C, 0xE5, 0x22], false),
            ("a bad byte in a unicode escape", [0x22, 0x5C, 0x75, 0x31, 0xE5, 0x22], false),
        ]

    @Test("what the RFC leaves open is decided as the table says", arguments: choices)
    func choice(_ what: String, _ bytes: [UInt8], _ isAccepted: Bool) throws {
        #expect((PlainJSON.parse(bytes) != nil) == isAccepted)
        try agree(bytes, isAccepted)
    }

    @Test("every text of the tables, alone and inside something")
    func tables() throws {
        for text in accepted {
            try agree(Array(text.utf8), true)
            try agree(Array(" [ \(text) ,\n{\"k\":\(text)}]\t".utf8), true)
        }
        for (text, _, _) in refused {
            try agree(Array(text.utf8), false)
            // Not alone: what was an end is then something else behind a value, and the other way
            // round.
            try agree(Array("[\(text)]".utf8), PlainJSON.parse(Array("[\(text)]".utf8)) != nil)
        }
        for (bytes, _) in notUTF8 { try agree([0x22] + bytes + [0x22], false) }
        #expect(accepted.count + refused.count + notUTF8.count + Self.choices.count >= 400)
    }

    @Test("texts with random damage", arguments: [1, 2, 3, 4] as [UInt64])
    func damaged(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let alphabet =
            Array("\"\\{}[],:0123456789eE.+-utrnfalsd \n\u{1f}é".utf8) + [0, 0x80, 0xED, 0xF0, 0xFF]
        for _ in 0..<(Nightly.isOn ? 200_000 : 3_000) {
            var bytes = Array(accepted[random.below(accepted.count)].utf8)
            if random.chance(1, in: 3) { bytes = Array(#"{"a":["#.utf8) + bytes + Array("]}".utf8) }
            for _ in 0..<1 + random.below(3) {
                let place = random.below(bytes.count + 1)
                let byte = alphabet[random.below(alphabet.count)]
                if place < bytes.count, random.chance(2, in: 3) {
                    if random.chance(1, in: 2) { bytes[place] = byte } else { bytes.remove(at: place) }
                } else {
                    bytes.insert(byte, at: place)
                }
            }
            try agree(bytes, PlainJSON.parse(bytes) != nil)
        }
    }

    /// Whether every reader accepts or refuses the bytes, and reads the same in them.
    private func agree(
        _ bytes: [UInt8],
        _ isAccepted: Bool,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let shown = Comment(
            rawValue: "\(bytes.prefix(200)) \(String(decoding: bytes.prefix(200), as: UTF8.self))"
        )
        var errors: [JSONError?] = []
        func note(_ read: (BorrowedBytes) throws -> Void) {
            do {
                try bytes.withBorrowedBytes(read)
                errors.append(nil)
            } catch {
                errors.append(error as? JSONError)
            }
        }
        note { _ = try JSONScanner.validate($0) }
        note { _ = try JSONReader(checking: $0) }
        note { _ = try JSONTree.parse($0) }
        note { _ = try Datum.parse($0) }
        #expect(Set(errors).count == 1, shown, sourceLocation: location)
        guard (errors[0] == nil) == isAccepted else {
            return #expect((errors[0] == nil) == isAccepted, shown, sourceLocation: location)
        }
        guard isAccepted, let plain = PlainJSON.parse(bytes) else { return }
        try bytes.withBorrowedBytes { text in
            let reader = try JSONReader(checking: text)
            let tree = try JSONTree.parse(text)
            let datum = try Datum.parse(text)
            #expect(isSameTree(tree, plain), shown, sourceLocation: location)
            #expect(isSameTree(byCursor(reader), plain), shown, sourceLocation: location)
            #expect(isSameTree(datum.tree, plain), shown, sourceLocation: location)
            // Written by others and read again, it is still the same number, string or object.
            var written: [UInt8] = []
            #expect(try JSONWriter.append(tree, to: &written), shown, sourceLocation: location)
            let again = try written.withBorrowedBytes { try JSONTree.parse($0) }
            #expect(isSameTree(again, plain), shown, sourceLocation: location)
            #expect(JSONEquality.areEqual(reader.bytes, reader.bytes), shown, sourceLocation: location)
        }
    }

    private func byCursor(_ reader: JSONReader) -> Value {
        switch reader.kind {
        case .null: .null
        case .bool: .bool(reader.bool ?? false)
        case .number: PlainJSON.parse(Array(reader.bytes)) ?? .null
        case .string: .string(reader.string ?? "")
        case .array: .list(ValueList(reader.elements.map(byCursor)))
        case .object: .map(ValueMap(reader.members.map { ($0.key.string, byCursor($0.value)) }))
        }
    }
}
