// What Combine calls it. No program can call these: the compiler answers with the name that the
// method has here, and offers to write it. A member of the same name that a program declares for
// its nodes goes before them, as the compiler prefers what can be called.
extension Listenable {
    /// Called ``listen(in:on:replay:file:line:_:)`` here.
    @available(*, unavailable, renamed: "listen(in:_:)", message: "a CancellableBag ends the listen")
    @discardableResult
    public func sink(receiveValue: @escaping (Value) -> Void) -> CancelToken { fatalError() }

    /// Called ``listen(in:on:replay:file:line:_:)`` here, without a completion: no node completes.
    @available(
        *,
        unavailable,
        renamed: "listen(in:_:)",
        message: "a CancellableBag ends the listen; no node completes or fails, so leave the completion out"
    )
    @discardableResult
    public func sink<Completion>(
        receiveCompletion: @escaping (Completion) -> Void,
        receiveValue: @escaping (Value) -> Void
    ) -> CancelToken { fatalError() }

    /// Called ``listen(owner:on:replay:file:line:_:)`` here.
    @available(
        *,
        unavailable,
        renamed: "listen(owner:_:)",
        message: "write listen(owner: object) { $0.property = $1 }"
    )
    @discardableResult
    public func assign<Root: AnyObject>(
        to property: ReferenceWritableKeyPath<Root, Value>,
        on object: Root
    ) -> CancelToken { fatalError() }

    /// Called ``Node/combine(with:)`` here.
    @available(*, unavailable, renamed: "combine(with:)")
    public func combineLatest<Other>(_ other: Node<Other>) -> Node<(Value, Other)> { fatalError() }

    /// Called ``Node/combine(with:_:)`` here.
    @available(*, unavailable, renamed: "combine(with:_:)")
    public func combineLatest<Other, Out>(
        _ other: Node<Other>,
        _ transform: @escaping (Value, Other) -> Out
    ) -> Node<Out> { fatalError() }

    /// Called ``Node/combine(_:_:)`` here.
    @available(*, unavailable, message: "write Node.combine(a, b, c), which takes any number of nodes")
    public func combineLatest<Second, Third>(
        _ second: Node<Second>,
        _ third: Node<Third>
    ) -> Node<(Value, Second, Third)> { fatalError() }

    /// Called ``Node/zip(with:buffer:control:)`` here.
    @available(*, unavailable, renamed: "zip(with:)")
    public func zip<Other>(_ other: Node<Other>) -> Node<(Value, Other)> { fatalError() }

    /// Called ``Node/distinct()`` here.
    @available(*, unavailable, renamed: "distinct()")
    public func removeDuplicates() -> Node<Value> where Value: Equatable { fatalError() }

    /// Called ``Node/distinct(by:)`` here.
    @available(*, unavailable, renamed: "distinct(by:)")
    public func removeDuplicates(by areEqual: @escaping (Value, Value) -> Bool) -> Node<Value> {
        fatalError()
    }

    /// Two steps here: ``Node/map(_:)`` and ``Node/ignoreNil()``.
    @available(*, unavailable, renamed: "map(_:)", message: "and put .ignoreNil() after it")
    public func compactMap<Out>(_ transform: @escaping (Value) -> Out?) -> Node<Out> { fatalError() }

    /// Called ``Node/flattenMap(_:)`` here, which follows the latest inner node only.
    @available(
        *,
        unavailable,
        renamed: "flattenMap(_:)",
        message: "it follows the latest inner node only, as flatMapLatest does"
    )
    public func flatMap<Out>(_ transform: @escaping (Value) -> Node<Out>) -> Node<Out> { fatalError() }

    /// Called ``Node/flatten()`` here.
    @available(*, unavailable, renamed: "flatten()")
    public func switchToLatest<Inner>() -> Node<Inner> where Value == Node<Inner> { fatalError() }

    /// Called ``Node/skip(_:)`` here.
    @available(*, unavailable, renamed: "skip(_:)")
    public func dropFirst(_ count: Int = 1) -> Node<Value> { fatalError() }

    /// Called ``Node/prefix(_:)`` here.
    @available(*, unavailable, message: "write prefix(1)")
    public func first() -> Node<Value> { fatalError() }

    /// A node can hold a value from the start.
    @available(*, unavailable, message: "make the source with a value, graph.mutable(value), or use ifEmpty")
    public func prepend(_ value: Value) -> Node<Value> { fatalError() }

    /// Listeners are served before what is derived from the node.
    @available(*, unavailable, message: "listen(in: bag): listeners come before what is derived from a node")
    public func handleEvents(receiveOutput: @escaping (Value) -> Void) -> Node<Value> { fatalError() }

    /// Called ``Node/ifEmpty(_:)`` here.
    @available(*, unavailable, renamed: "ifEmpty(_:)")
    public func replaceEmpty(with value: Value) -> Node<Value> { fatalError() }

    /// Called ``Node/deliver(on:buffer:control:)`` here.
    @available(
        *,
        unavailable,
        renamed: "deliver(on:)",
        message: "for a queue of another thread write listen(in: bag, on: queue)"
    )
    public func receive<Scheduler>(on scheduler: Scheduler) -> Node<Value> { fatalError() }

    /// Called ``Node/debounce(for:edge:dropsWhenCleared:control:)`` here.
    @available(*, unavailable, message: "leave the scheduler out: time comes from the clock of the graph")
    public func debounce<Scheduler>(for interval: Duration, scheduler: Scheduler) -> Node<Value> {
        fatalError()
    }

    /// Called ``Node/sample(every:edge:dropsWhenCleared:control:)`` here.
    @available(
        *,
        unavailable,
        message: "write sample(every:), or with edge: .leading for latest: false; the graph has the clock"
    )
    public func throttle<Scheduler>(
        for interval: Duration,
        scheduler: Scheduler,
        latest: Bool
    ) -> Node<Value> { fatalError() }

    /// Called ``Node/delay(for:buffer:control:)`` here.
    @available(*, unavailable, message: "leave the scheduler out: time comes from the clock of the graph")
    public func delay<Scheduler>(for interval: Duration, scheduler: Scheduler) -> Node<Value> {
        fatalError()
    }

    /// Every ``Node`` is already what only edges change.
    @available(*, unavailable, message: "leave it out: the type Node<Value> says nothing of its sources")
    public func eraseToAnyPublisher() -> Node<Value> { fatalError() }

    /// Every ``Node`` works once for all its listeners.
    @available(*, unavailable, message: "leave it out: a node works once for all its listeners")
    public func share() -> Node<Value> { fatalError() }
}

extension MutableNode {
    /// Called ``set(_:)`` here.
    @available(*, unavailable, renamed: "set(_:)")
    public func send(_ value: Value) { fatalError() }
}

extension CancelToken {
    /// A ``CancellableBag`` is an object, not a set.
    @available(*, unavailable, message: "write store(in: bag) with a CancellableBag, which is an object")
    public func store<Element>(in set: inout Set<Element>) { fatalError() }
}
