/// Something that is told the events of nodes; a class, or a value.
///
/// One listener may be added to nodes of several types: the method is generic, and the node says which it is.
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
}
