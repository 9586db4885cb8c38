public import Values

/// Where a value has been before a commit brings it, oldest first: entries `service/graph/node`
///
///
/// The commit's nodes among them are not set again (``Commit/skipPassed()``), and everything that
/// follows from the commit goes on with it.
public struct ValuePath: Sendable {
    /// The most entries, and the most bytes of them, with one more for each.
    public static let longest = 32
    public static let mostBytes = 2_048

    public let entries: [String]
    /// Counts what clients' links make of the value, if one of them leads it.
    package let spread: LinkSpread?

    /// A path that a server has checked before.
    package init(_ entries: [String], spread: LinkSpread? = nil) {
        (self.entries, self.spread) = (entries, spread)
    }

    /// Reads the field `path`: a list of entries.
    ///
    /// - Throws: `bad_field`.
    public init(_ field: JSONReader) throws(HostError) {
        guard field.kind == .array else { throw Self.problem("a list of texts is needed") }
        var entries: [String] = []
        for element in field.elements {
            guard let entry = element.string, Self.isEntry(entry) else {
                throw Self.problem("an entry is service/graph/node")
            }
            entries.append(entry)
        }
        guard Self.fits(entries.count, Self.bytes(of: entries)) else {
            throw Self.problem(
                "at most \(Self.longest) entries with \(Self.mostBytes) bytes in all are allowed"
            )
        }
        self.init(entries)
    }

    static func fits(_ count: Int, _ bytes: Int) -> Bool { count <= longest && bytes <= mostBytes }

    /// The bytes of entries, as they count for the limit.
    static func bytes(of entries: some Sequence<String>) -> Int {
        entries.reduce(0) { $0 + $1.utf8.count + 1 }
    }

    private static func isEntry(_ text: String) -> Bool {
        if text.utf8.first == PathNames.opaque { return true }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { !$0.isEmpty }
    }

    private static func problem(_ text: String) -> HostError {
        var error = HostError(.badField, "path: \(text)")
        error.hint = "send the path that came with the value, as it came"
        return error
    }
}

extension Commit {
    /// Takes out the nodes that its path has passed: the value has come from them.
    ///
    /// What is left is ``isVoid`` if all have been passed. Call it when the nodes are complete.
    public mutating func skipPassed() {
        guard let path else { return }
        let passed = (comingNodes + clear).filter(PathNames(of: graph).passed(by: path))
        guard !passed.isEmpty else { return }
        let numbers = Set(passed.map(ObjectIdentifier.init))
        var left = Assignments()
        set.forEach { if !numbers.contains(ObjectIdentifier($0.node)) { left.append($0) } }
        set = left
        clear.removeAll { numbers.contains(ObjectIdentifier($0)) }
        if var transaction {
            transaction.leave(numbers, set, clear)
            self.transaction = transaction
        }
        skipped = passed.map(\.name)
    }
}
