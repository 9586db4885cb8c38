/// What a listener of events receives from a node (G-119 … G-122, G-135).
///
/// Events of one node come in the order in which they happened, to its listeners in order of
/// addition (G-123).
public enum NodeEvent<Value> {
    /// The listener was added; it carries what the node holds at that moment.
    ///
    /// Sent once per listen, before anything else, and only to the new listener.
    case added(Emission<Value>)
    /// The node took a value.
    case newValue(Value, source: ValueSource)
    /// The node became empty: it was cleared, or wiped (G-133a).
    case empty(source: ValueSource)
    /// A load began (``MutableNode/beginLoad()``).
    case requested
    /// A running load reported how much is done, 0…1 (``Load/report(progress:)``).
    case progress(Double)
    /// A load was cancelled.
    case cancelled
    /// A load ended: what the node holds is still right.
    case notModified
    /// A load failed; the value stays.
    case error(any Error)
    /// The listen has ended. The last event, sent if the listener still exists.
    case stopped
}

extension NodeEvent: Equatable where Value: Equatable {
    /// Errors are compared by type and description.
    public static func == (left: NodeEvent, right: NodeEvent) -> Bool {
        switch (left, right) {
        case (.added(let a), .added(let b)): a == b
        case (.newValue(let a, let from), .newValue(let b, let other)): a == b && from == other
        case (.empty(let a), .empty(let b)): a == b
        case (.progress(let a), .progress(let b)): a == b
        case (.error(let a), .error(let b)): type(of: a) == type(of: b) && "\(a)" == "\(b)"
        case (.requested, .requested), (.cancelled, .cancelled), (.notModified, .notModified),
            (.stopped, .stopped):
            true
        default: false
        }
    }
}

extension NodeSignal {
    /// What listeners of events receive of it, if they do.
    func event<Value>(of type: Value.Type) -> NodeEvent<Value>? {
        switch self {
        case .requested: .requested
        case .progress(let fraction): .progress(fraction)
        case .cancelled: .cancelled
        case .notModified: .notModified
        case .failed(let error, _): .error(error)
        case .finished, .wiped: nil
        }
    }
}
