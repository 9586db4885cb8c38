/// What a caller may do (docs/access.md, Tokens).
public struct Rights: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    /// Rights by their bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Read values and subscribe to them.
    public static let read = Rights(rawValue: 1)
    /// Run pipelines on nodes that the caller may read.
    public static let pipe = Rights(rawValue: 2)
    /// Set and clear mutable nodes.
    public static let set = Rights(rawValue: 4)
    /// See nodes, edges and listeners as they come and go.
    public static let observe = Rights(rawValue: 8)
    /// See the counters of the server.
    public static let metrics = Rights(rawValue: 16)
    /// See and end connections.
    public static let admin = Rights(rawValue: 32)

    /// Save and delete dashboards of the server; `admin` implies it.
    public static let dashboards = Rights(rawValue: 64)
    /// Let links set nodes that the caller may set.
    public static let link = Rights(rawValue: 128)

    /// Every right.
    public static let all: Rights = [.read, .pipe, .set, .observe, .metrics, .admin, .dashboards, .link]
    /// The default rights of a token.
    ///
    /// The other rights must be granted by name.
    public static let customary: Rights = [.read, .pipe, .set]

    /// The words for the rights, in files and messages.
    public static let words: [(word: String, right: Rights)] = [
        ("read", .read), ("pipe", .pipe), ("set", .set), ("observe", .observe), ("metrics", .metrics),
        ("admin", .admin), ("dashboards", .dashboards), ("link", .link),
    ]

    /// The right with that word.
    public init?(word: String) {
        guard let right = Rights.words.first(where: { $0.word == word })?.right else { return nil }
        self = right
    }

    /// The words of these rights.
    public var words: [String] { Rights.words.filter { contains($0.right) }.map(\.word) }

    /// The same with commas.
    public var text: String { words.joined(separator: ", ") }
}
