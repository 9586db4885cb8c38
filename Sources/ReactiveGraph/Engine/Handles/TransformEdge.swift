/// An edge from a node to a node, for edges of one's own and for a look at those of operators (G-18
/// … G-32).
///
/// `from` and `to` may be set and unset in any order, any number of times. Whenever an edge gets
/// complete and the source holds a value, it is fed that value once. The target holds the edge, the
/// edge holds its source; an edge without target belongs to its holder.
///
/// ```swift
/// final class Halves: TransformEdge<Int, Int> {
///     override func receive(_ value: Int, _ delivery: Delivery) {
///         if value.isMultiple(of: 2) { send(value / 2) }
///     }
/// }
///
/// let graph = Graph()
/// let numbers = graph.mutable(8)
/// let halves = graph.node(of: Int.self)
/// let link = halves.link(to: numbers, via: Halves())
/// ```
open class TransformEdge<In, Out>: AnyEdge {
    /// What the running `receive` has stored: the engine goes on with it.
    private var outcome = Outcome.nothing
    /// The graph's depth while `receive` runs, −1 otherwise.
    private var receivingDepth = -1

    /// An edge without ends, whose function is ``receive(_:_:)``.
    public init(name: String = "Link") {
        super.init(
            core: Edge(name, .wantsPath) { edge in
                // The target holds it.
                guard let user = edge.side?.user else { return .nothing }
                return unsafe unsafeDowncast(user, to: TransformEdge<In, Out>.self).run(edge)
            }
        )
    }

    /// An edge without ends that emits `transform` of each value.
    public init(name: String = "Map", _ transform: @escaping (In) -> Out) {
        super.init(
            core: Edge(name) { edge in
                guard case .value(let value) = edge.input(In.self) else {
                    return edge.forwardEmpty(to: Out.self)
                }
                return edge.store(transform(value))
            }
        )
    }

    /// An edge without ends whose function says what happens on each value, and when the source
    /// becomes empty.
    ///
    /// `nil` means that nothing happens; what is emitted keeps path and context. A source that is
    /// empty at connection causes no call (G-22).
    public init(
        name: String = "Link",
        emissions function: @escaping (Emission<In>, Context?) -> Emission<Out>?
    ) {
        super.init(
            core: Edge(name) { edge in
                let context = edge.source?.with { $0.engine.currentContext }
                guard let out = function(edge.input(In.self), context) else { return .nothing }
                return edge.store(emission: out)
            }
        )
    }

    init(wrapping edge: Edge) {
        super.init(core: edge)
    }

    /// The source: set, change or unset it at any time.
    public final var from: Node<In>? {
        get {
            core.source.map { _ in core.source(as: In.self).with { $0.heldTypedNode } }
        }
        set { aim(from: newValue) }
    }

    /// The target: set, change or unset it at any time.
    public final var to: Node<Out>? {
        get { core.target(as: Out.self)?.with { $0.node as? Node<Out> } }
        set { aim(to: newValue) }
    }

    override func setSource(_ node: AnyNode?) { from = typed(node, "source") }

    override func setTarget(_ node: AnyNode?) { to = typed(node, "target") }

    /// Called with each value.
    ///
    /// Override it, and call ``send(_:)`` with what is to go on.
    ///
    /// The default passes values on unchanged, if they are of the target's type.
    open func receive(_ value: In, _ delivery: Delivery) {
        if let same = value as? Out { send(same) }
    }

    /// Called when the source became empty (G-13).
    ///
    /// The default does nothing, or hands the emptiness on where
    /// that was asked for (G-145).
    open func becameEmpty(_ delivery: Delivery) {
        if propagatesEmpty { send(emission: .empty) }
    }

    /// Emits to the target.
    ///
    /// From inside ``receive(_:_:)`` path and context go on unchanged; from elsewhere it is a
    /// set with an empty path.
    public final func send(_ value: Out) {
        send(emission: .value(value))
    }

    /// Emits a value or emptiness to the target.
    public final func send(emission: Emission<Out>) {
        guard let target = core.target(as: Out.self), core.traits.contains(.complete) else { return }
        let engine = target.with { $0.graph.engine }
        guard receivingDepth >= 0, receivingDepth == engine.stack.depth else {
            target.object.inject(emission, trail: nil, context: nil)
            return
        }
        goOn()
        if let target = core.target(as: Out.self) {
            outcome = target.with { $0.accept(emission: emission) }
        }
    }

    /// Emits later what was received earlier, with the path and context it came with.
    public final func send(_ emission: Emission<Out>, path: Path, context: Context?) {
        guard core.traits.contains(.complete), let target = to else { return }
        target.inject(emission, trail: Trail(path), context: context)
    }

    /// Serves what an earlier `send` of the same call stored, before the next one.
    private func goOn() {
        guard outcome != .nothing, let target = core.target else { return }
        let engine = target.with { $0.graph.engine }
        let pending = outcome
        outcome = .nothing
        let floor = engine.stack.depth
        engine.follow(pending, of: .to(core))
        engine.run(to: floor)
    }

    private func run(_ edge: Edge) -> Outcome {
        guard let source = edge.source else { return .nothing }
        let graph = source.with { $0.graph }
        let saved = (outcome, receivingDepth)
        outcome = .nothing
        receivingDepth = graph.engine.stack.depth
        let delivery = Delivery(of: edge)
        switch edge.input(In.self) {
        case .value(let value): receive(value, delivery)
        case .empty: becameEmpty(delivery)
        }
        let result = outcome
        (outcome, receivingDepth) = saved
        return result
    }
}
