internal import Graphs
internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

/// A continuous view of a graph (docs/protocol.md, observe): `topo` shows everything, each `topod`
/// what has changed since the last message.
///
/// It keeps nothing alive and listens to nothing. At its interval it compares the graph with what
/// it sent last; ``GraphWatch`` reports what came and went in between.
///
/// With surroundings it shows only what is near one node (I-1).
///
/// Invariant: a node in `sent` is alive, because ``note(_:)-(GraphWatch.Death)`` removes those
/// that die.
final class Observer {
    static let shortestInterval = 50
    static let mostListeners = 1_000
    static let mostUpstreams = 100

    /// The id that the client chose.
    let id: UInt64
    let graph: LiveGraph
    /// The shortest time between two messages, in milliseconds.
    private(set) var every: UInt64

    static let mostMembers = 100

    /// The part of the graph that it shows; nil: all of it.
    private let surroundings: Surroundings?
    /// The family members to show; nil: all of them, if they are few.
    private let members: [String]?
    private unowned let session: Session
    private lazy var timer = Timer { [unowned self] in timerFired() }
    private var sequence: UInt64 = 0
    private var sentFigures = Figures()
    private var listenersSentAt: UInt64 = 0
    /// What was sent of upstreams, and their changes until then.
    private var sentUpstreams: [Picture.Upstream] = []
    private var upstreamChanges: UInt64 = 0
    private var sent = SentPicture()
    private var sentFamilies: [KnownFamily] = []
    private var deaths: Endings<GraphWatch.Death>
    private var departures: Endings<GraphWatch.Departure>
    /// The definitions that were sent last, by name, and whether they have changed since.
    private var declared: [String: String] = [:]
    private var isRedefined = false

    /// What was sent about a family.
    private struct KnownFamily: Equatable {
        let definition: ObjectIdentifier
        let members: Int
        let alive: Int
    }

    init(
        id: UInt64,
        session: Session,
        graph: LiveGraph,
        every: UInt64,
        members: [String]?,
        around surroundings: Surroundings?
    ) {
        self.members = members
        self.surroundings = surroundings
        self.id = id
        self.session = session
        self.graph = graph
        self.every = every
        // A larger message would end a connection that has anything else waiting.
        let mostBytes = session.host.limits.hardBytes / 4
        deaths = Endings(atMost: mostBytes)
        departures = Endings(atMost: mostBytes)
    }

    /// The first message, with everything; the next ones contain the differences from it.
    func begin() -> [UInt8] {
        let picture = picture
        learn(picture)
        learnDefinition()
        sequence = 1
        var buffer = ByteBuffer()
        Answer.begin("topo", id: id, to: &buffer)
        buffer.member("seq", sequence)
        Answer.appendMoment(of: graph, to: &buffer)
        let access = session.access
        buffer.member("nodes", list: picture.entries) { $0.append(to: &$1, isLive: true, for: access) }
        buffer.member("edges", list: picture.links) { $0.append(to: &$1) }
        appendFamilies(to: &buffer)
        buffer.member("listeners", list: listed(picture)) { $0.append(to: &$1, for: session) }
        appendListenerCount(picture, to: &buffer)
        if graph.definition.hasSources { append(picture.upstreams, to: &buffer) }
        buffer.append("}")
        return Array(buffer.bytes)
    }

    private var picture: Picture {
        Picture(of: graph, isLive: true, members: members, surroundings: surroundings)
    }

    /// Starts observing: the first message has been sent.
    func start() {
        GraphWatch.watching(graph).add(self)
        schedule()
    }

    /// Stops observing.
    func cancel() {
        session.host.timers.cancel(timer)
        graph.watch?.remove(self)
    }

    func change(every: UInt64) {
        self.every = every
        schedule()
    }

    private func schedule() {
        session.host.timers.set(timer, due: session.host.clock.now + every)
    }

    // MARK: - Reports of GraphWatch

    /// A node is being freed.
    func note(_ death: GraphWatch.Death) {
        let wasShown = sent.nodes.removeValue(forKey: death.number) != nil
        // If it was not shown, it is unknown whether it was near.
        guard wasShown || (surroundings == nil && !(death.isMember && hidesMembers)) else { return }
        deaths.append(wasShown ? death.shown : death)
    }

    private var hidesMembers: Bool { Picture.hidesMembers(of: graph, besides: members) }

    /// A node without an entry is being freed and must not be used any more.
    func forget(_ number: UInt64) {
        sent.nodes[number] = nil
    }

    /// A session stops listening, or a chain is no longer kept.
    func note(_ departure: GraphWatch.Departure) {
        let wasShown = sent.listeners.removeValue(forKey: departure.holder) != nil
        guard wasShown || surroundings == nil else { return }
        departures.append(wasShown ? departure.shown : departure)
    }

    /// The graph has a new definition.
    func noteRedefinition() {
        isRedefined = true
    }

    private func learnDefinition() {
        declared = Dictionary(
            graph.nodes.map { ($0.name, $0.definition.canonical) },
            uniquingKeysWith: { first, _ in first }
        )
        isRedefined = false
    }

