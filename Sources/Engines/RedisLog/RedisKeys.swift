/// The names of the keys in Redis: all begin with the prefix, and those of one graph have its name
/// in braces.
struct RedisKeys: Hashable, Sendable {
    let prefix: String

    /// Epoch, earlier epochs, rev, time, id of the last entry, rev of the definition, fencing
    /// token, and the last batch of each instance.
    func state(_ graph: String) -> String { "\(prefix):{\(graph)}" }
    /// The stream: the id of each entry is its last rev.
    func log(_ graph: String) -> String { "\(prefix):{\(graph)}:log" }
    /// The graph whose stream that is; nil: it is another key.
    func graph(ofLog key: String) -> String? {
        let (start, end) = ("\(prefix):{", "}:log")
        guard key.hasPrefix(start), key.hasSuffix(end) else { return nil }
        return String(key.dropFirst(start.count).dropLast(end.count))
    }
    /// The states of the graph as a stream: the id of each is its rev.
    func snapshots(_ graph: String) -> String { "\(prefix):{\(graph)}:snapshots" }
    /// The instance that begins the next epoch.
    func claim(_ graph: String) -> String { "\(prefix):{\(graph)}:claim" }
    /// The digests that the holder of the lease has found, by their revs.
    func digests(_ graph: String) -> String { "\(prefix):{\(graph)}:digests" }
    /// What was answered to an idempotency key.
    func key(_ name: String, of graph: String) -> String { "\(prefix):{\(graph)}:key:\(name)" }
    /// The names of all graphs that there have been.
    var names: String { "\(prefix):names" }
    /// A stream of the names of graphs that begin.
    var news: String { "\(prefix):news" }
    /// A stream with a line for each entry of any graph: the graph's name.
    var changes: String { "\(prefix):changes" }
    /// The instance that makes ticks and snapshots.
    var lease: String { "\(prefix):lease" }
    /// Counts the holders of the lease.
    var tokens: String { "\(prefix):tokens" }
    /// When each instance has last said that it lives.
    var instances: String { "\(prefix):instances" }
    /// The graphs of which each instance has files.
    var files: String { "\(prefix):files" }
    /// A stream of what the instances say about demand (``DemandLine``).
    var demand: String { "\(prefix):demand" }
    /// The graphs whose demand an instance follows.
    func followed(by instance: String) -> String { "\(prefix):demand:\(instance)" }
    /// The nodes that listeners at an instance want.
    func wanted(_ graph: String, at instance: String) -> String { "\(prefix):{\(graph)}:wanted:\(instance)" }
    /// The same, while it is put together.
    func nextWanted(_ graph: String, at instance: String) -> String { "\(wanted(graph, at: instance)):next" }
}
