public import Observation
public import ReactiveGraph

/// A node as an observable object: views of SwiftUI, and `withObservationTracking`, follow its
/// value.
///
/// ```swift
/// let shown = ObservedNode(price.map { "\($0) €" })
/// withObservationTracking {
///     print(shown.value ?? "no price")  // prints 10 €
/// } onChange: {
///     print("draw again")
/// }
/// price.set(12)  // prints draw again
/// print(shown.value ?? "no price")  // prints 12 €
/// ```
/// The object holds the node, and so everything above it, for as long as the object lives: it is
/// one of the node's listeners. It changes once for each emission, also for a value equal to the
/// last: `distinct()` spares views that.
///
/// It belongs to the home of its graph (G-108), and its observers are called there. For views that
/// is the main actor. Where a graph has an executor, the object may lose its last reference on any
/// thread (G-165).
public class ObservedNode<Value>: Observable {
    /// The node that is shown.
    public final let node: Node<Value>
    private final var shown: Emission<Value>
    private final let registrar = ObservationRegistrar()
    private final let bag = CancellableBag()

    /// An object that shows `node`.
    public init(_ node: Node<Value>) {
        self.node = node
        shown = node.emission
        node.listenEmissions(in: bag, replay: false) { [weak self] emission, _ in self?.show(emission) }
    }

    /// The value, `nil` if the node is empty.
    public var value: Value? { emission.value }

    /// What the node holds: a value or empty.
    ///
    /// Observers are called before it changes, as for every observed property. What asks in between
    /// reads what was shown before, though the node holds the new value already.
    public final var emission: Emission<Value> {
        registrar.access(self, keyPath: \.emission)
        return shown
    }

    private func show(_ emission: Emission<Value>) {
        // Kept beyond the assignment: the death of a value may run code that asks for the emission.
        let former = shown
        registrar.withMutation(of: self, keyPath: \.emission) { shown = emission }
        withExtendedLifetime(former) {}
    }
}

/// A node that can be set, as an observable object with a property that can be set: for a text
/// field, a slider, a switch.
///
/// ```swift
/// let name = ObservedMutableNode(node)
/// name.value = "Grace"  // as a view does, with $name.value
/// ```
public final class ObservedMutableNode<Value>: ObservedNode<Value> {
    /// An object that shows `node` and sets it.
    public init(_ node: MutableNode<Value>) {
        super.init(node)
    }

    /// The value; set, it sets the node, and `nil` makes the node empty.
    public override var value: Value? {
        get { super.value }
        set {
            if let newValue { node.writable().set(newValue) } else { node.writable().clear() }
        }
    }
}
