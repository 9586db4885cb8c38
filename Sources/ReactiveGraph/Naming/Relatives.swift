internal import Support

extension AnyNode {
    /// The node of a name below this node's name, in the same registry (G-161).
    ///
    /// `path` is joined with a slash to the path of the name. It is not interpreted: in a URL, what
    /// would begin a query or a fragment is escaped. It may have several segments, but none that is
    /// `.` or `..`; those make the name invalid.
    ///
    /// ```swift
    /// let users = registry.node("https://example.org/users", as: [String].self)
    /// let ada = users.child("7", as: String.self)
    /// ada.writable().set("Ada")
    /// print(ada)  // prints https://example.org/users/7: Ada
    /// ```
    ///
    /// - Returns: as ``Registry/node(_:as:retention:)``. Of a node without a name: a node that
    ///   belongs to no registry and has an error, as for an invalid name (G-127).
    ///   ``Node/writable()`` sets it.
    public final func child<Value>(_ path: String, as type: Value.Type) -> Node<Value> {
        node(RelativeName(of: core.registration?.key ?? "").child(path), type)
    }

    /// The node of a name that is given relative to this node's name, in the same registry (G-161).
    ///
    /// `reference` is resolved as a link on a page of that name (RFC 3986, section 5.2): `../8`,
    /// `?page=2`, `/users`, or a whole URL. A last segment counts as a page: relative to
    /// `/users/7`, `8` is `/users/8`, and `../8` is `/8`.
    ///
    /// ```swift
    /// print(ada.relative("8?full", as: String.self))  // prints https://example.org/users/8?full: empty
    /// ```
    ///
    /// - Returns: as ``child(_:as:)``.
    public final func relative<Value>(_ reference: String, as type: Value.Type) -> Node<Value> {
        node(RelativeName(of: core.registration?.key ?? "").resolving(reference), type)
    }

    /// The node of this node's name with another query parameter, in the same registry (G-161).
    ///
    /// The parameters of the result are in the order of their names, so the order of several such
    /// calls does not matter.
    ///
    /// ```swift
    /// let page = users.withParameter("page", "2", as: [String].self)
    /// print(page.withParameter("page", nil, as: [String].self) === users)  // prints true
    /// ```
    ///
    /// - Parameters:
    ///   - parameter: the name of the parameter, any text.
    ///   - value: what it is set to, in place of all values that it has; `nil`: without it.
    ///   - type: what the node holds.
    /// - Returns: as ``child(_:as:)``.
    public final func withParameter<Value>(
        _ parameter: String,
        _ value: String?,
        as type: Value.Type
    ) -> Node<Value> {
        node(RelativeName(of: core.registration?.key ?? "").setting(parameter, value), type)
    }

    private func node<Value>(_ name: String?, _ type: Value.Type) -> Node<Value> {
        guard let name, let registry = core.registration?.registry else {
            return graph.invalid(name ?? "", type)
        }
        return registry.node(name, as: type)
    }
}

/// A name taken apart, to make other names from it.
struct RelativeName {
    /// Scheme and authority of a URL; empty for any other name.
    private let root: Substring
    private let path: Substring
    /// With its question mark; empty if there is none.
    private let query: Substring

    init(of name: String) {
        var rest = name[...]
        root = Self.root(of: rest)
        rest = rest[root.endIndex...]
        let question = rest.firstIndex(of: "?") ?? rest.endIndex
        path = rest[..<question]
        query = rest[question...]
    }

    /// The name with `child` at the end of its path; `nil` if the path would not lead below the
    /// name.
    func child(_ child: String) -> String? {
        let segments = child.split(separator: "/", omittingEmptySubsequences: false)
        // An escaped dot is a dot (RFC 3986, section 2.3).
        guard !segments.contains(where: { $0 == "." || $0 == ".." }) else { return nil }
        let joint = path.hasSuffix("/") || child.hasPrefix("/") ? "" : "/"
        return "\(root)\(path)\(joint)\(root.isEmpty ? child : Self.escaped(child))\(query)"
    }

    /// What `reference` means on a page of this name.
    func resolving(_ reference: String) -> String {
        let reference = reference.prefix { $0 != "#" }
        guard Self.root(of: reference).isEmpty else { return String(reference) }
        if reference.hasPrefix("//"), let colon = root.firstIndex(of: ":") {
            return "\(root[...colon])\(reference)"
        }
        let question = reference.firstIndex(of: "?") ?? reference.endIndex
        let (way, asked) = (reference[..<question], reference[question...])
        if way.isEmpty { return "\(root)\(path)\(asked.isEmpty ? query : asked)" }
        if way.hasPrefix("/") { return "\(root)\(Self.withoutDots(way))\(asked)" }
        let folder = path.prefix(
            upTo: path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        )
        return "\(root)\(Self.withoutDots(folder + way))\(asked)"
    }

    /// The name with that query parameter, or without it, and all parameters in the order of their
    /// names; `nil` if this node has no name.
    func setting(_ parameter: String, _ value: String?) -> String? {
        guard !root.isEmpty || !path.isEmpty else { return nil }
        let name = PercentEncoding.encoded(parameter)
        var parameters: [(name: Substring, text: Substring)] = []
        for text in query.dropFirst().split(separator: "&") {
            let own = text.prefix { $0 != "=" }
            if PercentEncoding.decoded(own.utf8) != Array(parameter.utf8) { parameters.append((own, text)) }
        }
        if let value { parameters.append((name[...], "\(name)=\(PercentEncoding.encoded(value))")) }
        // Stable: values of one name keep their order.
        let sorted = parameters.enumerated().sorted {
            ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
        }
        let text = sorted.map(\.element.text).joined(separator: "&")
        return "\(root)\(path)\(text.isEmpty ? "" : "?")\(text)"
    }

    /// `scheme://authority` at the beginning of a name; empty if it is not a URL.
    private static func root(of name: Substring) -> Substring {
        var at = name.startIndex
        while at < name.endIndex, name[at].isLetter || name[at].isNumber || "+-.".contains(name[at]) {
            at = name.index(after: at)
        }
        guard at > name.startIndex, name[at...].hasPrefix("://") else { return name[..<name.startIndex] }
        let authority = name[name.index(at, offsetBy: 3)...]
        return name[..<(authority.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? name.endIndex)]
    }

    /// RFC 3986, section 5.2.4; a path that did not begin with a slash does not do so afterwards.
    static func withoutDots(_ path: Substring) -> String {
        let isAbsolute = path.hasPrefix("/")
        let segments = path.dropFirst(isAbsolute ? 1 : 0).split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        var kept: [Substring] = []
        for segment in segments {
            if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
        }
        // A path that ended in a dot segment names the folder.
        if let last = segments.last, last == "." || last == "..", isAbsolute || !kept.isEmpty {
            kept.append("")
        }
        return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
    }

    /// What would end the path, or be taken for an escape, is escaped.
    private static func escaped(_ path: String) -> String {
        var result = ""
        for scalar in path.unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "?": result += "%3F"
            case "#": result += "%23"
            case " ": result += "%20"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