    /// The part of a new definition to send: changed nodes, living or not, and removed names.
    private func redefinition(_ picture: Picture?) -> (entries: [Picture.Entry], gone: [String]) {
        guard isRedefined, let picture else { return ([], []) }
        let entries = picture.entries.filter { entry in
            entry.named.map { declared[$0.name] != $0.definition.canonical } ?? false
        }
        // Nodes that existed only between two messages are known only from `GraphWatch`.
        let gone =
            surroundings == nil
            ? Set(declared.keys).union(deaths.all.compactMap(\.name)).filter { graph.existing($0) == nil }
                .sorted()
            : []
        learnDefinition()
        return (entries, gone)
    }

    // MARK: - What can be seen

    private func timerFired() {
        schedule()
        let now = session.host.clock.now
        // A slow client gets one message with everything once it has caught up.
        guard !session.isClosed, session.hasRoom else { return }
        if let surroundings, graph.node(surroundings.node) == nil { return session.end(self, .nodeRemoved) }
        let present = Figures(graph)
        let mayRefresh = graph.clients.subscriptions > 0 || upstreamChanges != sight?.changes ?? 0
        let refreshes = mayRefresh && now >= listenersSentAt + 1000
        guard present != sentFigures || refreshes || !deaths.isEmpty || !departures.isEmpty else { return }
        let isStructural =
            present.structure != sentFigures.structure || !deaths.isEmpty || !departures.isEmpty
            || isRedefined
        sentFigures = present
        if refreshes { listenersSentAt = now }
        let message = difference(
            isStructural ? picture : nil,
            listenersToo: refreshes
        )
        guard let message else { return }
        session.send(Outgoing(.answer, message))
    }

    /// The next message; nil if nothing has changed.
    private func difference(_ picture: Picture?, listenersToo: Bool) -> [UInt8]? {
        var buffer = ByteBuffer()
        let picture = picture ?? (listenersToo ? self.picture : nil)
        var values: [(number: UInt64, node: Node<Datum>, count: UInt32)] = []
        for (number, known) in sent.nodes {
            let node = known.node
            if node.emissionCount != known.count { values.append((number, node, node.emissionCount)) }
        }
        for value in values { sent.nodes[value.number]?.count = value.count }
        values.sort { $0.number < $1.number }
        let (before, upstreamsBefore) = (sent, sentUpstreams)
        if let picture { learn(picture) }
        let away = picture == nil ? [] : away(from: before)
        if !away.isEmpty { values.removeAll { sent.nodes[$0.number] == nil } }

        let redefinition = redefinition(picture)
        var newNodes = picture?.entries.filter { $0.number.map { before.nodes[$0] == nil } ?? false } ?? []
        let newNumbers = Set(newNodes.compactMap(\.number))
        newNodes += redefinition.entries.filter { $0.number.map { !newNumbers.contains($0) } ?? true }
        if surroundings != nil, let picture {
            let included = Set(newNodes.compactMap(\.named?.name))
            newNodes += picture.entries.filter { entry in
                entry.named.map { !before.names.contains($0.name) && !included.contains($0.name) } ?? false
            }
        }
        let newEdges = picture?.links.filter { before.edges[$0.number] != $0.queued } ?? []
        let newListeners =
            picture.map(listed)?.filter {
                sent.listeners[$0.holder] != before.listeners[$0.holder]
            } ?? []
        let left = partings
        let unseen =
            surroundings == nil || picture == nil
            ? [] : before.listeners.keys.filter { sent.listeners[$0] == nil }.sorted { $0.text < $1.text }
        let goneEdges = picture == nil ? [] : before.edges.keys.filter { sent.edges[$0] == nil }.sorted()
        let newOwners =
            picture?.entries.filter { entry in
                guard let number = entry.number, let known = before.nodes[number] else { return false }
                return known.owners != entry.owners
            } ?? []
        let isNews =
            !values.isEmpty || !newNodes.isEmpty || !newEdges.isEmpty || !newListeners.isEmpty
            || !goneEdges.isEmpty
            || !newOwners.isEmpty || !deaths.isEmpty || !left.isEmpty || !redefinition.gone.isEmpty
            || !away.isEmpty || !unseen.isEmpty || sentFamilies != families
            || sentUpstreams != upstreamsBefore
        defer {
            deaths.removeAll()
            departures.removeAll()
        }
        guard isNews else { return nil }

        sequence += 1
        Answer.begin("topod", id: id, to: &buffer)
        buffer.member("seq", sequence)
        buffer.member("rev", graph.rev)
        Answer.appendTime(of: graph, to: &buffer)
        let deaths = deaths.all
        let flashed = deaths.filter { !$0.wasShown }.map(\.entry)
        let born = flashed.map(Shown.bytes) + newNodes.map { Shown.entry($0, session) }
        let passed = left.filter { !$0.wasShown }.map(\.entry)
        let joined = passed.map(Shown.bytes) + newListeners.map { Shown.listener($0, session) }
        buffer.member("add") { buffer in
            buffer.member("nodes", list: born) { $0.append(to: &$1) }
            buffer.member("edges", list: newEdges) { $0.append(to: &$1) }
            buffer.member("listeners", list: joined) { $0.append(to: &$1) }
        }
        let gone = redefinition.gone.map { Ended.name($0, .removed) }
        let partings = left.map(Parted.departure) + unseen.map(Parted.away)
        buffer.member("del") { buffer in
            buffer.member("nodes", list: deaths.map(Ended.node) + away + gone) { $0.append(to: &$1) }
            buffer.member("edges", list: goneEdges) { $1.append(decimal: $0) }
            buffer.member("listeners", list: partings) { $0.append(to: &$1) }
        }
        buffer.member("val", list: values) { value, buffer in
            buffer.append("[")
            buffer.append(decimal: value.number)
            buffer.append(",{")
            Subscription.append(value.node.value, to: &buffer)
            buffer.append("},")
            buffer.append(decimal: value.count)
            buffer.append(",")
            buffer.append(decimal: graph.lastChange(of: value.node).rev)
            buffer.append("]")
        }
        buffer.member("own", list: newOwners) { entry, buffer in
            buffer.append("[")
            buffer.append(decimal: entry.number ?? 0)
            buffer.append(",")
            buffer.append(owners: entry.owners)
            if entry.owners.count > Picture.Entry.mostOwners {
                buffer.append(",")
                buffer.append(decimal: entry.owners.count)
            }
            buffer.append("]")
        }
        if sentFamilies != families { appendFamilies(to: &buffer) }
        if let picture { appendListenerCount(picture, to: &buffer) }
        if let picture, sentUpstreams != upstreamsBefore { append(picture.upstreams, to: &buffer) }
        buffer.append("}")
        return Array(buffer.bytes)
    }

