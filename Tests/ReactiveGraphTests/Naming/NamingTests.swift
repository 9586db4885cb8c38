import ReactiveGraph
import Testing

@Suite("Canonical names (G-127)")
struct NamingTests {
    @Test(
        "URLs are compared in their normal form",
        arguments: [
            ("HTTP://Example.ORG", "http://example.org/"),
            ("http://example.org:80/a", "http://example.org/a"),
            ("http://example.org:/a", "http://example.org/a"),
            ("https://example.org:8443/a", "https://example.org:8443/a"),
            ("https://example.org/a/./b/../c", "https://example.org/a/c"),
            ("https://example.org/a/..", "https://example.org/"),
            ("https://example.org/../../a/", "https://example.org/a/"),
            ("https://example.org/%7euser/%c3%a9%2f", "https://example.org/~user/%C3%A9%2F"),
            ("https://example.org?b=2&a=1", "https://example.org/?b=2&a=1"),
            ("https://example.org/a?x=%41#frag?", "https://example.org/a?x=A"),
            ("https://Me@Example.org/", "https://Me@example.org/"),
            ("https://[::1]:443/x", "https://[::1]/x"),
            ("https://[::1]/x", "https://[::1]/x"),
            ("https://[FE80::1%25Eth0]/x", "https://[fe80::1%25eth0]/x"),
            ("wss://h:443/s", "wss://h/s"),
            ("https://example.org/é?q=ü", "https://example.org/%C3%A9?q=%C3%BC"),
            ("https://example.org/%fc", "https://example.org/%FC"),
            ("https://example.org/a|b?x={1}", "https://example.org/a%7Cb?x=%7B1%7D"),
            ("https://example.org/a/%2e%2e/b/%2E/c", "https://example.org/b/c"),
            ("https://BÜCHER.example/", "https://b%C3%BCcher.example/"),
            ("https://b%c3%9ccher.example/", "https://b%C3%BCcher.example/"),
            ("https://%45xample.org/", "https://example.org/"),
            ("just a name", "just a name"),
            ("a/../b", "a/../b"),
        ]
    )
    func normal(name: String, canonical: String) {
        #expect(Naming.urls.canonical(name) == canonical)
        #expect(Naming.urls.canonical(canonical) == canonical)
    }

    @Test(
        "Invalid names",
        arguments: [
            "", "\n", "a\u{0}", "://a", "1http://a", "ht tp://a", "http://a/%zz", "http://a/%1",
            "http://:80/", "http://a:b", "http://%ff/", "http://a%/", "http://[::1/", "http://[]/",
            "http://[%zz]/",
        ]
    )
    func invalid(name: String) {
        #expect(Naming.urls.canonical(name) == nil)
    }

    @Test("Names can be taken as they are")
    func verbatim() {
        #expect(Naming.verbatim.canonical("HTTP://A/%") == "HTTP://A/%")
        #expect(Naming.verbatim.canonical("") == nil)
    }
}
