import ReactiveGraph

/// Records the events of listeners, as text, oldest first.
final class EventLog {
    private(set) var lines: [String] = []

    func note(_ line: String) { lines.append(line) }

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

/// A listener that is an object and knows nothing of owners.
final class Ear: NodeListener {
    let name: String
    let log: EventLog
    var onEvent: ((String) -> Void)?

    init(_ name: String, _ log: EventLog) {
        self.name = name
        self.log = log
    }

    func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>) {
        log.note("\(name) \(text(event))")
        onEvent?(text(event))
    }
}

/// A listener that is a value.
struct ValueEar: NodeListener {
    let name: String
    let log: EventLog

    func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>) {
        log.note("\(name) \(text(event))")
    }
}

/// A listener that keeps a bag.
final class BagEar: NodeListener, ListenerOwner {
    let listenBag = CancellableBag()
    let name: String
    let log: EventLog

    init(_ name: String, _ log: EventLog) {
        self.name = name
        self.log = log
    }

    func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>) {
        log.note("\(name) \(text(event))")
    }
}

/// An owner that knows nothing of graphs.
final class Keeper {}

/// An owner whose death is noticed at once.
final class BagKeeper: ListenerOwner {
    let listenBag = CancellableBag()
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ text: String) { description = text }
}

func text<Value>(_ event: NodeEvent<Value>) -> String {
    switch event {
    case .added(let emission): "added(\(emission))"
    case .newValue(let value, let source): source == .local ? "\(value)" : "\(value) from \(source)"
    case .empty(let source): source == .local ? "empty" : "empty by \(source)"
    case .requested: "requested"
    case .progress(let fraction): "progress(\(fraction))"
    case .cancelled: "cancelled"
    case .notModified: "notModified"
    case .error(let error): "error(\(error))"
    case .stopped: "stopped"
    }
}
