import HTTP
import Support
import Testing

@Suite("Router finds routes by method and path")
struct RouterTests {
    private let router: Router = {
        var router = Router()
        router.add(.get, "/", Route(rawValue: 1))
        router.add(.get, "/v1/graphs", Route(rawValue: 2))
        router.add(.get, "/v1/graphs/{g}", Route(rawValue: 3))
        router.add(.get, "/v1/graphs/{g}/nodes/{n}", Route(rawValue: 4))
        router.add(.post, "/v1/graphs/{g}/nodes/{n}", Route(rawValue: 5))
        router.add(.put, "/v1/graphs/{g}/nodes/{n}", Route(rawValue: 5))
        router.add(.delete, "/v1/graphs/{g}/nodes/{n}/value", Route(rawValue: 6))
        router.add(.delete, "/v1/connections/{c:any}", Route(rawValue: 7))
        router.add(.post, "/v1/session", Route(rawValue: 8))
        return router
    }()

    private func match(_ method: Method, _ path: String) -> String {
        Array(path.utf8).withBorrowedBytes {
            switch router.match(method, $0) {
            case .found(let route, let captures):
                "\(route.rawValue)" + (0..<captures.count).map { " \(captures[$0].text)" }.joined()
            case .notFound: "404"
            case .methodNotAllowed(let allow): "405 \(allow)"
            case .options(let allow): "204 \(allow)"
            }
        }
    }

    @Test(
        "paths",
        arguments: [
            (Method.get, "/", "1"), (.get, "/v1/graphs", "2"), (.get, "/v1/graphs/house", "3 house"),
            (.get, "/v1/graphs/a.b-c_9/nodes/x", "4 a.b-c_9 x"), (.post, "/v1/graphs/g/nodes/n", "5 g n"),
            (.delete, "/v1/graphs/g/nodes/n/value", "6 g n"), (.delete, "/v1/connections/c:7", "7 c:7"),
            (.head, "/v1/graphs", "2"), (.get, "", "404"), (.get, "v1", "404"), (.get, "/v1", "404"),
            (.get, "/v1/", "404"), (.get, "/v1/graphs/", "404"), (.get, "/v1/graphs/g/", "404"),
            (.get, "//v1/graphs", "404"), (.get, "/v1//graphs", "404"), (.get, "/v1/graphs/.x", "404"),
            (.get, "/v1/graphs/-x", "404"), (.get, "/v1/graphs/a%2Fb", "404"),
            (.get, "/v1/graphs/a b", "404"),
            (.get, "/v1/graphs/ä", "404"), (.get, "/v1/graph", "404"), (.get, "/v1/graphsx", "404"),
            (.delete, "/v1/connections/", "404"), (.get, "/V1/graphs", "404"),
            (.get, "/v1/graphs/..", "404"), (.get, "/v1/graphs/g/nodes/..", "404"),
        ]
    )
    func paths(method: Method, path: String, expected: String) {
        #expect(match(method, path) == expected)
    }

    @Test("names have at most 128 bytes")
    func longNames() {
        let name = String(repeating: "n", count: 128)
        #expect(match(.get, "/v1/graphs/\(name)") == "3 \(name)")
        #expect(match(.get, "/v1/graphs/\(name)n") == "404")
    }

    @Test("a known path with another method is 405 and says what is allowed")
    func otherMethods() {
        #expect(match(.patch, "/v1/graphs/g/nodes/n") == "405 GET, HEAD, POST, PUT, OPTIONS")
        #expect(match(.get, "/v1/session") == "405 POST, OPTIONS")
        #expect(match(.head, "/v1/session") == "405 POST, OPTIONS")
        #expect(match(Method(rawValue: 12), "/v1/graphs") == "405 GET, HEAD, OPTIONS")
        #expect(match(.options, "/v1/graphs/g/nodes/n/value") == "204 DELETE, OPTIONS")
        #expect(match(.options, "/nowhere") == "404")
        #expect(match(.options, "*") == "204 GET, HEAD, POST, PUT, DELETE, OPTIONS")
        #expect(match(.get, "*") == "404")
    }
}
