import Support
import Testing

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
    }

    @Test(
        "an address is public unless it is this machine's, private, a link's, an example or reserved (RFC 6890)",
        arguments: [
            ("8.8.8.8", true), ("1.1.1.1", true), ("172.15.0.1", true), ("172.32.0.1", true),
            ("192.0.1.1", true),
            ("100.63.0.1", true), ("100.128.0.1", true), ("223.255.255.255", true), ("::ffff:8.8.8.8", true),
            ("2606:4700::1111", true), ("2a00:1450::1", true), ("64:ff9b::8.8.8.8", true),
            ("0.0.0.0", false), ("10.1.2.3", false), ("100.64.0.1", false), ("127.0.0.1", false),
            ("169.254.169.254", false), ("172.16.0.1", false), ("172.31.255.255", false),
            ("192.0.0.8", false),
            ("192.0.2.1", false), ("192.168.1.1", false), ("198.18.0.1", false), ("198.51.100.1", false),
            ("203.0.113.9", false), ("224.0.0.1", false), ("240.0.0.1", false), ("255.255.255.255", false),
            ("::ffff:10.0.0.1", false), ("64:ff9b::10.0.0.1", false), ("64:ff9b:1::1", false),
            ("::", false), ("::1", false), ("::7f00:1", false), ("fc00::1", false), ("fd12:3456::1", false),
            ("fe80::1", false), ("ff02::1", false), ("2001:db8::1", false), ("2001::1", false),
            ("2002:a00:1::", false), ("3fff::1", false), ("100::1", false), ("4000::1", false),
        ]
    )
    func publicAddresses(text: String, isPublic: Bool) throws {
        #expect(try #require(IPAddress(text)).isPublic == isPublic)
    }
}
