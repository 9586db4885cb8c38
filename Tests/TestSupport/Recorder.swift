public import ReactiveGraph

/// Keeps everything a listener heard; tests compare the whole history.
public final class Recorder<Value>: ListenerOwner {
    /// Holds the listens; nothing else does.
    public let listenBag = CancellableBag()
    /// What was heard, oldest first.
    public private(set) var history: [Value] = []

    /// A recorder that hears nothing yet.
    public init() {}

    /// A recorder that hears `node`.
    public init(_ node: Node<Value>, replay: Bool = true) {
        node.listen(owner: self, replay: replay) { recorder, value in recorder.history.append(value) }
    }

    /// Adds an entry by hand.
    public func note(_ value: Value) {
        history.append(value)
    }

    /// Forgets what was heard.
    public func forget() {
        history = []
    }
}

/// Keeps every emission, empties included.
public final class EmissionRecorder<Value> {
    private let bag = CancellableBag()
    /// What was heard, oldest first.
    public private(set) var history: [Emission<Value>] = []

    /// A recorder that hears `node`.
    public init(_ node: Node<Value>, replay: Bool = true) {
        node.listenEmissions(in: bag, replay: replay) { [unowned self] emission, _ in history.append(emission)
        }
    }
}
