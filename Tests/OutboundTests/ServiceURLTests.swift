import EventLoop
import Outbound
import Testing

@Suite("The address of a server")
struct ServiceURLTests {
    @Test(
        "is read with or without scheme, port and path",
        arguments: [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://example.org", "http://example.org:80"),
            ("https://example.org/a/", "https://example.org:443/a"), ("wss://[::1]:9", "https://[::1]:9"),
            ("unix:/run/sluice.sock", "unix:/run/sluice.sock"),
        ]
    )
    func written(text: String, expected: String) {
        #expect(ServiceURL(text)?.description == expected)
    }

    @Test(
        "is refused where a request could not be sent to it",
        arguments: ["", ":80", "ftp://example.org", "http://", "http://a/b c", "http://a:99999"]
    )
    func refused(text: String) {
        #expect(ServiceURL(text) == nil)
    }

    @Test("of a server on all addresses is loopback")
    func anyAddress() throws {
        let endpoint = try #require(Endpoint("0.0.0.0:81"))
        #expect(ServiceURL(endpoint, isSecure: false).description == "http://127.0.0.1:81")
    }
}
