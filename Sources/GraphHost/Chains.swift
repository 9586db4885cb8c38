internal import ReactiveGraph

/// The chains of client pipelines in one graph: equal ones are one chain, and each lives exactly as long as
/// somebody listens to it or to a longer one built on it.
///
/// Nothing here holds a node. The graph tells when one is freed, and what is known of it goes in the same moment,
/// before anybody could ask. (Weak references would do as well, but a node that has one pays for it at every
/// reference count from then on.)
final class Chains {
    /// One stage node of a client pipeline.
    final class Record {
        /// Source, stages and strictness in canonical text; for a private stage not in `shared`.
        let key: String
        /// The operator's name and its arguments, for pictures.
        let stage: String
        let label: String
        let isShared: Bool
        let number: UInt64
        private let held: Unmanaged<Node<Datum>>

        /// The node, which lives as long as its record is known.
        var node: Node<Datum> { held.takeUnretainedValue() }

        init(key: String, stage: String, label: String, isShared: Bool, node: Node<Datum>) {
            self.key = key
            self.stage = stage
            self.label = label
            self.isShared = isShared
            held = .passUnretained(node)
            number = node.id
        }
    }

    private var shared: [String: Record] = [:]
    private var records: [UInt64: Record] = [:]
    private var named: [UInt64: NamedNode] = [:]
    private var hidden: Set<UInt64> = []
    /// Nodes freed, without the hidden ones.
    private(set) var releasedCount: UInt64 = 0

    /// The living chain of that key.
    func find(_ key: String) -> Record? { shared[key] }

    /// The record of a node, if it is a stage of a client pipeline.
    func record(of number: UInt64) -> Record? { records[number] }

    /// All records, in order of birth.
    var all: [Record] { records.values.sorted { $0.number < $1.number } }

    /// Remembers a node that has just been built.
    func add(_ record: Record) {
        records[record.number] = record
        if record.isShared { shared[record.key] = record }
    }

    /// Remembers the living node behind a name that does not keep it itself.
    func add(_ node: Node<Datum>, for name: NamedNode) {
        named[node.id] = name
    }

    /// Remembers a node that is only a part of a stage: it is neither counted nor shown.
    func hide(_ node: AnyNode) {
        hidden.insert(node.id)
    }

    /// Living nodes that are only parts of stages.
    var hiddenCount: Int { hidden.count }

    /// Whether the node of that number is only a part of a stage.
    func isHidden(_ number: UInt64) -> Bool { !hidden.isEmpty && hidden.contains(number) }

    /// The graph has freed a node.
    func released(_ number: UInt64) {
        if !hidden.isEmpty, hidden.remove(number) != nil { return }
        releasedCount += 1
        if !named.isEmpty { named.removeValue(forKey: number)?.nodeDied() }
        guard !records.isEmpty, let record = records.removeValue(forKey: number), record.isShared else {
            return
        }
        if shared[record.key] === record { shared[record.key] = nil }
    }
}
