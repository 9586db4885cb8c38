// A method of the listener (G-95), given as `Type.method`: nothing is captured, so no ring is made
// (G-62).
extension Listenable {
    /// Calls a method without parameters at each value, for as long as `owner` lives.
    ///
    /// `node.listen(owner: panel, calling: Panel.refresh)`
    @inlinable
    @discardableResult
    public func listen<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        calling method: @escaping (Owner) -> () -> Void
    ) -> CancelToken {
        listen(owner: owner, replay: replay, file: file, line: line) { (owner: Owner, _: Value) in
            method(owner)()
        }
    }

    /// Calls a method with each value, for as long as `owner` lives.
    @inlinable
    @discardableResult
    public func listen<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        calling method: @escaping (Owner) -> (Value) -> Void
    ) -> CancelToken {
        listen(owner: owner, replay: replay, file: file, line: line) { (owner: Owner, value: Value) in
            method(owner)(value)
        }
    }

    /// Calls a method with each value and its context, for as long as `owner` lives.
    @inlinable
    @discardableResult
    public func listen<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        calling method: @escaping (Owner) -> (Value, Context?) -> Void
    ) -> CancelToken {
        listenWithContext(owner: owner, replay: replay, file: file, line: line) {
            (owner: Owner, value: Value, context: Context?) in
            method(owner)(value, context)
        }
    }
}
