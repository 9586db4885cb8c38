// An edge is a receiver, as a node is (G-19): what its source did not emit can be handed to it.
extension TransformEdge {
    /// Feeds the edge a value that its source did not emit, as a turn of its own.
    ///
    /// The edge does with it what it does with a value of its source, and its state moves on. The
    /// source keeps what it holds; it shows the value that is fed only while the function of the
    /// edge runs. An edge without both ends delivers nothing (G-20).
    ///
    /// - Parameters:
    ///   - value: what is handed to the edge.
    ///   - path: where the value has been: a target among these nodes is not set (G-41).
    ///   - context: goes on unchanged (G-45).
    public final func feed(_ value: In, path: Path = .empty, context: Context? = nil) {
        feed(emission: .value(value), path: path, context: context)
    }

    /// Feeds the edge a value or emptiness that its source did not emit, as
    /// ``feed(_:path:context:)`` does.
    public final func feed(emission: Emission<In>, path: Path = .empty, context: Context? = nil) {
        guard let source = from else { return }
        source.graph.checkThread("feed")
        source.graph.engine.feed(core, from: source, emission, path, context)
    }
}

extension ListenEdge {
    /// Feeds the listen a value that its node did not emit, as
    /// ``TransformEdge/feed(_:path:context:)`` does.
    public final func feed(_ value: Value, path: Path = .empty, context: Context? = nil) {
        feed(emission: .value(value), path: path, context: context)
    }

    /// Feeds the listen a value or emptiness that its node did not emit.
    public final func feed(emission: Emission<Value>, path: Path = .empty, context: Context? = nil) {
        guard let source = from else { return }
        source.graph.checkThread("feed")
        source.graph.engine.feed(self, from: source, emission, path, context)
    }
}
