internal import DequeModule
internal import ReactiveGraph
internal import Values

/// The emissions of one node for which stages wait whose principals have no units left.
///
/// The edges of those stages are parked, so an emission is recorded here once, and costs nothing
/// for each stage. A stage that needs every emission *stands* at the one that it handles next; for
/// all others the newest is enough. A stage that rests and needs every emission stands at the next
/// one, which is yet to come.
final class Backlog {
    /// How many emissions may wait for one stage.
    static let mostWaiting = 1_024
    /// The cost of recording an emission: a microsecond.
    private static let recordingUnits = 50
    /// The cost of the first stage that waits for emissions of a node: three microseconds.
    private static let buildingUnits = 150
    /// Bytes that a waiting emission takes besides its value.
    private static let entryBytes = 256

    /// A recorded emission.
    final class Entry {
        let commit: CommitInfo
        /// The `time` that expressions see, in milliseconds since 1970.
        let time: UInt64
        let emission: AnyEmission
        /// How many emissions there have been until this one, with those that it and earlier ones
        /// replaced on their way.
        let count: UInt64
        /// The bytes of all emissions recorded until this one.
        fileprivate let bytes: Int
        /// How many stages stand here.
        fileprivate var standing = 0

        fileprivate init(_ emission: AnyEmission, in graph: LiveGraph, count: UInt64, bytes: Int) {
            self.emission = emission
            commit = graph.envelope.info
            time = graph.evaluationTime
            self.count = count
            self.bytes = bytes
        }
    }

    /// A principal, and how many of its stages stand at an emission, or at the next one.
    private struct Share {
        let account: PipelineAccount
        var standing = 0
        var upcoming = 0
    }

    private unowned let graph: LiveGraph
    /// The node, which lives as long as a stage waits.
    private unowned let source: AnyNode
    private let number: UInt64
    private var entries: Deque<Entry> = []
    /// The number of the first entry; numbers rise by one.
    private var first: UInt64 = 0
    private var gates: ContiguousArray<Unowned<StageGate>> = []
    private var shares: ContiguousArray<Share> = []
    /// The stages that rest, by account.
    private var resting: [ObjectIdentifier: (account: PipelineAccount, stages: Resting)] = [:]
    /// ``Entry/count`` of the newest.
    private(set) var count: UInt64 = 0
    /// ``AnyNode/emissionCount`` of the source when the newest was recorded.
    private var recorded: UInt32 = 0

    private init(of source: AnyNode, in graph: LiveGraph) {
        self.source = source
        self.graph = graph
        number = source.id
    }

    /// The backlog of a node, in which the node's present emission is recorded.
    static func of<Value: Weighed>(
        _ source: Node<Value>,
        in graph: LiveGraph,
        _ present: Emission<Value>
    ) -> Backlog {
        let number = source.id
        graph.backlogs[number]?.record(present)
        if let known = graph.backlogs[number] { return known }
        let backlog = Backlog(of: source, in: graph)
        graph.host.lanes.spend(Self.buildingUnits)
        graph.backlogs[number] = backlog
        source.observeMissed { [unowned graph] emission in
            graph.lateRev = graph.rev
            graph.backlogs[number]?.record(emission)
        }
        backlog.add(present)
        return backlog
    }

    // MARK: - Emissions

    /// The number of the newest emission.
    var newest: UInt64 { first + UInt64(entries.count) - 1 }

    subscript(number: UInt64) -> Entry { entries[Int(number - first)] }

    /// Records the present emission, unless it is recorded already.
    private func record<Value: Weighed>(_ emission: Emission<Value>) {
        if source.emissionCount != recorded { add(emission) }
    }

