public import Commits
public import Definitions

/// What a graph is made from: its definition, and the nodes that this declares.
struct PresentDefinition {
    var definition: GraphDefinition
    var origin: DefinitionOrigin
    /// A new object with each definition.
    private(set) var mark = DefinitionMark()
    /// The declared nodes, in the order of the definition; members of families are not among them.
    var nodes: [NamedNode] = [] {
        didSet { knownAlarms = nil }
    }
    /// Those with an alarm; determined on first use.
    private var knownAlarms: [NamedNode]?
    /// The mutable nodes that the definition no longer has.
    var removedInputs = RemovedInputs()

    init(_ definition: GraphDefinition, _ origin: DefinitionOrigin) {
        (self.definition, self.origin) = (definition, origin)
    }

    /// The graph has become what the new definition says: drops what was cached for the former one.
    mutating func renew() { mark = DefinitionMark() }

    fileprivate var withAlarm: [NamedNode] {
        mutating get {
            if let knownAlarms { return knownAlarms }
            let found = nodes.filter { $0.definition.alarm != nil }
            knownAlarms = found
            return found
        }
    }
}

/// Identifies one definition of one running graph.
///
/// Only its object identity counts.
final class DefinitionMark {}

extension LiveGraph {
    public var definition: GraphDefinition { basis.definition }
    public var origin: DefinitionOrigin { basis.origin }
    /// All declared nodes, in the order of the definition.
    public var nodes: [NamedNode] { basis.nodes }
    /// Those with an alarm.
    package var alarmNodes: [NamedNode] { basis.withAlarm }
    /// The mutable nodes that the definition no longer has, and that clients still set.
    package var missedInputs: [String] { basis.removedInputs.missed }

    /// A client sets a node that does not exist; reported the first time after the definition
    /// removed it.
    func noteMissed(_ name: String?) {
        if let name, basis.removedInputs.noteMissed(name) { host.handlers.onMissed(self.name, name) }
    }
}
