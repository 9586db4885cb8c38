/// Ends a link or a listen, or runs a closure once.
///
/// It holds neither node, listener nor closure of the connection it ends, and dropping it does
/// **not** cancel (G-30, G-60). To end things with the life of an object, use a ``CancellableBag``.
public final class CancelToken: Cancellable {
    private var edge: EdgeRef?
    private var action: (() -> Void)?
    private var parts: [CancelToken] = []

    /// A token that runs `action` at most once, and then drops it (G-65).
    public init(_ action: @escaping () -> Void) {
        self.action = action
    }

    init(parts: [CancelToken]) {
        self.parts = parts
    }

    /// The edge holds its token, which so lives until the edge has ended: a token that is dropped,
    /// on whatever thread, touches nothing of the graph.
    init(edge: Edge) {
        self.edge = .to(edge)
        edge.token?.edgeEnded()
        edge.token = self
    }

    /// Whether there is still something to end.
    public var isActive: Bool {
        edge != nil || action != nil || parts.contains(where: \.isActive)
    }

    /// The edges that it ends: one of a link, two of a sync; none of a listen or a closure, or once
    /// they have ended.
    ///
    /// A program that keeps an edge keeps its source alive. The token itself holds neither.
    public var edges: [AnyEdge] {
        guard let edge else { return parts.flatMap(\.edges) }
        return edge.with { $0.publicEdge().map { [$0] } ?? [] }
    }

    /// Ends the connection: both ends are unset at once, values stay.
    ///
    /// Idempotent.
    public func cancel() {
        if let edge {
            edge.with { $0.cut() }
        } else if let action {
            self.action = nil
            action()
        } else {
            for part in parts { part.cancel() }
        }
    }

    func edgeEnded() {
        edge = nil
    }

    /// The handle of the graph of what it ends, if that has an executor.
    var home: GraphHandle? {
        guard let edge else { return parts.first?.home }
        return edge.with { $0.graph?.ownHandle }
    }
}