    private func add<Value: Weighed>(_ emission: Emission<Value>) {
        recorded = source.emissionCount
        graph.host.work += 1
        let units = Self.recordingUnits + (emission.value?.rowUnits ?? 0)
        graph.host.lanes.note(units)
        let bytes = Self.entryBytes + (emission.value?.knownByteCount ?? 0)
        makeRoom(for: bytes)
        count += 1 + graph.replacedEmissions
        let total = (entries.last?.bytes ?? 0) + bytes
        entries.append(Entry(Value.any(emission), in: graph, count: count, bytes: total))
        for index in shares.indices {
            shares[index].account.held += shares[index].standing * bytes
            let arriving = shares[index].upcoming
            shares[index].upcoming = 0
            shares[index].standing += arriving
            entries[entries.count - 1].standing += arriving
        }
        trim()
        for (key, rest) in resting {
            if rest.stages.isEmpty {
                resting[key] = nil
            } else {
                graph.host.lanes.call(rest.stages, of: rest.account, charging: units)
            }
        }
    }

    /// Gives up stages for which one more emission would be too many or too large.
    private func makeRoom(for bytes: Int) {
        if entries.count == Self.mostWaiting {
            giveUp { [first] in $0.stand == first }
        }
        for share in shares {
            let account = share.account
            let room = max(0, graph.host.limits.held - account.held)
            var surplus = share.standing - room / bytes
            guard surplus > 0 else { continue }
            giveUp { gate in
                guard let stand = gate.stand, stand <= newest, gate.waitsAmong === account, surplus > 0
                else { return false }
                surplus -= 1
                return true
            }
        }
    }

    /// Gives up stages, the newest first.
    private func giveUp(_ isDue: (StageGate) -> Bool) {
        for index in gates.indices.reversed() where isDue(gates[index].object) {
            gates[index].object.overflow()
        }
    }

    /// Drops what no stage needs any more; the newest stays.
    private func trim() {
        while entries.count > 1, entries[0].standing == 0 {
            entries.removeFirst()
            first += 1
        }
    }

    // MARK: - Stages

    /// A stage waits.
    ///
    /// - Returns: the index to remember.
    func add(_ gate: StageGate) -> Int {
        gates.append(Unowned(gate))
        return gates.count - 1
    }

    /// The stage at that index does not wait any more, and stands nowhere.
    func remove(at index: Int) {
        let last = gates.removeLast()
        if index < gates.count {
            gates[index] = last
            last.object.moved(to: index)
        }
        if gates.isEmpty { graph.backlogs[number] = nil }
    }

    /// A stage stands at an emission, or at the next one; its principal is charged for all later
    /// ones.
    func stand(at number: UInt64, for account: PipelineAccount) { stand(1, at: number, account) }

    /// It stands there no longer.
    func leave(_ number: UInt64, for account: PipelineAccount) {
        stand(-1, at: number, account)
        trim()
    }

    /// So many more stages stand there.
    private func stand(_ change: Int, at number: UInt64, _ account: PipelineAccount) {
        let known = shares.firstIndex { $0.account === account }
        let index = known ?? shares.count
        if known == nil { shares.append(Share(account: account)) }
        if number > newest {
            shares[index].upcoming += change
        } else {
            shares[index].standing += change
            entries[Int(number - first)].standing += change
            account.held += change * bytes(after: number)
        }
        if shares[index].standing == 0, shares[index].upcoming == 0 { shares.remove(at: index) }
    }

    /// The resting stages of an account.
    func resting(of account: PipelineAccount) -> Resting {
        let key = ObjectIdentifier(account)
        if let known = resting[key] { return known.stages }
        let made = Resting()
        resting[key] = (account, made)
        return made
    }

    /// How many accounts have resting stages.
    var restingCount: Int { resting.count }

    /// A stage of an account has left those that rest.
    func restEnded(of account: PipelineAccount) {
        let key = ObjectIdentifier(account)
        if resting[key]?.stages.isEmpty == true { resting[key] = nil }
    }

    private func bytes(after number: UInt64) -> Int {
        (entries.last?.bytes ?? 0) - self[number].bytes
    }
}

/// An emission of a stage's input.
enum AnyEmission {
    case value(Emission<Datum>)
    /// Of the inputs of a join.
    case row(Emission<[Datum]>)

    func deliver(over edge: PostponingEdge) {
        switch self {
        case .value(let emission): edge.deliver(emission)
        case .row(let emission): edge.deliver(emission)
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
