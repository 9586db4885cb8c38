internal import Graphs
internal import Commits
internal import Values

/// A ``Reading`` of a node in the past.
public struct PastReading: Sendable {
    /// The state of the node.
    public enum Held: Sendable {
        /// Empty.
        case empty
        /// A value, as JSON text.
        case value([UInt8])
        /// The operator failed: the member `"fail":{…}`.
        case fail([UInt8])

        /// The state as a member of a JSON object.
        public var member: [UInt8] {
            switch self {
            case .empty: Array("\"empty\":true".utf8)
            case .value(let text): Array("\"v\":".utf8) + text
            case .fail(let member): member
            }
        }
    }

    /// The state of the node.
    public let held: Held
    /// The epoch of `changed`.
    public let epoch: String
    /// The rev of its last change at that time.
    public let changed: UInt64
    /// Milliseconds since 1970 of that change.
    public let changedAt: UInt64
    /// Its facets as JSON; nil if they were not requested.
    public let state: [UInt8]?

    init(_ node: NamedNode, facets hasFacets: Bool) {
        let reading = node.graph.read(node)
        held =
            switch reading.held {
            case .empty: .empty
            case .value(let datum): .value(datum.withBytes { Array($0) })
            case .fail(let datum): .fail(datum.withFragment { Array($0) })
            }
        epoch = node.graph.epochs.epoch(of: reading.changed)
        changed = reading.changed
        changedAt = reading.changedAt
        state = hasFacets ? node.facetsJSON : nil
    }
}
