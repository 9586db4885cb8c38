// Spellings of the version before, which go with the next one.
extension Listenable {
    @available(*, deprecated, message: "use listenEmissions(in:): the delivery has the context")
    @discardableResult
    public func listenWithContext(
        in bag: CancellableBag,
        replay: Bool = true,
        _ body: @escaping (Value, Context?) -> Void
    ) -> CancelToken {
        listenEmissions(in: bag, replay: replay) { emission, delivery in
            if let value = emission.value { body(value, delivery.context) }
        }
    }

    @available(*, deprecated, message: "use listenEmissions(owner:): the delivery has the context")
    @discardableResult
    public func listenWithContext<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        _ body: @escaping (Owner, Value, Context?) -> Void
    ) -> CancelToken {
        listenEmissions(owner: owner, replay: replay) { owner, emission, delivery in
            if let value = emission.value { body(owner, value, delivery.context) }
        }
    }

    @available(*, deprecated, message: "use listenEmissions(in:paths:): the delivery has the path")
    @discardableResult
    public func listenWithPath(
        in bag: CancellableBag,
        replay: Bool = true,
        _ body: @escaping (Value, Path, Context?) -> Void
    ) -> CancelToken {
        listenEmissions(in: bag, replay: replay, paths: true) { emission, delivery in
            if let value = emission.value { body(value, delivery.path, delivery.context) }
        }
    }

    @available(*, deprecated, message: "use listenEmissions(owner:paths:): the delivery has the path")
    @discardableResult
    public func listenWithPath<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        _ body: @escaping (Owner, Value, Path, Context?) -> Void
    ) -> CancelToken {
        listenEmissions(owner: owner, replay: replay, paths: true) { owner, emission, delivery in
            if let value = emission.value { body(owner, value, delivery.path, delivery.context) }
        }
    }

    @available(*, deprecated, message: "use listenEmissions(in:replay:) with replay: false")
    @discardableResult
    public func listenChanges(
        in bag: CancellableBag,
        _ body: @escaping (_ isEmpty: Bool) -> Void
    ) -> CancelToken {
        listenEmissions(in: bag, replay: false) { emission, _ in body(emission.isEmpty) }
    }

    @available(*, deprecated, message: "the closure receives a Delivery: ask it for its context")
    @_disfavoredOverload
    @discardableResult
    public func listenEmissions(
        in bag: CancellableBag,
        replay: Bool = true,
        _ body: @escaping (Emission<Value>, Context?) -> Void
    ) -> CancelToken {
        listenEmissions(in: bag, replay: replay) { (emission: Emission<Value>, delivery: Delivery) in
            body(emission, delivery.context)
        }
    }

    @available(*, deprecated, message: "call the method from a closure: listen(owner:) { $0.method($1) }")
    @discardableResult
    public func listen<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        calling method: @escaping (Owner) -> (Value) -> Void
    ) -> CancelToken {
        listen(owner: owner, replay: replay) { method($0)($1) }
    }
}

extension MutableNode {
    @available(*, deprecated, message: "use the form with a closure; it gives a running load, too")
    public func loadIfNeeded(within age: Duration) -> Load<Value>? {
        var begun: Load<Value>?
        loadIfNeeded(within: age, retryAfter: .zero) { begun = $0 }
        return begun
    }
}

extension WritableNode {
    @available(*, deprecated, message: "use the form with a closure; it gives a running load, too")
    public func loadIfNeeded(within age: Duration) -> Load<Value>? {
        var begun: Load<Value>?
        loadIfNeeded(within: age, retryAfter: .zero) { begun = $0 }
        return begun
    }
}
