// Listens whose calls are posted to an executor of the graph's own thread (G-63).
extension EdgeTraits {
    /// Those of a listen for emissions.
    @usableFromInline
    static func emissions(paths: Bool) -> EdgeTraits {
        paths ? [.listener, .receivesEmpty, .wantsPath] : [.listener, .receivesEmpty]
    }
}

extension Edge {
    /// The edge of a listen that hands each emission on with its path, if that is wanted, and
    /// context.
    static func listening<Value>(
        _ traits: EdgeTraits,
        _ isOwned: @escaping () -> Bool,
        _ state: EdgeState,
        _ post: @escaping (Emission<Value>, Path, Context?) -> Void
    ) -> Edge {
        let edge = Edge("Listen", traits) { edge in
            guard isOwned(), let engine = edge.graph?.engine else { return .dead }
            let emission = edge.input(Value.self)
            guard !emission.isEmpty || traits.contains(.receivesEmpty) else { return .nothing }
            let path = traits.contains(.wantsPath) ? engine.currentPath() : .empty
            post(emission, path, engine.currentContext)
            return .nothing
        }
        edge.needSide().state = state
        return edge
    }
}

/// A listen whose calls are posted: what they ask when they are about to run.
///
/// The posts hold it, and it holds nothing once the listen has ended.
@usableFromInline
final class PostedListen<Value>: EdgeState {
    @usableFromInline typealias Body = (Emission<Value>, Delivery) -> Void

    private var body: Body?

    private init(_ body: @escaping Body) {
        self.body = body
    }

    /// A listen edge that posts its calls of `body`.
    @usableFromInline
    static func edge(
        to executor: any LoopExecutor,
        _ traits: EdgeTraits,
        isOwned: @escaping () -> Bool = { true },
        _ body: @escaping Body
    ) -> Edge {
        let listen = PostedListen(body)
        return Edge.listening(traits, isOwned, listen) { emission, path, context in
            executor.post { listen.body?(emission, Delivery(path: path, context: context)) }
        }
    }

    /// A listen edge that posts its calls of `body`, until `owner` is gone.
    @usableFromInline
    static func edge<Owner: AnyObject>(
        to executor: any LoopExecutor,
        _ traits: EdgeTraits,
        _ owner: Owner,
        _ body: @escaping (Owner, Emission<Value>, Delivery) -> Void
    ) -> Edge {
        edge(to: executor, traits, isOwned: { [weak owner] in owner != nil }) {
            [weak owner] emission, delivery in
            if let owner { body(owner, emission, delivery) }
        }
    }

    /// The listen has ended: what the closure holds goes when the outermost turn ends (G-66a).
    @usableFromInline
    override func detach() -> AnyObject? {
        guard let ended = exchange(&body, with: nil) else { return nil }
        return Remains(ended)
    }
}
