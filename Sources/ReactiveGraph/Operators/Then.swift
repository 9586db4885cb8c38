extension Node {
    /// Hands this node to `body` at once, once, and returns it (G-69).
    @inlinable
    @discardableResult
    public func then(_ body: (Node<Value>) throws -> Void) rethrows -> Self {
        try body(self)
        return self
    }
}
