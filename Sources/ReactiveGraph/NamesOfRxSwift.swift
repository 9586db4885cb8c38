// What RxSwift calls it, as NamesOfCombine.swift has it for Combine. What both call the same stands
// there.
extension Node {
    /// Called ``listen(in:on:replay:file:line:_:)`` here.
    @available(*, unavailable, renamed: "listen(in:_:)", message: "a CancellableBag ends the listen")
    @discardableResult
    public func subscribe(onNext: @escaping (Value) -> Void) -> CancelToken { fatalError() }

    /// Called ``listen(in:on:replay:file:line:_:)`` here.
    @available(*, unavailable, renamed: "listen(in:_:)", message: "a CancellableBag ends the listen")
    @discardableResult
    public func bind(onNext: @escaping (Value) -> Void) -> CancelToken { fatalError() }

    /// Called ``listen(in:on:replay:file:line:_:)`` here.
    @available(*, unavailable, renamed: "listen(in:_:)", message: "a CancellableBag ends the listen")
    @discardableResult
    public func drive(onNext: @escaping (Value) -> Void) -> CancelToken { fatalError() }

    /// The other way round here: the target is linked to its source.
    @available(*, unavailable, message: "the other way round: write target.link(to: source)")
    @discardableResult
    public func bind(to target: Node<Value>) -> CancelToken { fatalError() }

    /// Called ``Node/distinct()`` here.
    @available(*, unavailable, renamed: "distinct()")
    public func distinctUntilChanged() -> Node<Value> where Value: Equatable { fatalError() }

    /// Called ``Node/distinct(by:)`` here.
    @available(*, unavailable, renamed: "distinct(by:)")
    public func distinctUntilChanged(_ areEqual: @escaping (Value, Value) -> Bool) -> Node<Value> {
        fatalError()
    }

    /// Called ``Node/distinct(by:)`` here, which compares two values.
    @available(
        *,
        unavailable,
        renamed: "distinct(by:)",
        message: "compare two values: distinct { $0.key == $1.key }"
    )
    public func distinctUntilChanged<Key: Equatable>(_ key: @escaping (Value) -> Key) -> Node<Value> {
        fatalError()
    }

    /// Called ``Node/distinct(by:)`` here, which compares two values.
    @available(
        *,
        unavailable,
        renamed: "distinct(by:)",
        message: "compare two values: distinct { $0.key == $1.key }"
    )
    public func distinctUntilChanged<Key: Equatable>(at key: KeyPath<Value, Key>) -> Node<Value> {
        fatalError()
    }

    /// Called ``Node/flattenMap(_:)`` here.
    @available(*, unavailable, renamed: "flattenMap(_:)")
    public func flatMapLatest<Out>(_ selector: @escaping (Value) -> Node<Out>) -> Node<Out> {
        fatalError()
    }

    /// Called ``Node/flatten()`` here.
    @available(*, unavailable, renamed: "flatten()")
    public func switchLatest<Inner>() -> Node<Inner> where Value == Node<Inner> { fatalError() }

    /// Called ``Node/withLatest(from:)`` here.
    @available(*, unavailable, renamed: "withLatest(from:)")
    public func withLatestFrom<Other>(_ other: Node<Other>) -> Node<Other> { fatalError() }

    /// Called ``Node/withLatest(from:_:)`` here.
    @available(*, unavailable, renamed: "withLatest(from:_:)")
    public func withLatestFrom<Other, Out>(
        _ other: Node<Other>,
        resultSelector: @escaping (Value, Other) -> Out
    ) -> Node<Out> { fatalError() }

    /// A node can hold a value from the start.
    @available(*, unavailable, message: "make the source with a value, graph.mutable(value), or use ifEmpty")
    public func startWith(_ value: Value) -> Node<Value> { fatalError() }

    /// Listeners are served before what is derived from the node.
    @available(*, unavailable, message: "listen(in: bag): listeners come before what is derived from a node")
    public func `do`(onNext: @escaping (Value) -> Void) -> Node<Value> { fatalError() }

    /// Called ``Node/deliver(on:buffer:control:)`` here.
    @available(
        *,
        unavailable,
        renamed: "deliver(on:)",
        message: "for a queue of another thread write listen(in: bag, on: queue)"
    )
    public func observe<Scheduler>(on scheduler: Scheduler) -> Node<Value> { fatalError() }

    /// Called ``Node/debounce(for:edge:dropsWhenCleared:control:)`` here.
    @available(*, unavailable, message: "write debounce(for:): time comes from the clock of the graph")
    public func debounce<Scheduler>(_ interval: Duration, scheduler: Scheduler) -> Node<Value> {
        fatalError()
    }

    /// Called ``Node/sample(every:edge:dropsWhenCleared:control:)`` here.
    @available(
        *,
        unavailable,
        message: "write sample(every:edge:) with .both, or .leading for latest: false; the graph has a clock"
    )
    public func throttle<Scheduler>(
        _ interval: Duration,
        latest: Bool = true,
        scheduler: Scheduler
    ) -> Node<Value> { fatalError() }

    /// Called ``Node/delay(for:buffer:control:)`` here.
    @available(*, unavailable, message: "write delay(for:): time comes from the clock of the graph")
    public func delay<Scheduler>(_ interval: Duration, scheduler: Scheduler) -> Node<Value> {
        fatalError()
    }

    /// Every ``Node`` is already what only edges change.
    @available(*, unavailable, message: "leave it out: a MutableNode<Value> is a Node<Value>")
    public func asObservable() -> Node<Value> { fatalError() }

    /// Called ``combine(_:_:)`` here.
    @available(*, unavailable, renamed: "combine(_:_:)")
    public static func combineLatest<A, B>(
        _ a: Node<A>,
        _ b: Node<B>
    ) -> Node<(A, B)> where Value == (A, B) { fatalError() }

    /// Called ``combineEach(_:_:_:)`` here.
    @available(*, unavailable, renamed: "combineEach(_:_:_:)")
    public static func combineLatest<A, B>(
        _ a: Node<A>,
        _ b: Node<B>,
        resultSelector: @escaping (A, B) -> Value
    ) -> Node<Value> { fatalError() }
}

extension MutableNode {
    /// Called ``set(_:)`` here.
    @available(*, unavailable, renamed: "set(_:)")
    public func accept(_ value: Value) { fatalError() }

    /// Called ``set(_:)`` here.
    @available(*, unavailable, renamed: "set(_:)")
    public func onNext(_ value: Value) { fatalError() }
}

extension CancelToken {
    /// Called ``Cancellable/store(in:)`` here.
    @available(*, unavailable, renamed: "store(in:)")
    public func disposed(by bag: CancellableBag) { fatalError() }

    /// Called ``cancel()`` here.
    @available(*, unavailable, renamed: "cancel()")
    public func dispose() { fatalError() }
}
