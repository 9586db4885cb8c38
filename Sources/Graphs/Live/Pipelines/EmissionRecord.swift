internal import Definitions
internal import DequeModule
internal import ReactiveGraph
internal import Support
internal import Values

/// The emissions of one node that heads of clients' chains have not handled yet (``Head``).
///
/// An emission is recorded once for all heads at the node. A head that needs every emission
/// *stands* at the one that it handles next; for all others the newest is enough. While no head is
/// behind, nothing is kept.
final class EmissionRecord {
    /// How many emissions may wait for one head.
    static let mostWaiting = 1_024
    /// The cost of recording an emission: a microsecond.
    private static let recordingUnits = 50
    /// Bytes that a waiting emission takes besides its value.
    private static let entryBytes = 256

    /// A recorded emission.
    final class Entry {
        let commit: CommitInfo
        /// The turn of the loop in which it was emitted.
        let turn: UInt64
        /// The `time` that expressions see, in milliseconds since 1970.
        let time: UInt64
        let emission: AnyEmission
        /// What it has come with; nil: nothing that matters.
        let passage: Passage?
        /// Why it happened.
        let cause: Cause
        /// How many emissions there have been until this one.
        let count: Count
        /// The bytes of all emissions recorded until this one.
        fileprivate let bytes: Int
        /// How many heads stand here.
        fileprivate var standing = 0

        fileprivate init(
            _ emission: AnyEmission,
            of node: UInt64,
            in graph: LiveGraph,
            count: Count,
            bytes: Int
        ) {
            self.emission = emission
            passage = graph.core.passage
            cause = graph.present.cause(at: node, in: graph)
            commit = graph.present.commit
            turn = graph.host.turns
            time = graph.evaluationTime
            self.count = count
            self.bytes = bytes
        }
    }

    /// How many emissions there have been, with those that were replaced on their way.
    struct Count {
        var all: UInt64 = 0
        /// Without those that made nothing empty because it was empty before: subscribers receive
        /// nothing of them.
        var heard: UInt64 = 0
    }

    /// A principal, and how many of its heads stand at an emission.
    private struct Share {
        let account: PipelineAccount
        var standing = 0
    }

    private unowned let graph: LiveGraph
    /// The node, which lives as long as a head waits for its emissions.
    private unowned let source: AnyNode
    private let number: UInt64
    private var entries: Deque<Entry> = []
    /// The number of the first entry; numbers rise by one.
    private var first: UInt64 = 0
    /// First those that have handled everything, then those that are behind.
    private var heads: ContiguousArray<Unowned<Head>> = []
    /// How many have handled everything.
    private var idle = 0
    private var shares: ContiguousArray<Share> = []
    /// ``Entry/count`` of the newest emission.
    private(set) var count = Count()
    /// Whether the newest emission, or what the source held before the first, was empty.
    private var isEmpty: Bool
    /// ``AnyNode/emissionCount`` of the source when the newest was recorded.
    private var recorded: UInt32

    private init(of source: AnyNode, in graph: LiveGraph) {
        self.source = source
        self.graph = graph
        number = source.id
        recorded = source.emissionCount
        isEmpty = source.isEmpty
    }

    /// The record of the node that a head's edge comes from; nil if the edge has lost an end.
    static func of(_ edge: PostponingEdge, in graph: LiveGraph) -> EmissionRecord? {
        guard let source = edge.source else { return nil }
        if let known = graph.chains.emissions[source.id] { return known }
        if let source = source as? Node<Datum> { return begin(of: source, in: graph) }
        if let source = source as? Node<[Datum]> { return begin(of: source, in: graph) }
        preconditionFailure("a client's stage follows a value or a row")
    }

    private static func begin<Value: Weighed>(of source: Node<Value>, in graph: LiveGraph) -> EmissionRecord {
        let (number, made) = (source.id, EmissionRecord(of: source, in: graph))
        graph.chains.emissions[number] = made
        source.observeMissed { [unowned graph] emission in graph.chains.emissions[number]?.record(emission) }
        return made
    }

    // MARK: - Emissions

    /// The number of the newest emission.
    var newest: UInt64 { first + UInt64(entries.count) - 1 }

    subscript(number: UInt64) -> Entry { entries[Int(number - first)] }

