extension Node {
    /// The values that a predicate accepts which may throw (G-99).
    ///
    /// What it throws goes to the graph's ``Graph/onError``; that value is not emitted, and other
    /// branches are served. Without `onError`, debug builds print the first error, with `file` and
    /// `line`.
    @inlinable
    public func tryFilter(
        file: String = #fileID,
        line: Int = #line,
        _ isIncluded: @escaping (Value) throws -> Bool
    ) -> Node<Value> {
        apply(
            TryMap(name: "Filter", operation: "tryFilter", file: file, line: line) { value in
                try isIncluded(value) ? .some(value) : .none
            }
        )
    }
}
