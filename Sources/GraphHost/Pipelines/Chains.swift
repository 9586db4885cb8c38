internal import CEL
internal import ReactiveGraph

/// A step of a definition, and the node that stands for it.
struct InnerStage {
    /// Which step it is.
    struct Part {
        /// The node of the definition that it is a part of.
        ///
        /// A member of a family is gone before its steps are: of those that are being freed only `name` and `isOfMember` are known.
        unowned(unsafe) let of: NamedNode
        /// The name of that node.
        let name: String
        /// Whether it is a member of a family.
        let isOfMember: Bool
        /// The operator's name and its arguments, for pictures.
        let stage: String
        let label: String
        /// Whether it stands in the pipe of a link that leads to the node.
        let isOfLink: Bool

        init(of named: NamedNode, _ stage: String, label: String? = nil, isOfLink: Bool = false) {
            of = named
            name = named.name
            isOfMember = named.family != nil
            self.stage = stage
            self.label = label ?? stage
            self.isOfLink = isOfLink
        }
    }

    let part: Part
    let born: UInt64
    private let held: Unmanaged<Node<Datum>>

    var of: NamedNode { part.of }
    var name: String { part.name }
    var isOfMember: Bool { part.isOfMember }
    var stage: String { part.stage }
    var label: String { part.label }
    var isOfLink: Bool { part.isOfLink }
    /// The node, which lives as long as its stage is known.
    var node: Node<Datum> { held.takeUnretainedValue() }

    fileprivate init(_ part: Part, _ node: Node<Datum>, born: UInt64) {
        self.part = part
        self.born = born
        held = .passUnretained(node)
    }
}

/// The chains of client pipelines in one graph: equal ones are one chain, and each lives exactly as long as
/// a subscription listens to it or to a longer one built on it.
///
/// Nothing here holds a node. When the graph frees one, its record is removed at once, before any further look-up. (Weak
/// references would do as well, but a node that has one pays for it at every reference count from then on.)
final class Chains {
    /// One stage node of a client pipeline.
    final class Record {
        /// For a private stage not in `shared`.
        let key: ChainKey
        /// The operator's name and its arguments, for pictures.
        let stage: String
        let label: String
        let isShared: Bool
        let number: UInt64
        private let held: Unmanaged<Node<Datum>>

        /// Milliseconds since 1970 of its birth.
        let born: UInt64
        /// The rev of the graph at its birth.
        let rev: UInt64
        /// The stage before it; nil for the first one.
        let previous: Record?
        /// How many stages stand before it.
        let level: Int
        /// Where values come in, and what they cost is counted.
        let gate: StageGate
        /// Whether what it emits depends on earlier values.
        let hasMemory: Bool
        /// How many subscriptions listen to it and longer chains stand on it.
        var owners = 0
        /// The named nodes that a source is made from, also those that a flatten has not chosen yet; none for stages.
        let sources: [String]
        /// The regular expressions that stand in its expressions.
        let patterns: [any RegexMatcher]
        /// What keeps the members of a source that a glob chooses.
        let members: AllMembers?

        /// The node, which lives as long as its record is known.
        var node: Node<Datum> { held.takeUnretainedValue() }

        /// What keeps the members of the source, where a glob chooses them.
        var allMembers: AllMembers? { members ?? previous?.allMembers }

        /// Whether something still waits on the way to it.
        var isBehind: Bool { gate.isBehind || previous?.isBehind == true }

        /// Whether it is the last stage of that pipeline.
        func isChain(of source: Source, _ pipe: [Stage]) -> Bool {
            var texts = ChainKey.texts(source, pipe)
            var next: Record? = self
            while let record = next, let text = texts.popLast() {
                guard record.key.text == text else { return false }
                next = record.previous
            }
            return next == nil && texts.isEmpty
        }

        /// Calls `opening` once the first value of a chain that was just built has come through all its stages: at once, unless it waits.
        ///
        /// It is called in the late lane, or where the chain is being freed: there is no room for more work there.
        func whenOpen(_ opening: @escaping () -> Void) {
            var next: Record? = self
            while let record = next {
                if record.gate.isBehind {
                    record.gate.opening = opening
                    return
                }
                next = record.previous
            }
            opening()
        }