    /// Records the present emission, unless it is recorded already; the heads fall behind.
    private func record<Value: Weighed>(_ emission: Emission<Value>) {
        guard source.emissionCount != recorded else { return }
        recorded = source.emissionCount
        let host = graph.host
        host.work += 1
        let row = emission.value?.rowUnits ?? 0
        host.pipelines.note(Self.recordingUnits + row)
        // Only one chain follows a row.
        if row > 0 { heads.first?.object.charge(row) }
        let bytes = Self.entryBytes + (emission.value?.knownByteCount ?? 0)
        makeRoom(for: bytes)
        let before = count
        note(isEmpty: emission.isEmpty, replacing: graph.present.replaced)
        let total = (entries.last?.bytes ?? 0) + bytes
        entries.append(Entry(Value.any(emission), of: number, in: graph, count: count, bytes: total))
        for share in shares { share.account.held += share.standing * bytes }
        let waking = idle
        idle = 0
        trim()
        for place in 0..<waking { heads[place].object.fellBehind(since: before) }
    }

    private func note(isEmpty new: Bool, replacing replaced: UInt64) {
        count.all += 1 + replaced
        if !new || !isEmpty || replaced > 0 { count.heard += 1 + replaced }
        isEmpty = new
    }

    /// Gives up heads for which one more emission would be too many or too large.
    private func makeRoom(for bytes: Int) {
        if entries.count == Self.mostWaiting {
            giveUp { [first] in $0.stand == first }
        }
        for share in shares {
            let account = share.account
            let room = max(0, graph.host.limits.held - account.held)
            var surplus = share.standing - room / bytes
            guard surplus > 0 else { continue }
            giveUp { head in
                guard head.stand != nil, head.waitsAmong === account, surplus > 0 else { return false }
                surplus -= 1
                return true
            }
        }
    }

    /// Gives up heads, the newest first.
    private func giveUp(_ isDue: (Head) -> Bool) {
        let due = heads.reversed().filter { isDue($0.object) }
        for head in due { head.object.overflow() }
    }

    /// Drops what no head needs any more; the newest stays, as in the node itself.
    private func trim() {
        while entries.count > 1, entries[0].standing == 0 {
            entries.removeFirst()
            first += 1
        }
    }

    // MARK: - Heads

    /// A new head, which has handled everything; it learns its place.
    func add(_ head: Head) {
        heads.append(Unowned(head))
        head.place = heads.count - 1
        exchange(head.place, idle)
        idle += 1
    }

    /// The head, which stands nowhere, has left.
    func remove(_ head: Head) {
        if head.place < idle {
            idle -= 1
            exchange(head.place, idle)
        }
        exchange(head.place, heads.count - 1)
        heads.removeLast()
        trim()
        if heads.isEmpty { graph.chains.emissions[number] = nil }
    }

    /// The head has handled everything.
    func caughtUp(_ head: Head) {
        exchange(head.place, idle)
        idle += 1
        trim()
    }

    private func exchange(_ place: Int, _ other: Int) {
        guard place != other else { return }
        heads.swapAt(place, other)
        heads[place].object.place = place
        heads[other].object.place = other
    }

    /// A head stands at an emission; its principal is charged for all later ones.
    func stand(at number: UInt64, for account: PipelineAccount) { stand(1, at: number, account) }

    /// It stands there no longer.
    func leave(_ number: UInt64, for account: PipelineAccount) {
        stand(-1, at: number, account)
        trim()
    }

    /// So many more heads stand there.
    private func stand(_ change: Int, at number: UInt64, _ account: PipelineAccount) {
        let known = shares.firstIndex { $0.account === account }
        let index = known ?? shares.count
        if known == nil { shares.append(Share(account: account)) }
        shares[index].standing += change
        let entry = self[number]
        entry.standing += change
        account.held += change * ((entries.last?.bytes ?? 0) - entry.bytes)
        if shares[index].standing == 0 { shares.remove(at: index) }
    }
}

/// An emission of a stage's input.
enum AnyEmission {
    case value(Emission<Datum>)
    /// Of the inputs of a join.
    case row(Emission<[Datum]>)

    func deliver(over edge: PostponingEdge, after passage: Passage?) {
        switch self {
        case .value(let emission): edge.deliver(emission, after: passage)
        case .row(let emission): edge.deliver(emission, after: passage)
        }
    }
}

/// The input of a stage: a value, or one value of each input of a join.
protocol Weighed {
    /// The size of its JSON text in bytes, as far as it is known.
    var knownByteCount: Int { get }
    /// What putting its values together has cost.
    var rowUnits: Int { get }

    static func any(_ emission: Emission<Self>) -> AnyEmission
}

extension Datum: Weighed {
    var rowUnits: Int { 0 }

    static func any(_ emission: Emission<Datum>) -> AnyEmission { .value(emission) }
}

extension [Datum]: Weighed {
    var knownByteCount: Int { reduce(0) { $0 + $1.knownByteCount } }
    var rowUnits: Int { StageCost.rowUnits(count) }

    static func any(_ emission: Emission<[Datum]>) -> AnyEmission { .row(emission) }
}
