/// Whose demand of which graph is read.
struct DemandSource: Hashable, Sendable {
    let graph: String
    let instance: String
    /// Another one for each time that the graph begins to be followed, or the instance to live.
    let number: UInt64
}

/// One line of the stream of demand: what an instance says to all others.
struct DemandLine: Hashable, Sendable {
    let instance: String
    /// The graphs that it follows from now on.
    var followed: [String] = []
    /// The graph that the rest is about.
    var graph = ""
    /// Nodes that it wants from now on, and that it wants no longer.
    var wanted: [String] = []
    var unwanted: [String] = []
    /// Nodes whose values are to be loaded.
    var asked: [String] = []
    /// Whether its whole set has to be read again.
    var isWhole = false

    init(followed: [String], at instance: String) { (self.followed, self.instance) = (followed, instance) }

    /// A line as `XREAD` gives it; nil: it is none that this program has written.
    init?(_ fields: [String: RedisReply]) {
        guard let instance = fields["i"]?.text else { return nil }
        func names(_ field: String) -> [String] {
            (fields[field]?.text ?? "").split(separator: " ").map(String.init)
        }
        self.instance = instance
        graph = fields["g"]?.text ?? ""
        followed = names("f")
        (wanted, unwanted, asked) = (names("a"), names("r"), names("l"))
        isWhole = fields["n"]?.text == "1"
    }
}

/// What was read of the demand of others, in its order.
enum DemandNews: Sendable {
    /// An instance wants exactly these nodes.
    case whole([String], DemandSource)
    /// With the source that it changes, if its graph is followed here.
    case line(DemandLine, DemandSource?)
}

/// What an instance has to say about demand.
struct DemandNotice: Sendable {
    /// All graphs that it follows, if there are others than before, and those.
    var followed: (all: [String], new: [String])?
    /// What is wanted of graphs that others follow.
    var changes: [DemandChange] = []
    /// Graphs that no other instance follows any longer.
    var ended: [String] = []

    var isEmpty: Bool { followed == nil && changes.isEmpty && ended.isEmpty }
}

/// What an instance wants of one graph.
struct DemandChange: Sendable {
    let graph: String
    /// Whether `wanted` is all that it wants.
    let isWhole: Bool
    var wanted: [String] = []
    var unwanted: [String] = []
    /// Nodes whose values are to be loaded.
    var asked: [String] = []
}

/// What Redis has of demand, as far as an instance looks at it with each sign of life.
struct DemandRenewal: Sendable {
    /// The graphs that others follow, by instance.
    let followers: [String: Set<String>]
    /// The graphs whose set of this instance is gone.
    let gone: Set<String>
}
