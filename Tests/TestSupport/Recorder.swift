public import ReactiveGraph

/// Records everything a listener receives; tests compare the whole history.
public final class Recorder<Value>: ListenerOwner {
    /// Holds the listens; nothing else does.
    public let listenBag = CancellableBag()
    /// The received values, oldest first.
    public private(set) var history: [Value] = []

    /// A recorder that listens to nothing yet.
    public init() {}

    /// A recorder that listens to `node`.
    public init(_ node: Node<Value>, replay: Bool = true) {
        node.listen(owner: self, replay: replay) { recorder, value in recorder.history.append(value) }
    }

    /// Adds an entry by hand.
    public func note(_ value: Value) {
        history.append(value)
    }

    /// Forgets the recorded values.
    public func forget() {
        history = []
    }
}

/// Keeps every emission, empties included.
public final class EmissionRecorder<Value> {
    private let bag = CancellableBag()
    /// The received emissions, oldest first.
    public private(set) var history: [Emission<Value>] = []

    /// A recorder that listens to `node`.
    public init(_ node: Node<Value>, replay: Bool = true) {
        node.listenEmissions(in: bag, replay: replay) { [unowned self] emission, _ in history.append(emission)
        }
    }
}
