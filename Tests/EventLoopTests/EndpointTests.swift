import EventLoop
import Testing

@Suite("An endpoint")
struct EndpointTests {
    @Test(
        "is read as people write it",
        arguments: [
            ("127.0.0.1:8080", Endpoint.tcp(host: "127.0.0.1", port: 8080)),
            ("[::1]:0", .tcp(host: "::1", port: 0)),
            ("localhost:65535", .tcp(host: "localhost", port: 65535)),
            (":80", .tcp(host: "::", port: 80)),
            ("unix:/run/a b.sock", .unix(path: "/run/a b.sock")),
        ]
    )
    func reads(text: String, endpoint: Endpoint) {
        #expect(Endpoint(text) == endpoint)
        #expect(Endpoint(endpoint.description) == endpoint)
    }

    @Test(
        "is refused otherwise",
        arguments: [
            "", "8080", "localhost", "localhost:", "localhost:65536", "localhost:-1", "localhost:+1",
            "localhost:8O",
            "::1:80", "[::1:80", "[]:80", "[::1]80", "a b:80", "unix:", "unix:a\0b",
            "unix:/" + String(repeating: "x", count: 107),
        ]
    )
    func refuses(text: String) {
        #expect(Endpoint(text) == nil)
    }

    @Test(
        "loopback addresses are recognised",
        arguments: [
            ("127.0.0.1:0", true), ("127.9.9.9:0", true), ("[::1]:0", true), ("0.0.0.0:0", false),
            ("[::]:0", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) throws {
        let listener = try TCPListener(try #require(Endpoint(text)), on: Loop())
        #expect(listener.address.isLoopback == isLoopback)
    }
}
