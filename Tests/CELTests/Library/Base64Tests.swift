import CEL
import Testing

@Suite("base64 is written and read")
struct Base64Tests {
    @Test(
        "texts and bytes",
        arguments: [
            Case("base64.decode('aGVsbG8')", "bytes [104, 101, 108, 108, 111]"),
            Case("base64.decode('aGVsbG8=')", "bytes [104, 101, 108, 108, 111]"),
            Case("base64.decode('aGVsbG8==')", "error expr_bad_value"),
            Case("base64.decode('aGVs bG8')", "error expr_bad_value"),
            Case("base64.decode('a')", "error expr_bad_value"),
            Case("base64.decode('-_')", "error expr_bad_value"),
            Case("base64.encode(b'\\x00\\xff')", "string \"AP8=\""),
            Case("base64.encode(b'hello') + string(base64.decode('aGVsbG8='))", "string \"aGVsbG8=hello\""),
        ]
    )
    func outcomes(_ row: Case) {
        #expect(outcome(row.source, strict: true) == row.expected)
    }
}
