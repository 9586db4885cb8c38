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
