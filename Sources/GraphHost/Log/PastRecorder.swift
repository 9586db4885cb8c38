internal import ReactiveGraph

/// Notes what a node emits while commits are replayed, also when definitions remove it, bring it back, or close it to the caller.
final class PastRecorder {
    /// The bytes of what it has noted.
    private(set) var bytes = 0
    private var emissions: [HistoryRing.Entry] = []
    private var isEmptyNow = true
    /// What a listen hears when it begins is no emission.
    private var isBeginning = false
    private let name: String
    private let access: Access
    private var heard: Heard? {
        didSet { if oldValue !== heard { oldValue?.disconnect() } }
    }

    /// A recorder of the node of that name, in a graph that nothing has happened to yet; nil: that has not begun.
    init(of name: String, for access: Access, in graph: LiveGraph?) {
        self.name = name
        self.access = access
        if let graph { follow(graph) }
        isEmptyNow = heard?.from?.value == nil
    }

    /// How many emissions it has.
    var count: Int { emissions.count }

    /// What it has noted after `rev`.
    func ring(since rev: UInt64) -> HistoryRing {
        HistoryRing(capacity: .max, byteLimit: .max, from: rev, emissions, isEmptyNow: isEmptyNow)
    }

    /// A commit is about to be applied: a node that goes with it may not be held.
    func prepare(for commit: Commit) {
        switch commit.kind {
        case .values, .define, .tick, .drop, .expire: break
        case .redefine(let definition, _): if !definition.means(name) { heard?.disconnect() }
        case .remove: heard?.disconnect()
        }
    }

    /// A commit was applied to `graph`.
    func note(_ entry: LogEntry, _ graph: LiveGraph) {
        switch entry.kind {
        case .values, .tick, .drop, .expire: break
        case .define, .redefine, .remove:
            let former = heard
            follow(graph)
            if heard !== former { append(heard?.from?.value, graph) }
        }
    }

    /// Listens to the node of the graph, where that is another one than before.
    private func follow(_ graph: LiveGraph) {
        guard graph.isLive, let node = graph.node(name), access.rights(on: node).contains(.read) else {
            heard = nil
            return
        }
        let living = graph.materialise(node)
        guard heard?.from !== living else { return }
        let heard = Heard { [unowned self, unowned graph, unowned living] in append(living.value, graph) }
        isBeginning = true
        heard.from = living
        heard.to = self
        isBeginning = false
        self.heard = heard
    }

    private func append(_ value: Datum?, _ graph: LiveGraph) {
        if isBeginning || (value == nil && isEmptyNow) { return }
        isEmptyNow = value == nil
        bytes += value?.byteCount ?? 0
        emissions.append(HistoryRing.Entry(stamp: LogStamp(rev: graph.rev, time: graph.time), value: value))
    }

    private final class Heard: ListenEdge<Datum> {
        private let hear: () -> Void

        init(_ hear: @escaping () -> Void) {
            self.hear = hear
            super.init(name: "Past") { edge in
                unsafeDowncast(edge, to: Heard.self).hear()
                return .nothing
            }
        }
    }
}
