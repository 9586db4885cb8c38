package import Commits
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

/// Records the emissions of a node while commits are replayed, even if definitions remove it, add
/// it again, or close it to the caller.
package final class PastRecorder {
    /// The size of the recorded values in bytes.
    package private(set) var bytes = 0
    private var emissions: [HistoryRing.Entry] = []
    private var isEmptyNow = true
    /// The node's facets, each time they changed; empty if they were not requested.
    package private(set) var states: [State] = []
    private var facets = Facets()
    private let hasFacets: Bool
    /// Why the values of the next commit were set, if that does not say so itself.
    package var cause: Cause?
    private let name: String
    private let access: Access
    private let bag = CancellableBag()
    private var heard: Heard? {
        didSet { if oldValue !== heard { oldValue?.disconnect() } }
    }

    /// A recorder for the node with that name, in a graph to which no commit was applied yet; nil:
    /// the graph does not exist yet.
    package init(
        of name: String,
        for access: Access,
        facets hasFacets: Bool,
        in graph: LiveGraph?
    ) {
        self.name = name
        self.access = access
        self.hasFacets = hasFacets
        if let graph { follow(graph) }
        if let graph, let node = heard?.node { facets = MergedFacets(of: node, in: graph).facets }
        isEmptyNow = heard?.node?.value == nil
    }

    /// A node's facets from one commit on.
    package struct State {
        package let stamp: LogStamp
        package let json: [UInt8]
    }

    /// The number of emissions and facet changes.
    package var count: Int { emissions.count + states.count }

    /// The emissions recorded after `rev`, up to `end`, after one that is known already.
    package func ring(
        since rev: UInt64,
        beginningWith first: HistoryRing.Entry? = nil,
        through end: UInt64 = .max
    ) -> HistoryRing {
        let noted = emissions.prefix { $0.stamp.rev <= end }
        let entries = (first.map { [$0] } ?? []) + noted
        return HistoryRing(capacity: .max, byteLimit: .max, from: rev, entries, isEmptyNow: isEmptyNow)
    }

    /// A commit is about to be applied: releases the node, in case the commit removes it.
    package func prepare(for commit: Commit) {
        switch commit.kind {
        case .values, .define, .tick, .drop, .expire: break
        case .redefine(let definition, _): if !definition.means(name) { heard?.disconnect() }
        case .remove: heard?.disconnect()
        }
    }

    package func note(_ entry: LogEntry, _ graph: LiveGraph) {
        switch entry.kind {
        case .values, .tick, .drop, .expire: break
        case .define, .redefine, .remove:
            let former = heard
            follow(graph)
            if heard !== former { append(heard?.node?.value, graph, .of(.initial, by: entry.by)) }
        }
        if hasFacets { noteState(graph) }
    }

    private func noteState(_ graph: LiveGraph) {
        let present = heard?.node.map { MergedFacets(of: $0, in: graph).facets } ?? Facets()
        guard present != facets else { return }
        facets = present
        var buffer = ByteBuffer()
        present.append(lastSet: nil, to: &buffer)
        bytes += buffer.count
        states.append(State(stamp: graph.stamp, json: Array(buffer.bytes)))
    }

    /// Listens to the graph's node, if it is not the same node as before.
    private func follow(_ graph: LiveGraph) {
        guard graph.isLive, let node = graph.node(name), access.rights(on: node).contains(.read) else {
            heard = nil
            return
        }
        let living = graph.builder.materialise(node)
        guard heard?.node !== living else { return }
        let heard = Heard { [unowned self, unowned graph, unowned living] in
            append(living.value, graph, graph.present.cause(at: living.id, in: graph))
        }
        bag.insert(heard)
        heard.listen(to: living)
        self.heard = heard
    }

    private func append(_ value: Datum?, _ graph: LiveGraph, _ cause: Cause) {
        if value == nil, isEmptyNow { return }
        isEmptyNow = value == nil
        bytes += value?.byteCount ?? 0
        emissions.append(HistoryRing.Entry(stamp: graph.stamp, value: value, cause: self.cause ?? cause))
    }

    private final class Heard: ChangeListen<Datum> {
        private let hear: () -> Void

        init(_ hear: @escaping () -> Void) {
            self.hear = hear
            super.init(name: "Past") { edge in
                (edge as! Heard).hear()
                return .nothing
            }
        }
    }
}
