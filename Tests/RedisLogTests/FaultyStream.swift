import Commits

@testable import RedisLog

/// What befalls the next step that a server asks of Redis.
enum StreamFault {
    case none
    /// It does not arrive.
    case unreachable
    /// It is done, and the answer is lost.
    case lostAnswer
}

/// The real store of one server, with faults between it and Redis.
final class FaultyStore: StreamStore, @unchecked Sendable {
    private let store: RedisStore
    var fault = StreamFault.none
    /// Whether nothing arrives until this is false again.
    var isCutOff = false

    init(_ store: RedisStore) { self.store = store }

    private func ask<Value>(_ body: () throws(RedisError) -> Value) throws(RedisError) -> Value {
        let fault = isCutOff ? .unreachable : fault
        self.fault = .none
        if case .unreachable = fault { throw .unreachable("a fault of the test's") }
        let value = try body()
        if case .lostAnswer = fault { throw .unreachable("a fault of the test's") }
        return value
    }

    func append(
        _ batches: [Batch],
        fence: UInt64,
        replicas: Int,
        isReading: Bool
    ) throws(RedisError) -> Appended {
        try ask { () throws(RedisError) in
            try store.append(batches, fence: fence, replicas: replicas, isReading: isReading)
        }
    }

    func wait(for replicas: Int) throws(RedisError) {
        try ask { () throws(RedisError) in try store.wait(for: replicas) }
    }

    func positions() throws(RedisError) -> [String: StreamPosition] {
        try ask { () throws(RedisError) in try store.positions() }
    }

    func verify(_ positions: [String: StreamPosition]) throws(RedisError) -> [String: StreamEnd] {
        try ask { () throws(RedisError) in try store.verify(positions) }
    }

    func claim(_ graph: String, _ position: StreamPosition, for instance: String) throws(RedisError) {
        try ask { () throws(RedisError) in try store.claim(graph, position, for: instance) }
    }

    func seed(
        _ graph: String,
        _ position: StreamPosition,
        from instance: String,
        epoch: String,
        id: String,
        _ state: [UInt8]
    ) throws(RedisError) -> Bool {
        try ask { () throws(RedisError) in
            try store.seed(graph, position, from: instance, epoch: epoch, id: id, state)
        }
    }

    func load(_ graph: String) throws(RedisError) -> LoadedGraph? {
        try ask { () throws(RedisError) in try store.load(graph) }
    }

    func store(
        _ state: [UInt8],
        of graph: String,
        at position: StreamPosition,
        fence: UInt64,
        keeping oldest: UInt64
    ) throws(RedisError) -> Bool {
        try ask { () throws(RedisError) in
            try store.store(state, of: graph, at: position, fence: fence, keeping: oldest)
        }
    }

    func digests(of graph: String, at revs: [UInt64]) throws(RedisError) -> [UInt64: String] {
        try ask { () throws(RedisError) in try store.digests(of: graph, at: revs) }
    }

    func store(_ digests: [UInt64: String], of graph: String) throws(RedisError) {
        try ask { () throws(RedisError) in try store.store(digests, of: graph) }
    }

    func signs() throws(RedisError) -> [String] { try ask { () throws(RedisError) in try store.signs() } }

    func begin(epoch: String, unlessChanged signs: [String]) throws(RedisError) -> Bool {
        try ask { () throws(RedisError) in try store.begin(epoch: epoch, unlessChanged: signs) }
    }

    func pulse(of instance: String, lease: Int, files: Set<String>?) throws(RedisError) -> Pulse {
        try ask { () throws(RedisError) in try store.pulse(of: instance, lease: lease, files: files) }
    }

    func forget(_ instances: [String], in graphs: [String]) throws(RedisError) {
        try ask { () throws(RedisError) in try store.forget(instances, in: graphs) }
    }

    func leave(_ instance: String, _ names: [String], _ graphs: [String]) throws(RedisError) {
        try ask { () throws(RedisError) in try store.leave(instance, names, graphs) }
    }

    func tell(_ notice: DemandNotice, from instance: String) throws(RedisError) -> Set<String> {
        try ask { () throws(RedisError) in try store.tell(notice, from: instance) }
    }

    func renewDemand(
        of instance: String,
        following followed: [String],
        telling told: [String],
        _ others: [String]
    ) throws(RedisError) -> DemandRenewal {
        try ask { () throws(RedisError) in
            try store.renewDemand(of: instance, following: followed, telling: told, others)
        }
    }

    func disconnect() {}
}

/// The real source of one server, which does not wait, with the same faults.
final class FaultySource: StreamSource, @unchecked Sendable {
    private let source: Follower
    private let store: FaultyStore
    /// What the source was not told while it was cut off.
    private var unknown: [String: UInt64?] = [:]

    var demandSources: Set<DemandSource> {
        get { source.demandSources }
        set { source.demandSources = newValue }
    }

    init(_ source: Follower, _ store: FaultyStore) { (self.source, self.store) = (source, store) }

    func follow(
        _ moves: [String: UInt64?],
        newsAfter place: String,
        for milliseconds: Int
    ) throws(RedisError) -> StreamNews {
        let moves = unknown.merging(moves) { $1 }
        unknown = moves
        guard !store.isCutOff else { throw .unreachable("a fault of the test's") }
        unknown = [:]
        return try source.follow(moves, newsAfter: place, for: 0)
    }
}
