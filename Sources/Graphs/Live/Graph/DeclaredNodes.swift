internal import Definitions

/// The nodes that a graph's definition declares; members of families are not among them.
struct DeclaredNodes {
    /// In the order of the definition.
    var all: [NamedNode] = [] {
        didSet { knownAlarms = nil }
    }
    /// The mutable nodes that the definition no longer has.
    var removedInputs = RemovedInputs()
    /// Those with an alarm; determined on first use.
    private var knownAlarms: [NamedNode]?

    var withAlarm: [NamedNode] {
        mutating get {
            if let knownAlarms { return knownAlarms }
            let found = all.filter { $0.definition.alarm != nil }
            knownAlarms = found
            return found
        }
    }
}

extension LiveGraph {
    /// All declared nodes, in the order of the definition.
    public var nodes: [NamedNode] { declared.all }
    /// Those with an alarm.
    package var alarmNodes: [NamedNode] { declared.withAlarm }
    /// The mutable nodes that the definition no longer has, and that clients still set.
    package var missedInputs: [String] { declared.removedInputs.missed }

    /// A client sets a node that does not exist; reported the first time after the definition
    /// removed it.
    func noteMissed(_ name: String?) {
        if let name, declared.removedInputs.noteMissed(name) { host.handlers.onMissed(self.name, name) }
    }
}
