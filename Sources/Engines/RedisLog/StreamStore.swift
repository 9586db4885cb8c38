/// What a log asks of Redis; tests put what fails in its place.
///
/// One thread uses it at a time.
protocol StreamStore: AnyObject, Sendable {
    /// Gives batches their places in their streams, each in one step, and reads what is new there
    /// if `isReading`.
    ///
    /// `fence` is the token of the holder of the lease; this returns once so many replicas have
    /// them. If it throws, it is unknown what became of the batches.
    func append(
        _ batches: [Batch],
        fence: UInt64,
        replicas: Int,
        isReading: Bool
    ) throws(RedisError) -> Appended

    /// Waits until so many replicas have what was written.
    func wait(for replicas: Int) throws(RedisError)

    /// Where all graphs stand, by name.
    func positions() throws(RedisError) -> [String: StreamPosition]

    /// Whether the streams go on where this instance stands, and how far they have come.
    func verify(_ positions: [String: StreamPosition]) throws(RedisError) -> [String: StreamEnd]

    /// Says how far an instance has come with a graph whose end Redis has lost.
    func claim(_ graph: String, _ position: StreamPosition, for instance: String) throws(RedisError)

    /// Begins a new epoch of a graph with what an instance holds, or finds that there is one
    /// already; false: an instance that has come further may still begin it.
    func seed(
        _ graph: String,
        _ position: StreamPosition,
        from instance: String,
        epoch: String,
        id: String,
        _ state: [UInt8]
    ) throws(RedisError) -> Bool

    /// Everything that is needed to build a graph as it is now; nil: Redis knows nothing of it.
    func load(_ graph: String) throws(RedisError) -> LoadedGraph?

    /// Stores what a graph is at a position, and deletes what lies further back than `oldest`;
    /// false: the lease or the epoch has changed.
    func store(
        _ state: [UInt8],
        of graph: String,
        at position: StreamPosition,
        fence: UInt64,
        keeping oldest: UInt64
    ) throws(RedisError) -> Bool

    /// What the holder of the lease has found at those revs of a graph.
    func digests(of graph: String, at revs: [UInt64]) throws(RedisError) -> [UInt64: String]

    /// Stores what the holder of the lease has found, in place of what there was.
    func store(_ digests: [UInt64: String], of graph: String) throws(RedisError)

    /// The signs of life of all instances: what differs from one look to the next.
    func signs() throws(RedisError) -> [String]

    /// Begins an epoch of all graphs, unless the signs of life are not these any more: then another
    /// instance lives, and this returns false.
    func begin(epoch: String, unlessChanged signs: [String]) throws(RedisError) -> Bool

    /// Says that an instance lives and of which graphs it has files, and takes or keeps the lease,
    /// which lasts so many milliseconds.
    ///
    /// `files` is nil until the instance has read its files.
    func pulse(of instance: String, lease: Int, files: Set<String>?) throws(RedisError) -> Pulse

    /// Forgets instances that are no more, and which batches of theirs the graphs have seen.
    func forget(_ instances: [String], in graphs: [String]) throws(RedisError)

    /// An instance ends in order: it gives the lease back, and is not missed.
    func leave(_ instance: String, _ names: [String], _ graphs: [String]) throws(RedisError)

    /// Says what an instance has to say about demand.
    ///
    /// - Returns: the graphs of which Redis does not have what it has said before: then nothing was
    ///   done, and the whole is needed.
    func tell(_ notice: DemandNotice, from instance: String) throws(RedisError) -> Set<String>

    /// Keeps what an instance has said about demand, of graphs that it follows and of graphs of
    /// which it tells others, and looks at what those follow.
    func renewDemand(
        of instance: String,
        following followed: [String],
        telling told: [String],
        _ others: [String]
    ) throws(RedisError) -> DemandRenewal

    /// Gives up the connection.
    func disconnect()
}

/// Reads what is new in the streams.
///
/// One thread uses it at a time.
protocol StreamSource: AnyObject, Sendable {
    /// Whose demand is read.
    var demandSources: Set<DemandSource> { get set }

    /// Waits for entries of the graphs that it follows, and for graphs that begin.
    ///
    /// `moves` says of graphs after which rev they are followed from now on, also where this
    /// throws; nil: they are not any more. `place` is where the stream of the graphs that begin has
    /// come to; empty: its present end. It waits so many milliseconds at most; with 0, what is
    /// there already is all.
    func follow(
        _ moves: [String: UInt64?],
        newsAfter place: String,
        for milliseconds: Int
    ) throws(RedisError) -> StreamNews
}

/// What Redis has answered to a sign of life.
struct Pulse: Sendable {
    /// The fencing token of the holder of the lease; 0: another instance has it.
    let token: UInt64
    /// Redis' time in milliseconds since 1970.
    let time: UInt64
    /// The last sign of life of each instance: all that counts is whether it has changed.
    let signs: [String: String]
    /// The graphs of which each instance has files, as far as it has said so.
    let files: [String: Set<String>]
}

/// What became of batches.
struct Appended: Sendable {
    /// Redis' time in milliseconds since 1970, if it has said so.
    let time: UInt64?
    /// For each batch.
    let outcomes: [Result<Outcome, RedisError>]
    /// What follows the bases of the batches in their streams, as far as it was read.
    let entries: [StreamEntry]
}

/// What was read in one go.
struct StreamNews: Sendable {
    var entries: [StreamEntry] = []
    var graphs: [String] = []
    /// Where the stream of the graphs that begin has come to.
    var place: String
    var demand: [DemandNews] = []
}

/// What lies between where an instance stands and the end of a stream.
struct StreamEnd: Hashable, Sendable {
    let continuity: Continuity
    /// The last rev in the stream; 0: there is none.
    let rev: UInt64
}

/// Whether a stream goes on where an instance stands.
enum Continuity: String, Sendable {
    case ok
    /// What follows directly was trimmed.
    case gap
    /// The graph has a new epoch.
    case epoch
    /// Redis has lost what it had.
    case lost
}
