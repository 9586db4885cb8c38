import Support
import Testing

@Suite("JSON strings and lists")
struct JSONTextTests {
    @Test(
        "what must be escaped is, in the short form where there is one",
        arguments: [
            ("", #""""#), ("plain é 🙂", #""plain é 🙂""#), (#"a"b\c/"#, #""a\"b\\c/""#),
            ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#), ("\0\u{1F}x\u{7F}", "\"\\u0000\\u001fx\u{7F}\""),
        ]
    )
    func strings(text: String, json: String) {
        #expect(String(json: text) == json)
        var buffer = ByteBuffer()
        buffer.append(json: text)
        #expect(buffer.bytes.elementsEqual(json.utf8))
    }

    @Test("elements of a list stand between brackets, with commas between them")
    func lists() {
        var buffer = ByteBuffer()
        buffer.append(list: [Int]()) { $1.append(decimal: $0) }
        buffer.append(list: 1...3) { $1.append(decimal: $0) }
        buffer.append(separated: ["a", "b"]) { $1.append(json: $0) }
        #expect(buffer.bytes.elementsEqual(#"[][1,2,3]"a","b""#.utf8))
    }
}
