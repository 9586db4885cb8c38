/// Something that receives the events of nodes; a class, or a value.
///
/// One listener may be added to nodes of several types: the method is generic, and the node says
/// which it is.
///
/// ```swift
/// final class Panel: NodeListener {
///     var errors = 0
///
///     func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>) {
///         if case .error = event { errors += 1 }
///     }
/// }
/// ```
public protocol NodeListener {
    /// Called with each event of a node this listener was added to.
    func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>)

    /// What makes two listeners of one node the same: adding the second one adds its owner and
    /// nothing else (G-118).
    ///
    /// Asked when the listener is added. `nil`, the default, leaves objects to be told apart as the
    /// objects they are, and makes every value unique.
    var observerIdentity: AnyHashable? { get }
}

extension NodeListener {
    /// None.
    public var observerIdentity: AnyHashable? { nil }
}
