/// The two sides of a node that was split by a condition (G-94).
///
/// It holds both.
public struct Split<Value> {
    /// The values for which the condition held; empty until the first.
    public let thenNode: Node<Value>
    /// The values for which it did not.
    public let elseNode: Node<Value>

    @usableFromInline
    init(thenNode: Node<Value>, elseNode: Node<Value>) {
        self.thenNode = thenNode
        self.elseNode = elseNode
    }

    /// Hands ``thenNode`` to `body` at once, and returns the split.
    @discardableResult
    public func then(_ body: (Node<Value>) throws -> Void) rethrows -> Split {
        try body(thenNode)
        return self
    }

    /// Hands ``elseNode`` to `body` at once, and returns the split.
    @discardableResult
    public func `else`(_ body: (Node<Value>) throws -> Void) rethrows -> Split {
        try body(elseNode)
        return self
    }
}

extension Node {
    /// Sends each value to one of two nodes: if, then, else (G-94).
    ///
    /// A switch by truth value with two cases. A value that is there goes to its side at once; a
    /// side keeps its last value when the other side gets one.
    ///
    /// Example:
    /// `readings.split { $0 < 0 }.then { show($0, as: "frost") }.else { show($0, as: "mild") }`.
    @inlinable
    public func split(where condition: @escaping (Value) -> Bool) -> Split<Value> {
        let switched = `switch`(by: condition)
        return Split(thenNode: switched.case(true), elseNode: switched.case(false))
    }
}
