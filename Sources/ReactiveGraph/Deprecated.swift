// Earlier spellings, kept for one version.

/// The earlier name of ``CancelToken``: in Combine a value of this name cancels when it is dropped,
/// this one never did.
@available(*, deprecated, renamed: "CancelToken")
public typealias AnyCancellable = CancelToken

extension Node {
    /// Says for every edge that comes into this node whether emptiness of its source makes this
    /// node empty.
    @available(*, deprecated, message: "set the property `propagatesEmpty`")
    @discardableResult
    public func propagatesEmpty(_ does: Bool = true) -> Self {
        propagatesEmpty = does
        return self
    }

    /// As ``link(to:replay:)``, with a say in whether emptiness travels.
    @available(
        *,
        deprecated,
        message: "set `propagatesEmpty` of the edge, which `link(to:replay:)?.edges` gives"
    )
    @discardableResult
    public func link(to upstream: Node<Value>, replay: Bool = true, propagatesEmpty: Bool?) -> CancelToken? {
        let token = link(to: upstream, replay: replay)
        if let propagatesEmpty { token?.edges.first?.propagatesEmpty = propagatesEmpty }
        return token
    }
}

// The words of the host's catalogue serve in programs too.
extension Node {
    /// See `replace`.
    @available(*, deprecated, renamed: "replace(_:)")
    public func mapReplace<Out>(_ replacement: Out) -> Node<Out> { replace(replacement) }

    /// See `distinct`.
    @available(*, deprecated, renamed: "distinct(by:)")
    public func distinctUntilChanged(by areEqual: @escaping (Value, Value) -> Bool) -> Node<Value> {
        distinct(by: areEqual)
    }

    /// See `distinct`.
    @available(*, deprecated, renamed: "distinct()")
    public func distinctUntilChanged() -> Node<Value> where Value: Equatable { distinct() }
}

// The forms with context and path by the name of the plain one. On a node of pairs a closure of two
// parameters was taken for value and context; now it takes the pair.
extension Node {
    /// See `listenWithContext`.
    @available(*, deprecated, renamed: "listenWithContext(in:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen(
        in bag: CancellableBag,
        replay: Bool = true,
        _ body: @escaping (Value, Context?) -> Void
    ) -> CancelToken {
        listenWithContext(in: bag, replay: replay, body)
    }

    /// See `listenWithPath`.
    @available(*, deprecated, renamed: "listenWithPath(in:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen(
        in bag: CancellableBag,
        replay: Bool = true,
        _ body: @escaping (Value, Path, Context?) -> Void
    ) -> CancelToken {
        listenWithPath(in: bag, replay: replay, body)
    }

    /// See `listenWithContext`.
    @available(*, deprecated, renamed: "listenWithContext(owner:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        _ body: @escaping (Owner, Value, Context?) -> Void
    ) -> CancelToken {
        listenWithContext(owner: owner, replay: replay, body)
    }

    /// See `listenWithPath`.
    @available(*, deprecated, renamed: "listenWithPath(owner:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        _ body: @escaping (Owner, Value, Path, Context?) -> Void
    ) -> CancelToken {
        listenWithPath(owner: owner, replay: replay, body)
    }

    /// See `listenWithContext`.
    @available(*, deprecated, renamed: "listenWithContext(in:on:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen(
        in bag: CancellableBag,
        on executor: any LoopExecutor,
        replay: Bool = true,
        _ body: @escaping (Value, Context?) -> Void
    ) -> CancelToken {
        listenWithContext(in: bag, on: executor, replay: replay, body)
    }

    /// See `listenWithPath`.
    @available(*, deprecated, renamed: "listenWithPath(in:on:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen(
        in bag: CancellableBag,
        on executor: any LoopExecutor,
        replay: Bool = true,
        _ body: @escaping (Value, Path, Context?) -> Void
    ) -> CancelToken {
        listenWithPath(in: bag, on: executor, replay: replay, body)
    }

    /// See `listenWithContext`.
    @available(*, deprecated, renamed: "listenWithContext(owner:on:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen<Owner: AnyObject>(
        owner: Owner,
        on executor: any LoopExecutor,
        replay: Bool = true,
        _ body: @escaping (Owner, Value, Context?) -> Void
    ) -> CancelToken {
        listenWithContext(owner: owner, on: executor, replay: replay, body)
    }

    /// See `listenWithPath`.
    @available(*, deprecated, renamed: "listenWithPath(owner:on:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen<Owner: AnyObject>(
        owner: Owner,
        on executor: any LoopExecutor,
        replay: Bool = true,
        _ body: @escaping (Owner, Value, Path, Context?) -> Void
    ) -> CancelToken {
        listenWithPath(owner: owner, on: executor, replay: replay, body)
    }
}

extension Node where Value: Sendable {
    /// See `listenWithContext`.
    @available(*, deprecated, renamed: "listenWithContext(in:on:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen(
        in bag: CancellableBag,
        on executor: any GraphExecutor,
        replay: Bool = true,
        _ body: @escaping @Sendable (Value, Context?) -> Void
    ) -> CancelToken {
        listenWithContext(in: bag, on: executor, replay: replay, body)
    }

    /// See `listenWithPath`.
    @available(*, deprecated, renamed: "listenWithPath(in:on:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen(
        in bag: CancellableBag,
        on executor: any GraphExecutor,
        replay: Bool = true,
        _ body: @escaping @Sendable (Value, Path, Context?) -> Void
    ) -> CancelToken {
        listenWithPath(in: bag, on: executor, replay: replay, body)
    }

    /// See `listenWithContext`.
    @available(*, deprecated, renamed: "listenWithContext(owner:on:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen<Owner: AnyObject & Sendable>(
        owner: Owner,
        on executor: any GraphExecutor,
        replay: Bool = true,
        _ body: @escaping @Sendable (Owner, Value, Context?) -> Void
    ) -> CancelToken {
        listenWithContext(owner: owner, on: executor, replay: replay, body)
    }

    /// See `listenWithPath`.
    @available(*, deprecated, renamed: "listenWithPath(owner:on:replay:_:)")
    @_disfavoredOverload
    @discardableResult
    public func listen<Owner: AnyObject & Sendable>(
        owner: Owner,
        on executor: any GraphExecutor,
        replay: Bool = true,
        _ body: @escaping @Sendable (Owner, Value, Path, Context?) -> Void
    ) -> CancelToken {
        listenWithPath(owner: owner, on: executor, replay: replay, body)
    }
}
