import ReactiveGraph
import Testing

@Suite("Children and relatives of a name")
struct RelativesTests {
    let graph = Graph()

    @Test(
        "G-161: a child is below the name, and is not interpreted",
        arguments: [
            ("https://example.org/users", "7", "https://example.org/users/7"),
            ("https://example.org/users/", "7", "https://example.org/users/7"),
            ("https://example.org/users", "/7", "https://example.org/users/7"),
            ("https://example.org", "7/name", "https://example.org/7/name"),
            ("https://example.org/users?page=1", "7", "https://example.org/users/7?page=1"),
            ("https://example.org/users", "a b?c#d%e", "https://example.org/users/a%20b%3Fc%23d%25e"),
            ("https://example.org/users", "//x", "https://example.org/users//x"),
            ("/users", "7", "/users/7"), ("users", "7", "users/7"), ("users", "7?x", "users/7?x"),
        ]
    )
    func children(_ name: String, _ child: String, _ expected: String) {
        let registry = Registry(graph: graph)
        let parent = registry.node(name, as: Int.self)
        let node = parent.child(child, as: Int.self)
        #expect(node.name == expected)
        #expect(registry.node(expected, as: Int.self) === node && parent.child(child, as: Int.self) === node)
    }

    /// The examples of RFC 3986, section 5.4.1, that have a path or a host, and the abnormal ones
    /// of 5.4.2.
    @Test(
        "G-161: a relative is resolved as a link on a page of the name",
        arguments: [
            ("g", "a://h/b/c/g"), ("./g", "a://h/b/c/g"), ("g/", "a://h/b/c/g/"), ("/g", "a://h/g"),
            ("//g", "a://g/"), ("?y", "a://h/b/c/d;p?y"), ("g?y", "a://h/b/c/g?y"), ("#s", "a://h/b/c/d;p?q"),
            ("g#s", "a://h/b/c/g"), (";x", "a://h/b/c/;x"), ("", "a://h/b/c/d;p?q"), (".", "a://h/b/c/"),
            ("./", "a://h/b/c/"), ("..", "a://h/b/"), ("../", "a://h/b/"), ("../g", "a://h/b/g"),
            ("../..", "a://h/"), ("../../g", "a://h/g"), ("../../../g", "a://h/g"), ("/./g", "a://h/g"),
            ("/../g", "a://h/g"), ("..g", "a://h/b/c/..g"), ("./../g", "a://h/b/g"),
            ("g;x=1/../y", "a://h/b/c/y"),
            ("g?y/../x", "a://h/b/c/g?y/../x"), ("http://x", "http://x/"), ("%67", "a://h/b/c/g"),
        ]
    )
    func relatives(_ reference: String, _ expected: String) {
        let registry = Registry(graph: graph)
        let base = registry.node("a://h/b/c/d;p?q", as: Int.self)
        let node = base.relative(reference, as: Int.self)
        #expect(node.name == expected && registry.node(expected, as: Int.self) === node)
    }

    @Test(
        "G-161: a query parameter is set in place of all its values, or taken out; the order is that of names",
        arguments: [
            ("https://e.org/a", "page", "2", "https://e.org/a?page=2"),
            ("https://e.org/a?z=1&page=1&b", "page", "2", "https://e.org/a?b&page=2&z=1"),
            ("https://e.org/a?page=1&x=2&x=1&p%61ge=3", "page", nil, "https://e.org/a?x=2&x=1"),
            ("https://e.org/a?page=1", "page", nil, "https://e.org/a"),
            ("https://e.org/a", "page", nil, "https://e.org/a"),
            ("https://e.org/a", "ä &=?", "+ é/", "https://e.org/a?%C3%A4%20%26%3D%3F=%2B%20%C3%A9%2F"),
            ("https://e.org/a", "page", "", "https://e.org/a?page="),
            ("/users", "page", "2", "/users?page=2"), ("users?b=1", "a", "1", "users?a=1&b=1"),
        ] as [(String, String, String?, String)]
    )
    func parameters(_ name: String, _ parameter: String, _ value: String?, _ expected: String) {
        let registry = Registry(graph: graph)
        let node = registry.node(name, as: Int.self).withParameter(parameter, value, as: Int.self)
        #expect(node.name == expected && registry.node(expected, as: Int.self) === node)
    }

    @Test("G-161: parameters set in another order give the same node")
    func parameterOrder() {
        let registry = Registry(graph: graph)
        let users = registry.node("https://e.org/users", as: Int.self)
        let first = users.withParameter("b", "1", as: Int.self).withParameter("a", "2", as: Int.self)
        let second = users.withParameter("a", "2", as: Int.self).withParameter("b", "1", as: Int.self)
        #expect(first === second && first.name == "https://e.org/users?a=2&b=1")
        #expect(graph.mutable(1).withParameter("a", "1", as: Int.self).latestError is InvalidName)
    }

    @Test(
        "G-161: names that are no URLs have paths, too",
        arguments: [
            ("/users/7/", "../8", "/users/8"), ("/users/7", "8", "/users/8"), ("users/7", "../8", "8"),
            ("users/7", "./8", "users/8"), ("users", "8", "8"), ("/a/b", "..", "/"), ("a/b/c", "..", "a/"),
            ("/a", "?x", "/a?x"),
        ]
    )
    func paths(_ name: String, _ reference: String, _ expected: String) {
        let registry = Registry(graph: graph)
        #expect(registry.node(name, as: Int.self).relative(reference, as: Int.self).name == expected)
    }

    @Test(
        "G-161, G-127: a child that would not be below, a broken name and a node without a name give an error"
    )
    func invalid() {
        let registry = Registry(graph: graph)
        let node = registry.node("https://example.org/a", as: Int.self)
        for path in ["..", ".", "b/../c", "b\u{7}"] {
            let child = node.child(path, as: Int.self)
            #expect(child.latestError is InvalidName && node.child(path, as: Int.self) !== child)
        }
        #expect(node.relative("a b", as: Int.self).latestError is InvalidName)
        #expect(graph.mutable(1).child("7", as: Int.self).latestError is InvalidName)
        #expect(graph.mutable(1).relative("https://example.org/", as: Int.self).latestError is InvalidName)
        #expect(registry.count == 1)
    }
}
