import Definitions
import Support
import Testing

@Suite("Which hosts graphs may reach")
struct PermittedHostsTests {
    private func addresses(_ url: String, _ hosts: [String]) throws -> PermittedAddresses? {
        PermittedHosts(hosts).addresses(of: try #require(RemoteURL(url)))
    }

    @Test("hosts must match exactly, with the port of the scheme where they have none")
    func hosts() throws {
        func isPermitted(_ url: String, _ hosts: [String]) throws -> Bool { try addresses(url, hosts) != nil }
        #expect(try isPermitted("https://example.org/x", ["EXAMPLE.org"]))
        #expect(try isPermitted("https://example.org/x", ["example.org:443"]))
        #expect(try !isPermitted("https://example.org/x", []))
        #expect(try !isPermitted("https://example.org:8443/x", ["example.org"]))
        #expect(try isPermitted("https://example.org:8443/x", ["example.org:8443"]))
        #expect(try !isPermitted("https://a.example.org/", ["example.org"]))
        #expect(try !isPermitted("https://example.org.evil.net/", ["example.org"]))
        #expect(try isPermitted("http://[::1]:9/", ["[::1]:9"]))
        #expect(try isPermitted("http://[0:0::1]:9/", ["[::1]:9"]))
    }

    @Test("a name leads to public addresses only, unless a network is given; an address permits itself")
    func networks() throws {
        func permitted(_ url: String, _ hosts: [String], _ address: String) throws -> Bool {
            try #require(try addresses(url, hosts)).contains(try #require(IPAddress(address)))
        }
        #expect(try permitted("http://example.org/", ["example.org"], "93.184.215.14"))
        #expect(try !permitted("http://example.org/", ["example.org"], "10.0.0.1"))
        #expect(try !permitted("http://localhost/", ["localhost"], "127.0.0.1"))
        #expect(try permitted("http://hook.lan/", ["hook.lan=192.168.0.0/16"], "192.168.4.5"))
        #expect(try !permitted("http://hook.lan/", ["hook.lan=192.168.0.0/16"], "10.0.0.1"))
        #expect(try !permitted("http://hook.lan/", ["hook.lan=192.168.0.0/16"], "8.8.8.8"))
        #expect(try permitted("http://hook.lan:81/", ["hook.lan:81=fd00::/8"], "fd00::1"))
        let both = ["hook.lan", "hook.lan=10.0.0.0/8"]
        #expect(
            try permitted("http://hook.lan/", both, "8.8.8.8")
                && permitted("http://hook.lan/", both, "10.1.1.1")
        )
        #expect(try permitted("http://127.0.0.1/", ["127.0.0.1"], "127.0.0.1"))
        #expect(try !permitted("http://127.0.0.1/", ["127.0.0.1"], "127.0.0.2"))
    }

    @Test(
        "anything else is no entry",
        arguments: [
            "", "=10.0.0.0/8", "a=", "a=b", "a=10.0.0.1/8", "a=10.0.0.0/8=", "a/b", "http://a", "u@a", "a:0",
            "10.0.0.1=10.0.0.0/8", "*",
        ]
    )
    func malformed(text: String) {
        #expect(!PermittedHosts.isWellFormed(text))
    }
}
