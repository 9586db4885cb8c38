import CEL
import Testing

@testable import Values

@Suite("What values hold")
struct TreeSizeTests {
    @Test("A list or object holds its text, and once it is read the parts of its tree")
    func parts() throws {
        let place = MemoryLayout<Value>.stride
        let shapes = [
            ("[\(repeated("1"))]", 1000 * place),
            ("[\(repeated("[1]"))]", 1000 * (2 * place + 64)),
            ("[\(repeated(#"{"a":1}"#))]", 1000 * (3 * place + 64)),
            (#"{"a":"\#(String(repeating: "x", count: 5_000))"}"#, 5_000),
            (#""\#(String(repeating: "x", count: 5_000))""#, 0),
        ]
        for (text, parts) in shapes {
            let value = try Datum.parse(text)
            let bytes = value.knownByteCount
            #expect(value.heldBytes == bytes, "only the text so far")
            _ = value.tree
            #expect(
                value.heldBytes >= bytes + parts && value.heldBytes < bytes + 2 * parts + 200,
                "\(text.prefix(9))"
            )
        }
    }

    private func repeated(_ text: String) -> String {
        Array(repeating: text, count: 1000).joined(separator: ",")
    }
}
