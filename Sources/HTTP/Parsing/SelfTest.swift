import CLLHTTP
internal import Support

/// Whether the llhttp this program is linked with is the strict one.
///
/// The server refuses to start otherwise: a lenient parser and a front proxy can see two different
/// requests in the same bytes.
public enum SelfTest {
    /// Feeds the linked library what only a strict build refuses.
    /// - Returns: nil where all is well; otherwise a sentence for the operator, naming what was
    ///   accepted.
    public static func run() -> String? {
        for (what, bytes) in bare where isAcceptedByLibrary(bytes) {
            return message(what)
        }
        for (what, bytes) in whole where isAccepted(bytes) {
            return message(what)
        }
        guard isAccepted("GET / HTTP/1.1\r\nHost: a\r\n\r\n") else {
            return
                "the linked llhttp refuses a plain request; it is broken or of another version than its header"
        }
        return nil
    }

    /// What llhttp alone must refuse.
    private static let bare: [(StaticString, StaticString)] = [
        ("a bare CR within the header block", "GET / HTTP/1.1\r\nX:\rTransfer-Encoding: chunked\r\n\r\n"),
        ("a space before a header's colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
    ]

    /// What llhttp and the checks around it together must refuse.
    private static let whole: [(StaticString, StaticString)] = [
        ("a bare CR within the header block", "GET / HTTP/1.1\r\nHost: a\r\nX:\rB: c\r\n\r\n"),
        ("a space before a header's colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
        ("a folded header line", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n"),
        ("a bare LF as the end of a line", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"),
        ("two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na"),
        (
            "a Content-Length with chunks",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
    ]

    private static func message(_ what: StaticString) -> String {
        "the linked llhttp accepts \(what): it was not built with LLHTTP_STRICT_MODE=1. "
            + "Run scripts/setup-llhttp.sh, or link a strict build."
    }

    private static func isAccepted(_ bytes: StaticString) -> Bool {
        var input = unsafe BorrowedBytes(start: bytes.utf8Start, count: bytes.utf8CodeUnitCount)
        if case .request = RequestParser().parse(&input) { return true }
        return false
    }

    private static func isAcceptedByLibrary(_ bytes: StaticString) -> Bool {
        var settings = llhttp_settings_t()
        unsafe llhttp_settings_init(&settings)
        var parser = unsafe llhttp_t()
        return unsafe withUnsafePointer(to: &settings) { settings in
            unsafe llhttp_init(&parser, HTTP_REQUEST, settings)
            return unsafe bytes.utf8Start.withMemoryRebound(to: CChar.self, capacity: bytes.utf8CodeUnitCount)
            {
                unsafe llhttp_execute(&parser, $0, bytes.utf8CodeUnitCount) == HPE_OK
            }
        }
    }
}
