import Definitions
import Testing

@Suite("Addresses that graphs reach")
struct RemoteURLTests {
    @Test(
        "a URL is taken apart, and shown again",
        arguments: [
            ("http://example.org", "http://example.org/", "example.org", 80),
            ("HTTPS://Example.ORG/a/?b=c", "https://example.org/a/?b=c", "example.org", 443),
            ("http://example.org:8080?x", "http://example.org:8080/?x", "example.org", 8_080),
            ("https://[::1]:443/", "https://[::1]/", "::1", 443),
            ("http://10.0.0.1:80/", "http://10.0.0.1/", "10.0.0.1", 80),
        ]
    )
    func parts(text: String, shown: String, host: String, port: Int) throws {
        let url = try #require(RemoteURL(text))
        #expect(url.description == shown)
        #expect(url.host == host && url.port == port)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "example.org", "ftp://a", "http://", "http:///a", "http://:80/", "http://a:/", "http://a:0/",
            "http://a:65536/", "http://a:-1/", "http://u@a/", "http://u:p@a/", "http://a/#b", "http://a b/",
            "http://a/ b", "http://[::1/", "http://[::1]x/", "http://[a b]/", "http://ä/", "http://a\r\nb/",
            "http://a\\b/", "http://a%2fb/",
        ]
    )
    func refused(text: String) {
        #expect(RemoteURL(text) == nil)
    }
}
