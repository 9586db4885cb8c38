import Testing

@testable import SluiceServer

@Suite("Addresses and networks")
struct NetworkTests {
    @Test(
        "an address has one form, however it is written",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"), ("::1", "::1"), ("::", "::"),
            ("2001:DB8::1", "2001:db8::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1::", "1::"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("0:0:0:0:0:0:0:1", "::1"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ]
    )
    func forms(text: String, form: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == form)
        #expect(IPAddress(form) == address)
    }

    @Test(
        "an invalid address is none",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.-4",
            "0x1.2.3.4",
            "1.2.3.4:80", "localhost", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::",
            "g::",
            "::1%eth0", "[::1]", "1.2.3.4::", "::1.2.3", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
            "fe80::1/64", "١.٢.٣.٤",
        ]
    )
    func noAddress(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        "a network holds the addresses that begin like it, and those of its kind only",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "203.0.113.9", false),
            ("::/0", "2001:db8::1", true), ("2001:db8::/32", "2001:db8:ffff::", true),
            ("2001:db8::/32", "2001:db9::", false),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false),
            ("192.0.2.6/31", "192.0.2.7", true),
            ("2001:db8::/65", "2001:db8::7fff:0:0:0", true), ("2001:db8::/65", "2001:db8::8000:0:0:0", false),
            ("::1/128", "::1", true), ("127.0.0.0/8", "::1", false),
        ]
    )
    func members(network: String, address: String, isIn: Bool) throws {
        #expect(try #require(Network(network)).contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(
        "an invalid network is refused, also one with bits after its prefix",
        arguments: [
            "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/-1", "::1/129",
            "2001:db8::1/32", "/8", "a/8", "1.2.3.4/8/8",
        ]
    )
    func noNetwork(text: String) {
        #expect(Network(text) == nil)
        #expect(!TrustedProxies.isWellFormed(text))
    }
}

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
