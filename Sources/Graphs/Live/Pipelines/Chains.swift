internal import CEL
internal import Definitions
package import ReactiveGraph
package import Values

/// A step of a definition, and the node that implements it.
package struct InnerStage {
    /// Which step it is.
    package struct Part {
        /// The node of the definition that it is a part of.
        ///
        /// A member of a family is freed before its steps: while they are freed, only `name` and
        /// `isOfMember` may be used.
        package unowned let of: NamedNode
        package let name: String
        package let isOfMember: Bool
        /// The operator's name and its arguments, for pictures.
        package let stage: String
        package let label: String
        /// Whether it is in the pipe of a link that leads to the node.
        package let isOfLink: Bool

        init(of named: NamedNode, _ stage: String, label: String? = nil, isOfLink: Bool = false) {
            of = named
            name = named.name
            isOfMember = named.family != nil
            self.stage = stage
            self.label = label ?? stage
            self.isOfLink = isOfLink
        }
    }

    package let part: Part
    package let born: UInt64
    /// The node, which lives as long as its stage is in the table.
    package unowned let node: Node<Datum>

    fileprivate init(_ part: Part, _ node: Node<Datum>, born: UInt64) {
        self.part = part
        self.born = born
        self.node = node
    }
}

/// The chains of client pipelines in one graph.
///
/// Equal pipelines share one chain, and each chain lives exactly as long as a subscription listens
/// to it or to a longer chain built on it.
///
/// This table holds no node. When the graph frees a node, its record is removed at once, before any
/// further look-up. (Weak references would work too, but a node that has one pays for it at every
/// later change of its reference count.)
package final class Chains {
    /// One stage node of a client pipeline.
    package final class Record {
        /// Not in `shared` for a private stage.
        let key: ChainKey
        package let hash: ChainHash
        /// The operator's name and its arguments, for pictures.
        package let stage: String
        package let label: String
        let isShared: Bool
        let number: UInt64
        /// The node, which lives as long as its record is in the table.
        package unowned let node: Node<Datum>

        /// When it was built, in milliseconds since 1970.
        package let born: UInt64
        /// The graph's rev when it was built.
        package let rev: UInt64
        /// The stage before it; nil for the first one.
        package let previous: Record?
        /// How many stages come before it.
        let level: Int
        /// Counts what it spends and holds.
        let meter: StageMeter
        /// The stages with the same users; only a stage of a fork's first segment changes it.
        var segment: Segment
        /// A stage of the same segment that follows it.
        weak var next: Record?
        /// Whether what it emits depends on earlier values.
        let hasMemory: Bool
        /// How many subscriptions listen to it, and how many longer chains are built on it.
        package internal(set) var owners = 0
        /// The named nodes that a source is made from, including those that a flatten has not
        /// chosen yet; empty for stages.
        let sources: [String]
        /// The regular expressions in its expressions.
        let patterns: [any RegexMatcher]
        /// The members of a source that a glob chooses.
        package let members: AllMembers?
        /// Finds the nodes of a source with a computed name.
        fileprivate let computed: ComputedName?

        /// What chooses the nodes of the chain's source by the rights of its clients.
        package var chooser: (any NodeChooser)? { computed ?? members ?? previous?.chooser }

        /// The first head on the way to it that is behind.
        private var firstBehind: Head? {
            var found: Head?
            var next: Record? = self
            while let record = next {
                if let head = record.segment.head, head.isBehind { found = head }
                next = record.previous
            }
            return found
        }

        /// Whether an emission still waits on the way to it.
        package var isBehind: Bool { firstBehind != nil }

        /// Whether it is the last stage of that pipeline.
        package func isChain(of subject: Subject) -> Bool {
            var (number, next): (UInt64, Record?) = (number, self)
            for stage in subject.pipe.reversed() {
                guard let record = next, record.key.text == stage.key else { return false }
                (number, next) = (record.key.previous, record.previous)
            }
            switch subject.origin {
            case .node(let node): return number == node.present.living?.id
            case .source(let source, _): return next?.key.text == source.key
            }
        }

        /// Runs what waits on the way to it, as far as `account`, which pays for that, has units
        /// left.
        package func catchUp(paying account: PipelineAccount?) {
            var last: Head?
            while let head = firstBehind, head !== last {
                head.catchUp(paying: account)
                last = head
            }
        }

        /// Calls `body` once nothing waits on the way to it, or its stages have gone.
        ///
        /// It may be called while the chain is being freed, and must not cause more work there.
        package func whenCaughtUp(_ body: @escaping () -> Void) {
            guard let head = firstBehind else { return body() }
            head.whenCaughtUp { [weak self] in
                if let self { whenCaughtUp(body) } else { body() }
            }
        }

        init(
            _ key: ChainKey,
            _ hash: ChainHash,
            stage: String,
            label: String,
            patterns: [any RegexMatcher],
            hasMemory: Bool,
            node: Node<Datum>,
            in graph: LiveGraph,
            after previous: Record? = nil,
            sources: [String] = [],
            members: AllMembers? = nil,
            computed: ComputedName? = nil,
            isShared: Bool,
            meter: StageMeter,
            of segment: Segment
        ) {
            self.key = key
            self.hash = hash
            self.stage = stage
            self.label = label
            self.patterns = patterns
            self.hasMemory = hasMemory
            self.node = node
            number = node.id
            born = graph.stampTime
            rev = graph.rev
            self.previous = previous
            level = previous.map { $0.level + 1 } ?? 0
            self.sources = sources
            self.members = members
            self.computed = computed
            self.isShared = isShared
            self.meter = meter
            self.segment = segment
            if previous?.segment === segment { previous?.next = self }
        }
    }

    private var shared: [ChainKey: Record] = [:]
    private var records: [UInt64: Record] = [:]
    /// For each node with heads of chains, by its creation number, the emissions that they have not
    /// handled yet.
    var emissions: [UInt64: EmissionRecord] = [:]
    private var hidden: Set<UInt64> = []
    private var inner: [UInt64: InnerStage] = [:]
    /// How sources of client pipelines depend on their inputs, if values decide that.
    private var branchings: [UInt64: Branching] = [:]

    func find(_ key: ChainKey) -> Record? { shared[key] }

    /// The living node of a source with a computed name.
    func followed(from source: Source, for access: Access) -> Node<Datum>? {
        source.argument.computedName == nil ? nil : find(ChainKey(source, for: access))?.node
    }

    /// The record of a node, if it is a stage of a client pipeline.
    package func record(of number: UInt64) -> Record? { records[number] }

    package var all: [Record] { records.values.sorted { $0.number < $1.number } }

    /// The nodes of sources that read some of these nodes.
    ///
    /// A flatten may choose any of its nodes later; one with a computed name has what it follows.
    func sources(losing gone: [AnyNode], named names: Set<String>) -> [AnyNode] {
        let numbers = Set(gone.map(\.id))
        return all.filter { record in
            record.sources.contains(where: names.contains)
                || record.computed != nil
                    && record.node.followedNodes.contains { numbers.contains($0.id) }
        }.map(\.node)
    }

    /// Adds the record of a node that has just been built.
    func add(_ record: Record) {
        records[record.number] = record
        if record.isShared { shared[record.key] = record }
        record.previous?.owners += 1
    }

    /// Records which step of a definition a node implements; nil: none.
    func note(_ node: Node<Datum>, as part: InnerStage.Part?, born: UInt64) {
        if part == nil, inner.isEmpty { return }
        inner[node.id] = part.map { InnerStage($0, node, born: born) }
    }

    /// Records how the node of a source depends on its inputs, if values decide that.
    func note(_ node: Node<Datum>, as branching: Branching?) {
        if let branching { branchings[node.id] = branching }
    }

    /// How that node depends on its input, if it is the source of a client's pipeline and values
    /// decide that.
    func branching(of number: UInt64) -> Branching? { branchings.isEmpty ? nil : branchings[number] }

    /// The stage of a definition's pipe with this number.
    package func inner(_ number: UInt64) -> InnerStage? { inner[number] }

    /// Marks a node that is only a part of a stage: it is neither counted nor shown.
    func hide(_ node: AnyNode) {
        hidden.insert(node.id)
    }

    /// Living nodes that are only parts of stages.
    var hiddenCount: Int { hidden.count }

    /// Whether the node of that number is only a part of a stage.
    package func isHidden(_ number: UInt64) -> Bool { !hidden.isEmpty && hidden.contains(number) }

    /// The graph has freed a node.
    ///
    /// - Returns: whether it was only a part of a stage.
    func removeHidden(_ number: UInt64) -> Bool { !hidden.isEmpty && hidden.remove(number) != nil }

    /// A named node, which may also be the last stage of its pipe, was reported as freed.
    func forgetStage(_ number: UInt64) {
        if !inner.isEmpty { inner[number] = nil }
    }

    /// The graph has freed a node.
    func died(_ number: UInt64) {
        if !inner.isEmpty { inner[number] = nil }
        if !branchings.isEmpty { branchings[number] = nil }
        guard !records.isEmpty, let record = records.removeValue(forKey: number) else { return }
        record.meter.close()
        record.previous?.owners -= 1
        guard record.isShared else { return }
        if shared[record.key] === record { shared[record.key] = nil }
    }
}
