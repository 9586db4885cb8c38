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
        source.graph.feed(core, from: source, emission, path, context)
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
        source.graph.feed(self, from: source, emission, path, context)
    }
}

extension Graph {
    /// Runs the body of a complete edge with `emission` in the place of what the source holds.
    func feed<In>(
        _ edge: Edge,
        from source: Node<In>,
        _ emission: Emission<In>,
        _ path: Path,
        _ context: Context?
    ) {
        checkThread("feed")
        guard edge.traits.contains(.complete), !stopping else { return }
        let trail = path == .empty ? nil : Trail(path)
        let saved = beginTurn(trail: trail, context: context)
        if edge.target.map({ !mustSkip($0) }) ?? true {
            pushWithoutNode(extras: 0)
            let stores = source.stores
            let kept = exchange(&source.stored, with: emission)
            let outcome = edge.body(edge)
            // A set by the function itself is the source's own.
            if source.stores == stores { overwrite(&source.stored, with: kept) }
            follow(outcome, of: .passUnretained(edge))
            run(to: base)
        }
        endTurn(saved)
        withExtendedLifetime((self, edge, trail, context)) {}
    }
}
