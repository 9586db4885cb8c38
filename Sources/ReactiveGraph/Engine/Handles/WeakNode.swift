/// An object that is not held.
public struct Weak<Object: AnyObject> {
    /// The object; `nil` once it is gone.
    public private(set) weak var object: Object?

    /// Refers to `object` without holding it.
    public init(_ object: Object) {
        self.object = object
    }
}

extension Weak: CustomStringConvertible {
    /// The object's description, or `gone`.
    public var description: String {
        if let object { "\(object)" } else { "gone" }
    }
}

/// A node that does not hold its value: it is empty again once the object is gone (G-148).
///
/// For values that refer back to what keeps the node; an ordinary node would hold them, and they
/// it.
///
/// The death of an arbitrary object causes no notification. It is noticed at a look at ``object``
/// or ``AnyNode/isEmpty``, when something connects to this node, and at ``Graph/collect()``; then
/// the node is cleared, and listeners of emptiness receive that. What is delivered is a ``Weak``:
/// operators on this node hold the object no more than it does.
///
/// Example: `graph.weak(document).map { $0.object?.title }`.
public final class WeakNode<Object: AnyObject>: Node<Weak<Object>> {
    init(_ graph: Graph, _ object: Object?) {
        super.init(WeakCore(graph: graph, Emission(object.map { Weak($0) })))
        graph.mortals[id] = ref
    }

    /// Yes.
    public override var isMutable: Bool { true }

    /// The object, while it lives.
    public var object: Object? {
        core.notice()
        return stored.value?.object
    }

    /// Stores a reference to `object`, and delivers it downstream.
    public func set(_ object: Object, context: Context? = nil) {
        setDirectly(.value(Weak(object)), context: context)
    }

    /// Makes the node empty.
    public func clear(context: Context? = nil) {
        setDirectly(.empty, context: context)
    }
}

/// What the graph knows of a ``WeakNode``.
private final class WeakCore<Object: AnyObject>: Core<Weak<Object>> {
    /// Whether nothing is stored, or the object is gone.
    override var isEmpty: Bool {
        notice()
        return super.isEmpty
    }

    override func notice() {
        // In a pass its edges see what the pass is about; it is noticed later.
        guard pass < 0, case .value(let reference) = stored, reference.object == nil else { return }
        setDirectly(.empty)
    }
}

extension Graph {
    /// A node that refers to `object` without holding it (G-148).
    public func weak<Object: AnyObject>(_ object: Object) -> WeakNode<Object> {
        WeakNode(self, object)
    }

    /// An empty node for an object that is not to be held.
    public func weak<Object: AnyObject>(of type: Object.Type) -> WeakNode<Object> {
        WeakNode(self, nil)
    }

    /// Clears the nodes whose objects are gone.
    func noticeDeaths() {
        guard !mortals.isEmpty else { return }
        // A snapshot, which holds them: a listener of the clear may free others.
        let nodes = mortals.sorted { $0.key < $1.key }.map { $0.value.object }
        for node in nodes { node.notice() }
    }
}
