import Testing

@testable import SluiceServer

@Suite("Forwarded (RFC 7239)")
struct ForwardedElementTests {
    @Test("elements, quoted strings, letter case and blanks")
    func elements() throws {
        let text =
            #"For="[2001:db8:cafe::17]:4711";Proto=http , for=192.0.2.60; proto=https;by=203.0.113.43;host="a\"b" ,, for=_x"#
        let elements = try #require(ForwardedElement.list(text))
        #expect(elements.map { $0["for"] } == ["[2001:db8:cafe::17]:4711", "192.0.2.60", "_x"])
        #expect(elements.map { $0["proto"] } == ["http", "https", nil])
        #expect(elements[1]["host"] == #"a"b"#)
        #expect(ForwardedElement.list("")?.isEmpty == true)
    }

    @Test(
        "what breaks the grammar is not read at all",
        arguments: [
            "for", "for=", "for=a b", "for=\"a", "for=\"a\\", "=a", "for=a;for=b", "for=[::1]",
            "for=a,for=\"", "for=a;;=", "\u{0}",
            "for=a\"b\"", "for = a",
        ]
    )
    func broken(text: String) {
        #expect(ForwardedElement.list(text) == nil)
    }
}
