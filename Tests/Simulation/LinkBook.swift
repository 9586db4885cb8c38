import Commits

/// The links that clients have made, and what they may set.
final class LinkBook {
    /// One direction of a link, by the client's name.
    struct Way: Hashable {
        let graph: String
        let by: String
        let from: String
        let to: String

        init(_ graph: String, by: String, from: String, to: String) {
            (self.graph, self.by, self.from, self.to) = (graph, by, from, to)
        }

        /// The link that a commit says it is of; nil: it is of none.
        init?(_ entry: LogEntry) {
            let nodes = entry.set.map(\.node) + entry.clear
            guard entry.isOfLink, nodes.count == 1, let by = entry.by,
                let last = entry.path.last?.split(separator: "/", maxSplits: 2), last.count == 3,
                last[1] == entry.graph
            else { return nil }
            self.init(entry.graph, by: by, from: String(last[2]), to: nodes[0])
        }
    }

    private var living: [Way: Int] = [:]
    /// What has ended in this turn: what it has set before is passed to the log at the end.
    private var ending: Set<Way> = []
    /// How often each has ever been made, and how often it has set a first value.
    private var made: [Way: Int] = [:]
    /// The ways that no `sync` has had alone.
    private var plain: Set<Way> = []
    private var begun: [Way: Int] = [:]

    func begin(_ ways: [Way], isSync: Bool) {
        for way in ways {
            living[way, default: 0] += 1
            made[way, default: 0] += 1
            if !isSync { plain.insert(way) }
        }
    }

    func end(_ ways: [Way]) {
        for way in ways {
            living[way, default: 0] -= 1
            ending.insert(way)
        }
    }

    /// The end of a turn; or of a server, after which the next one begins without links.
    func forgetEnded() { ending = [] }

    /// No link may set anything from now on.
    func close() { made = [:] }

    /// Why a commit that is on its way to the log is wrong.
    func fault(submitting entry: LogEntry) -> String? {
        guard entry.isOfLink else { return nil }
        guard let way = Way(entry) else { return "a link has made more than one change: \(entry)" }
        return living[way, default: 0] > 0 || ending.contains(way) ? nil : "no such link lives: \(entry)"
    }

    /// Why a commit of any server is wrong: a link leads on each value with the path that it has,
    /// and once the value that its source has when it is made.
    func fault(of entry: LogEntry, in history: Ledger.History) -> String? {
        guard entry.isOfLink else { return nil }
        guard let way = Way(entry), let count = made[way] else { return "no such link was made: \(entry)" }
        guard Shape.plain.contains(way.from) else { return nil }
        let (value, path) = (entry.set.first?.value, Array(entry.path.dropLast()))
        let hasCause = history.records.contains { record in
            Self.isSame(record.entry.path, path)
                && (record.entry.set.contains { $0.node == way.from && $0.value == value }
                    || value == nil && record.entry.clear.contains(way.from))
        }
        guard !hasCause else { return nil }
        begun[way, default: 0] += 1
        return path.isEmpty && begun[way, default: 0] <= count
            ? nil : "it leads on what was not set: \(entry)"
    }

    /// Whether two paths are the same; the entry of a node that was removed meanwhile is opaque.
    private static func isSame(_ one: [String], _ other: [String]) -> Bool {
        one.count == other.count
            && zip(one, other).allSatisfy { $0 == $1 || $0.hasPrefix("?") || $1.hasPrefix("?") }
    }

    /// Whether nothing but the `sync` with these ways has ever led to one of the nodes.
    func isAlone(_ ways: [Way]) -> Bool {
        ways.allSatisfy { living[$0] == 1 && !plain.contains($0) }
            && made.keys.allSatisfy { made in
                ways.contains(made) || !ways.contains { $0.graph == made.graph && $0.to == made.to }
            }
    }
}

/// Sets a linked node while nothing else happens, and expects its value wherever links lead.
struct LinkProbe {
    let graph: String
    let node: String
    let text: String
    private let rev: UInt64
    private let reached: Set<String>

    init(_ graph: String, _ node: String, _ text: String, _ ledger: Ledger, _ peers: [Peer]) {
        (self.graph, self.node, self.text) = (graph, node, text)
        rev = ledger.histories[graph]?.rev ?? 0
        let leading = peers.flatMap(\.links.values).filter {
            $0.isMade && $0.graph == graph && !$0.pipe.contains("value != \(text)\"")
        }
        let ways = leading.flatMap(\.ways)
        var (reached, open): (Set<String>, [String]) = ([node], [node])
        while let next = open.popLast() {
            for way in ways where way.from == next && reached.insert(way.to).inserted { open.append(way.to) }
        }
        self.reached = reached
    }

    /// What is wrong when everything has come to rest.
    func faults(in ledger: Ledger) -> [String] {
        guard let history = ledger.histories[graph] else { return [] }
        let news = history.records.filter { $0.stamp.rev > rev && Shape.touchesLinked($0.entry) }
        // Something else was still on its way.
        let isDisturbed = news.contains {
            $0.entry.isOfLink
                ? $0.entry.path.first?.hasSuffix("/\(node)") != true : $0.entry.set.first?.node != node
        }
        guard !isDisturbed, !news.isEmpty else { return [] }
        return Shape.linked.compactMap { name in
            let wanted = reached.contains(name) ? text : history.value(of: name, at: rev)
            let found = history.value(of: name, at: history.rev)
            return found == wanted
                ? nil : "\(graph).\(name) is \(found), not \(wanted): \(node) is linked to \(reached)"
        }
    }

    /// Nodes in step by a `sync` that are not.
    static func differing(_ ledger: Ledger, _ peers: [Peer], _ book: LinkBook) -> [String] {
        peers.flatMap { peer in
            peer.links.values.filter { $0.isSync && $0.isMade && !$0.hasFailed }.compactMap { link in
                guard let history = ledger.histories[link.graph], book.isAlone(peer.ways(of: link)) else {
                    return nil
                }
                let values = [link.from, link.to].map { history.value(of: $0, at: history.rev) }
                return values[0] == values[1] ? nil : "\(link) leaves \(values)"
            }
        }
    }
}