        init(
            key: ChainKey,
            stage: String,
            label: String,
            isShared: Bool,
            node: Node<Datum>,
            born: UInt64,
            rev: UInt64,
            behind previous: Record?,
            sources: [String] = [],
            members: AllMembers? = nil,
            patterns: [any RegexMatcher] = [],
            hasMemory: Bool,
            gate: StageGate
        ) {
            self.hasMemory = hasMemory
            self.members = members
            level = previous.map { $0.level + 1 } ?? 0
            self.patterns = patterns
            self.sources = sources
            self.born = born
            self.rev = rev
            self.previous = previous
            self.gate = gate
            self.key = key
            self.stage = stage
            self.label = label
            self.isShared = isShared
            held = .passUnretained(node)
            number = node.id
        }
    }

    private var shared: [ChainKey: Record] = [:]
    private var records: [UInt64: Record] = [:]
    private var hidden: Set<UInt64> = []
    private var inner: [UInt64: InnerStage] = [:]
    /// How sources of client pipelines depend on their inputs, where that changes with values.
    private var branchings: [UInt64: Branching] = [:]
    /// Receives the deaths of nodes while a client observes the graph.
    var watch: GraphWatch?
    /// The names of nodes that are freed while it is not nil.
    var deadNames: [String]?
    /// Nodes freed, without the hidden ones.
    private(set) var releasedCount: UInt64 = 0

    /// The living chain of that key.
    func find(_ key: ChainKey) -> Record? { shared[key] }

    /// The record of a node, if it is a stage of a client pipeline.
    func record(of number: UInt64) -> Record? { records[number] }

    /// All records, in order of birth.
    var all: [Record] { records.values.sorted { $0.number < $1.number } }

    /// Remembers a node that has just been built.
    func add(_ record: Record) {
        records[record.number] = record
        if record.isShared { shared[record.key] = record }
        record.previous?.owners += 1
    }

    /// Remembers which step of a definition a node stands for; nil: none.
    func note(_ node: Node<Datum>, as part: InnerStage.Part?, born: UInt64) {
        if part == nil, inner.isEmpty { return }
        inner[node.id] = part.map { InnerStage($0, node, born: born) }
    }

    /// Remembers how the node of a source depends on its inputs, where that changes with values.
    func note(_ node: Node<Datum>, as branching: Branching?) {
        if let branching { branchings[node.id] = branching }
    }

    /// How the node of that number depends on its inputs, if it stands for the source of a client's pipeline, and that changes with
    /// values.
    func branching(of number: UInt64) -> Branching? { branchings.isEmpty ? nil : branchings[number] }

    /// The stage of a definition's pipe that has this number.
    func inner(_ number: UInt64) -> InnerStage? { inner[number] }

    /// Remembers a node that is only a part of a stage: it is neither counted nor shown.
    func hide(_ node: AnyNode) {
        hidden.insert(node.id)
    }

    /// Living nodes that are only parts of stages.
    var hiddenCount: Int { hidden.count }

    /// Whether the node of that number is only a part of a stage.
    func isHidden(_ number: UInt64) -> Bool { !hidden.isEmpty && hidden.contains(number) }

    /// The node of a name is being freed.
    func died(_ name: NamedNode, _ node: Node<Datum>) {
        watch?.died(name, node)
        deadNames?.append(name.name)
        // It may be the last stage of its pipe as well.
        if !inner.isEmpty { inner[node.id] = nil }
    }

    /// The graph has freed a node.
    func released(_ number: UInt64) {
        if !hidden.isEmpty, hidden.remove(number) != nil { return }
        releasedCount += 1
        if let watch { watch.died(number) }
        if !inner.isEmpty { inner[number] = nil }
        if !branchings.isEmpty { branchings[number] = nil }
        guard !records.isEmpty, let record = records.removeValue(forKey: number) else { return }
        record.gate.close()
        record.previous?.owners -= 1
        guard record.isShared else { return }
        if shared[record.key] === record { shared[record.key] = nil }
    }
}
