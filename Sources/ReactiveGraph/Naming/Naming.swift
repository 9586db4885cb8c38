/// Which names a registry takes, and which of them mean the same node (G-127).
public struct Naming {
    /// The canonical form of a name, `nil` if it is invalid.
    public let canonical: (String) -> String?

    /// A naming of one's own.
    public init(canonical: @escaping (String) -> String?) {
        self.canonical = canonical
    }

    /// Every name as it is; empty names and those with control characters are invalid.
    public static var verbatim: Naming {
        Naming { isPlain($0) ? $0 : nil }
    }

    /// Names with `://` are compared as URLs, all others as they are.
    ///
    /// Scheme, path and query make the name. Scheme and host are taken in lower case, a default
    /// port, `.` and `..` go, `%7e` is `~`, and the fragment, which never reaches a server, is left
    /// out. A broken escape, a space, or a URL without host is invalid.
    public static var urls: Naming {
        Naming { name in
            guard isPlain(name) else { return nil }
            return name.contains("://") ? CanonicalURL(name)?.text : name
        }
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}
