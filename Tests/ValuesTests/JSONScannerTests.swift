import Testing
import Values

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Which bytes are JSON (RFC 8259)")
struct JSONScannerTests {
    @Test(
        "texts the grammar allows are accepted, and the value's extent leaves out white space",
        arguments: accepted
    )
    func accepts(_ text: String) throws {
        for padding in ["", " ", "\n\t\r "] {
            let padded = padding + text + padding
            let extent = try JSONScanner.validate(Array(padded.utf8))
            #expect(extent.start == padding.utf8.count)
            #expect(extent.end == padded.utf8.count - padding.utf8.count)
        }
        // Inside something else the same value must do as well.
        _ = try JSONScanner.validate(Array("[\(text),\(text)]".utf8))
        _ = try JSONScanner.validate(Array("{\"a\":\(text) ,\"b\": \(text)}".utf8))
    }

    @Test("texts the grammar forbids are refused with reason and place", arguments: refused)
    func refuses(_ text: String, _ reason: JSONError.Reason, _ offset: Int) {
        expectRefusal(Array(text.utf8), reason, offset)
    }

    @Test("bytes that are not UTF-8 are refused where they begin to be wrong", arguments: notUTF8)
    func refusesBytes(_ bytes: [UInt8], _ offset: Int) {
        expectRefusal([0x22] + bytes + [0x22], .badUTF8, offset + 1)
        // The same far from the beginning, and directly before the end.
        let far = Array(repeating: UInt8(ascii: "x"), count: 29)
        expectRefusal([0x22] + far + bytes + [0x22], .badUTF8, offset + 30)
        // A string that ends in the middle of a character.
        expectRefusal([0x22] + far + bytes, .badUTF8, offset + 30)
    }

    @Test("every prefix of a text is refused, nothing after the bytes is read")
    func prefixes() throws {
        let text = #"{"a":[1,-2.5e+3,true,false,null,"x\u00e9\ud83d\ude00\n ü€😀"],"b":{"c":{}},"d":[[]]}"#
        let bytes = Array(text.utf8)
        _ = try JSONScanner.validate(bytes)
        for count in bytes.indices {
            // Memory of exactly this size, so that a sanitizer sees a read beyond it.
            #expect(throws: JSONError.self) { try JSONScanner.validate(Array(bytes[..<count])) }
        }
    }

    @Test("nesting is allowed as deep as the limit and no deeper", arguments: [1, 2, 7, 63, 64])
    func depth(_ limit: Int) throws {
        let limits = JSONLimits(depth: limit)
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func nested(_ depth: Int) -> [UInt8] {
                let inner = open == "[" ? "" : "1"
                return Array(
                    (String(repeating: open, count: depth) + inner + String(repeating: close, count: depth))
                        .utf8
                )
            }
            _ = try JSONScanner.validate(nested(limit), limits: limits)
            expectRefusal(nested(limit + 1), .tooDeep, limit * open.utf8.count, limits)
        }
        // Side by side is not deep.
        _ = try JSONScanner.validate(
            Array(("[" + String(repeating: "{},[],", count: 100) + "0]").utf8),
            limits: JSONLimits(depth: 2)
        )
    }

    @Test("a hundred thousand brackets are refused without recursion")
    func manyBrackets() {
        expectRefusal(Array(repeating: UInt8(ascii: "["), count: 100_000), .tooDeep, 64)
    }

    @Test("duplicate keys may be allowed")
    func duplicatesAllowed() throws {
        let limits = JSONLimits(refusesDuplicateKeys: false)
        _ = try JSONScanner.validate(Array(#"{"a":1,"a":2}"#.utf8), limits: limits)
    }

    @Test(
        "a key that comes twice is found in objects of every size",
        arguments: [1, 2, 15, 16, 17, 18, 47, 48, 49, 300]
    )
    func duplicateInLargeObject(_ count: Int) throws {
        let keys = (0..<count).map { "key number \($0)" }
        func object(_ keys: [String]) -> String {
            "{" + keys.map { "\"\($0)\":{\"x\":1,\"y\":2}" }.joined(separator: ",") + "}"
        }
        _ = try JSONScanner.validate(Array(object(keys).utf8))
        for twice in Set([0, count / 2, count - 1]) {
            let text = object(keys + [keys[twice]])
            let offset = object(keys).utf8.count
            expectRefusal(Array(text.utf8), .duplicateKey, offset)
            // The same key, escaped.
            let escaped = "\\u006b" + keys[twice].dropFirst()
            expectRefusal(Array(object(keys + [escaped]).utf8), .duplicateKey, offset)
        }
    }

    @Test("equal keys in different objects are no duplicates, however many objects are open")
    func sameKeyElsewhere() throws {
        var text = "1"
        for _ in 0..<60 {
            text = "{\"a\":1,\"b\":[{\"a\":1},{\"a\":1}],\"c\":\(text)}"
        }
        _ = try JSONScanner.validate(Array(text.utf8))
        let members = (0..<40).map { "\"k\($0)\":{\"k0\":1,\"k1\":{\"k0\":1}}" }.joined(separator: ",")
        _ = try JSONScanner.validate(Array("{\"x\":{\(members)},\"y\":{\(members)},\"z\":{\"k0\":1}}".utf8))
        // After an inner object has closed, the outer one still knows its keys.
        expectRefusal(Array("{\"x\":{\(members)},\"x\":1}".utf8), .duplicateKey, 6 + members.utf8.count + 2)
        expectRefusal(Array("{\(members),\"k39\":1}".utf8), .duplicateKey, members.utf8.count + 2)
    }

    @Test("many keys with equal beginnings, lengths and ends cost linear time")
    func manySimilarKeys() throws {
        let keys = (0..<40_000).map { number in
            let digits = String(number)
            return "aaaaaaaa" + String(repeating: "0", count: 5 - digits.count) + digits + "zzzzzzzz"
        }
        let text = "{" + keys.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        // Processor time, of which there are a million to the second: other work on the machine
        // does not count.
        let before = clock()
        _ = try JSONScanner.validate(Array(text.utf8))
        #expect(clock() - before < 2_000_000)
    }

    @Test("errors translate to the codes of the wire")
    func codes() {
        for reason in JSONError.Reason.allCases {
            let error = JSONError(reason, at: 3)
            #expect(error.code == (reason == .numberOutOfRange ? .typeMismatch : .badJSON))
            #expect(error.message.hasSuffix("(at byte 3)"))
        }
    }
}

/// Expects that the bytes are refused for this reason at this place.
func expectRefusal(
    _ bytes: [UInt8],
    _ reason: JSONError.Reason,
    _ offset: Int,
    _ limits: JSONLimits = .standard,
    _ location: SourceLocation = #_sourceLocation
) {
    do throws(JSONError) {
        _ = try JSONScanner.validate(bytes, limits: limits)
        Issue.record("accepted: \(String(decoding: bytes, as: UTF8.self))", sourceLocation: location)
    } catch {
        #expect(error == JSONError(reason, at: offset), sourceLocation: location)
    }
}