    /// The families of the graph at present, with their member counts.
    private var families: [KnownFamily] {
        surroundings == nil
            ? graph.members.families.map {
                KnownFamily(definition: ObjectIdentifier($0.definition), members: $0.shown, alive: $0.living)
            } : []
    }

    /// Appends `,"families":[…]` with all of them; nothing if there are none and were none.
    private func appendFamilies(to buffer: inout ByteBuffer) {
        let former = sentFamilies
        sentFamilies = families
        guard !former.isEmpty || !sentFamilies.isEmpty else { return }
        buffer.member("families", list: graph.members.families) { $0.append(to: &$1) }
    }

    /// Nodes that live on, or are declared, and are no longer shown: they are not near, or there
    /// are too many family members now.
    private func away(from former: SentPicture) -> [Ended] {
        former.nodes.keys.filter { sent.nodes[$0] == nil }.sorted().map(Ended.away)
            + former.names.subtracting(sent.names).sorted().map { name in
                .name(name, graph.existing(name) == nil ? .removed : .away)
            }
    }

    /// The last departure of each session that no longer listens.
    ///
    /// A session that listens again has not gone, from the client's view.
    private var partings: [GraphWatch.Departure] {
        var seen: Set<Picture.Holder> = []
        return departures.all.reversed()
            .filter { sent.listeners[$0.holder] == nil && seen.insert($0.holder).inserted }
            .reversed()
    }

    /// Remembers the contents of a picture.
    private func learn(_ picture: Picture) {
        sent = SentPicture(picture, listed(picture), namesToo: surroundings != nil)
        sentFigures = Figures(graph)
        sentUpstreams = Array(picture.upstreams.prefix(Self.mostUpstreams))
        upstreamChanges = sight?.changes ?? 0
    }

    /// What knows which upstreams are open; nil: the graph has no sources.
    private var sight: (any UpstreamSight)? {
        graph.definition.hasSources ? session.host.handlers.upstreams : nil
    }

    /// Appends `,"upstreams":[…]` with all that are open, as far as they are listed.
    private func append(_ upstreams: [Picture.Upstream], to buffer: inout ByteBuffer) {
        buffer.member("upstreams", list: upstreams.prefix(Self.mostUpstreams)) { $0.append(to: &$1) }
        if upstreams.count > Self.mostUpstreams { buffer.member("upstreamCount", upstreams.count) }
    }

    private func listed(_ picture: Picture) -> [Picture.Listener] {
        Array(picture.listeners.prefix(Self.mostListeners))
    }

    private func appendListenerCount(_ picture: Picture, to buffer: inout ByteBuffer) {
        guard picture.listeners.count > Self.mostListeners else { return }
        buffer.member("listenerCount", picture.listeners.count)
    }
}

/// Counters that stay equal while nothing happens.
///
/// For a quiet graph, comparing them is the whole cost of observing.
private struct Figures: Equatable {
    var rev: UInt64 = 0
    var turns: UInt64 = 0
    var structure: [UInt64] = []

    init() {}

    init(_ graph: LiveGraph) {
        let counts = graph.core.counts
        rev = graph.rev
        turns = graph.core.turnCount
        structure = [
            graph.core.connectionCount, UInt64(counts.liveEdges), UInt64(counts.liveListeners),
            UInt64(counts.liveFollowings), UInt64(counts.bornNodes), UInt64(counts.releasedNodes),
            graph.clients.ownerChanges,
        ]
    }
}
