extension Node {
    /// The first values of any number of nodes of one type, in the order of the list, then the
    /// second ones, and so on.
    ///
    /// An empty list is a programming error (G-85). See ``zip(_:_:buffer:control:)``.
    @inlinable
    public static func zip<Element>(
        _ nodes: [Node<Element>],
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<[Element]> where Value == [Element] {
        zipEach(nodes, buffer: buffer, control: control) { $0 }
    }

    /// `transform` of the first values of any number of nodes of one type, of the second ones, and
    /// so on.
    ///
    /// One array is handed over again and again, changed in place, so that a delivery allocates
    /// nothing unless the caller kept the array of the one before.
    ///
    /// - Parameters:
    ///   - nodes: at least one.
    ///   - buffer: how many values of a node may wait for the others (G-142).
    ///   - control: counts what waits and what is dropped.
    ///   - overflow: what is emitted when the full buffer drops a value, once until the next tuple.
    ///   - transform: is called with the values of a tuple.
    /// - Returns: the new node.
    @inlinable
    public static func zipEach<Element>(
        _ nodes: [Node<Element>],
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil,
        overflow: (() -> Value)? = nil,
        _ transform: @escaping ([Element]) -> Value
    ) -> Node<Value> {
        precondition(!nodes.isEmpty, "zip: at least one node is needed")
        let zip = Zip<Value>(nodes[0].graph, buffer, control, overflow: overflow)
        let inputs = nodes.map { zip.input($0) }
        let row = ZipRow<Element>()
        return zip.start { transform(row.fill(from: inputs)) }
    }
}

/// The array that a zip of a list hands over.
@usableFromInline
final class ZipRow<Element> {
    @usableFromInline var values: [Element] = []
    @usableFromInline var isFilling = false

    @usableFromInline init() {}

    @inlinable
    func fill(from inputs: [ZipInput<Element>]) -> [Element] {
        // The death of an old value may run code that makes this zip emit again.
        guard !values.isEmpty, !isFilling else {
            let made = inputs.map { $0.next() }
            if !isFilling { values = made }
            return made
        }
        isFilling = true
        for (index, input) in inputs.enumerated() {
            let old = exchange(&values[index], with: input.next())
            withExtendedLifetime(old) {}
        }
        isFilling = false
        return values
    }
}
