internal import ReactiveGraph

/// One path of one object, and its node.
///
/// A change that came from the property carries a mark in the path of its emission; an emission
/// with the mark is not written back. So the guard against echoes travels with the value, also
/// through the node's queue (G-96).
final class BoundPath<Object: Bindable, Value>: PathFollower {
    let node: MutableNode<Value>
    private weak var object: Object?
    private let path: KeyPath<Object, Value>
    private let mark: PathMark
    private var isWriting = false
    /// Values of the property that wait in the node's queue, in the turn of that number: a turn
    /// that is stopped drops them (G-39).
    private var waiting = 0
    private var waitingTurn: UInt64 = 0

    init(_ object: Object, _ path: KeyPath<Object, Value>, _ graph: Graph) {
        self.object = object
        self.path = path
        node = graph.mutable(of: Value.self)
        mark = PathMark(in: graph)
        super.init(graph)
    }

    /// Takes the property's value, and from then on writes what comes to the node; first among its
    /// listeners, so that those find the property set.
    func begin(_ object: Object) {
        let value = read(object)
        precondition(!followsNothing, "node(\(path)): nothing on this path is marked @Bound")
        node.writable().set(value)
        guard let path = path as? ReferenceWritableKeyPath<Object, Value> else { return }
        // Weak, because the object may be freed on another thread; held during the call, because
        // writing may be its end.
        node.listen(in: bag, replay: false) { [weak self] value in self?.nodeChanged(value, path) }
    }

    func sync(with other: Node<Value>) -> CancelToken {
        node.sync(with: other).store(in: bag)
    }

    override func propertyChanged() {
        guard !isWriting, let object else { return }
        take(read(object))
    }

    private func read(_ object: Object) -> Value {
        following(node.graph) { object[keyPath: path] }
    }

    /// Sets the node to what the property holds.
    private func take(_ value: Value) {
        if !node.isInPass || waitingTurn != node.graph.turnCount { waiting = 0 }
        waitingTurn = node.graph.turnCount
        waiting += 1
        node.set(value, path: mark.path, context: nil)
    }

    private func nodeChanged(_ value: Value, _ path: ReferenceWritableKeyPath<Object, Value>) {
        if mark.isOnPath(in: node.graph) {
            waiting = max(0, waiting - 1)
            return
        }
        // A later value of the property is on its way to the node: it must not be overwritten by an
        // earlier one.
        guard waiting == 0 || waitingTurn != node.graph.turnCount, let object else { return }
        isWriting = true
        object[keyPath: path] = value
        isWriting = false
        let actual = read(object)
        if differ(actual, value) { take(actual) }
    }
}

/// Whether two values are known to differ: by equality, or by identity; other values cannot be
/// compared.
private func differ<Value>(_ left: Value, _ right: Value) -> Bool {
    func isEqual<Comparable: Equatable>(_ type: Comparable.Type) -> Bool {
        guard let left = left as? Comparable, let right = right as? Comparable else { return true }
        return left == right
    }
    if let type = Value.self as? any Equatable.Type { return !isEqual(type) }
    if Value.self is AnyClass { return (left as AnyObject) !== (right as AnyObject) }
    return false
}
