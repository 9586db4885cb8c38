/// What a switched node holds: the key of the latest value, and the inner node that the values of
/// this key go to (G-90).
public struct Switched<Key: Hashable, Mapped> {
    /// The key, `nil` for the nil key.
    public let key: Key?
    /// The node that holds the latest value of this key.
    public let node: Node<Mapped>

    /// A pair of one's own, for a node that a ``Node/case(_:)`` is to follow.
    public init(key: Key?, node: Node<Mapped>) {
        self.key = key
        self.node = node
    }
}

extension Switched: NodeKeeping {
    func forEachKeptNode(_ visit: (AnyNode) -> Void) { visit(node) }
}

extension Switched: NodeReference {
    func write(to writer: inout StateWriter) {
        writer.write(key) { $0.write(value: $1) }
        writer.write(node: node)
    }

    static func read(from reader: inout StateReader) throws -> Switched {
        let key: Key? = try reader.optional { try $0.value() }
        guard let node = try reader.node() as? Node<Mapped> else { throw StateError.malformed }
        return Switched(key: key, node: node)
    }
}

extension Node {
    /// Sends each value to a node of its own key (G-90).
    ///
    /// The new node emits a pair, the key and the inner node of that key; then the inner node is
    /// set to the value, with the same context and a path that goes through the new node. The inner
    /// nodes are followed by ``case(_:)``, ``defaultCase()`` and ``otherwise(excluding:)``. `nil`
    /// is a key of its own.
    ///
    /// An inner node is made when its key is first met, and kept for the life of the edge or until
    /// its `from` is set to a different node. Where emptiness travels (G-145), an empty source
    /// makes the new node empty, and then the inner node of the latest key.
    ///
    /// Example: `numbers.switch { $0.isMultiple(of: 2) ? "even" : "odd" }.case("odd")` holds the
    /// latest odd number.
    ///
    /// - Parameters:
    ///   - maxKeys: how many inner nodes to keep (G-143).
    ///   - releasesUnused: whether an inner node without a follower is released once another key is
    ///     current; a case
    ///     made later is then empty until its key occurs.
    ///   - key: gives the key of a value.
    /// - Returns: the switched node.
    @inlinable
    public func `switch`<Key: Hashable>(
        maxKeys: KeyLimit = .unlimited,
        releasesUnused: Bool = false,
        by key: @escaping (Value) -> Key?
    ) -> Node<Switched<Key, Value>> {
        switchMap(maxKeys: maxKeys, releasesUnused: releasesUnused) { (key($0), $0) }
    }
}
