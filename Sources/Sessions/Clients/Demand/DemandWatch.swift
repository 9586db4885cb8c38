internal import Graphs
internal import Definitions
internal import Support

/// One producer's `demand` request (docs/protocol.md): `wanted` messages report which nodes are
/// wanted, first all of them, then changes.
///
/// It keeps nothing alive. A client that reads slowly gets the state at the time it reads.
final class DemandWatch: DemandFollower {
    /// The id that the client chose.
    let id: UInt64
    let graph: LiveGraph
    /// Names and globs, each once.
    let patterns: [String]
    private unowned let session: Session
    /// The nodes that were last reported to the client as wanted.
    private var sent: Set<String> = []
    /// Names not reported to the client yet.
    private var unsaid: Set<String>
    /// Nodes whose state may have to be reported.
    private var news: Set<String>
    /// Nodes that must be loaded.
    private var asked: Set<String> = []
    /// Whether it is on the list for the end of the turn.
    private var isListed = false

    private static let mostInMessage = 1_000

    init(id: UInt64, session: Session, graph: LiveGraph, patterns: [String]) {
        self.id = id
        self.session = session
        self.graph = graph
        self.patterns = patterns
        unsaid = Set(patterns.filter { !Glob.isGlob($0) })
        news = unsaid
    }

    /// Starts watching, and returns the first message.
    func begin() -> [UInt8] {
        let demand = graph.begin(self)
        for pattern in patterns { news.formUnion(demand.wanted(matching: pattern)) }
        asked = news.filter(demand.isAwaited)
        for name in asked { demand.expectAnswer(for: name) }
        session.host.work += UInt64(news.count)
        var buffer = ByteBuffer()
        append(takeEntries(), to: &buffer)
        if !news.isEmpty { list() }
        return Array(buffer.bytes)
    }

    /// Stops watching.
    func end() {
        // The end of the turn may be about to send them, though its session is gone then.
        news = []
        graph.end(self)
        if isListed { session.clients.demandNews.removeAll { $0 === self } }
    }

    /// A node became wanted, or stopped being wanted.
    func note(_ name: String) {
        news.insert(name)
        list()
    }

    func note(load name: String) {
        asked.insert(name)
        note(name)
    }

    private func list() {
        guard !isListed else { return }
        isListed = true
        session.clients.demandNews.append(self)
    }

    /// Called at the end of the turn: sends what has changed, once the client reads.
    func send() {
        isListed = false
        while !news.isEmpty {
            guard !session.isClosed else { return }
            guard session.hasRoom else { return list() }
            let entries = takeEntries()
            guard !entries.isEmpty else { continue }
            session.answer(id: nil, bytes: 0) { append(entries, to: &$0) }
        }
    }

    private struct Entry {
        let name: String
        let isWanted: Bool
        let isAsked: Bool
    }

    /// Takes the changes for one message.
    private func takeEntries() -> [Entry] {
        var names = Array(news)
        if names.count > Self.mostInMessage {
            names.removeSubrange(Self.mostInMessage...)
            news.subtract(names)
        } else {
            news = []
        }
        return names.sorted().compactMap(entry)
    }

    /// The entry for a node; nil if the client knows its state already, or may not know it.
    private func entry(_ name: String) -> Entry? {
        let isWanted = graph.demand?.isWanted(name) ?? false
        let isAsked = asked.remove(name) != nil
        let isKnown = unsaid.remove(name) == nil && sent.contains(name) == isWanted
        guard !isKnown || isAsked else { return nil }
        if isWanted || isAsked {
            // Another server may have another definition for a moment.
            guard let node = graph.node(name), node.isSettable,
                session.access?.rights(on: node).contains(.set) == true
            else { return nil }
        }
        if isWanted { sent.insert(name) } else { sent.remove(name) }
        return Entry(name: name, isWanted: isWanted, isAsked: isAsked)
    }

    /// Appends `{"op":"wanted","id":5,"m":{"a":{"wanted":true,"load":true}}}`.
    private func append(_ entries: [Entry], to buffer: inout ByteBuffer) {
        Answer.begin("wanted", id: id, to: &buffer)
        buffer.append(",\"m\":{")
        buffer.append(separated: entries) { entry, buffer in
            buffer.append(json: entry.name)
            buffer.append(entry.isWanted ? ":{\"wanted\":true" : ":{\"wanted\":false")
            buffer.append(entry.isAsked ? ",\"load\":true}" : "}")
        }
        buffer.append("}}")
    }

    /// The definition has changed: ends if a node that the client named cannot be set any more.
    func redefined() {
        let goesOn = patterns.allSatisfy { Glob.isGlob($0) || graph.node($0)?.isSettable == true }
        if !goesOn { session.end(self, .nodeRemoved) }
    }

    /// Whether the client still has the right to watch all nodes that it named.
    func isAllowed(_ access: Access) -> Bool {
        patterns.allSatisfy { pattern in
            Glob.isGlob(pattern)
                || graph.node(pattern).map { access.rights(on: $0).contains(.set) } ?? true
        }
    }
}
