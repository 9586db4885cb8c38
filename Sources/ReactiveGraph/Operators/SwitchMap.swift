extension Node {
    /// Sends what `function` makes of each value to the node of the key that it gives (G-90).
    ///
    /// See ``switch(maxKeys:releasesUnused:by:)``.
    ///
    /// Example: `messages.switchMap { ($0.topic, $0.text) }.case("news")` holds the text of the
    /// latest news.
    @inlinable
    public func switchMap<Key: Hashable, Mapped>(
        maxKeys: KeyLimit = .unlimited,
        releasesUnused: Bool = false,
        _ function: @escaping (Value) -> (Key?, Mapped)
    ) -> Node<Switched<Key, Mapped>> {
        maxKeys.require()
        let table = SwitchTable<Key, Mapped>(maxKeys, releasesUnused: releasesUnused)
        let edge = Edge("SwitchMap") { edge in
            guard case .value(let value) = edge.input(Value.self) else { return table.sendEmpty(edge) }
            let (key, mapped) = function(value)
            return table.send(key, mapped, edge)
        }
        table.own(edge)
        return derive(edge)
    }
}
