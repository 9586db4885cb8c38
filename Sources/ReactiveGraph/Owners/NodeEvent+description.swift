extension NodeEvent: CustomStringConvertible {
    /// The case and what it carries, such as `newValue(21.5, source: network)`.
    public var description: String {
        switch self {
        case .added(let emission): "added(\(emission))"
        case .newValue(let value, let source): "newValue(\(value), source: \(source))"
        case .empty(let source): "empty(source: \(source))"
        case .requested: "requested"
        case .progress(let fraction): "progress(\(fraction))"
        case .cancelled: "cancelled"
        case .notModified: "notModified"
        case .error(let error): "error(\(error))"
        case .stopped: "stopped"
        }
    }
}
