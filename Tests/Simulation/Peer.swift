import Commits
import Definitions
import Values

@testable import Graphs
@testable import Sessions
import Support

/// A client that compares what it receives with the ledger.
final class Peer: MessageTransport {
    private(set) var complaints: [String] = []
    /// Whether a server may have read a graph again: then its clients start over.
    var mayStartOver = false
    private(set) var session: Session?
    /// How many messages it has got.
    private(set) var heard = 0
    /// Bytes that the kernel has not taken.
    var unsentBytes = 0 {
        didSet { if unsentBytes > 0 { isLate = true } }
    }
    /// Whether it may not have got yet what came while it did not read; what it subscribes to
    /// meanwhile is ahead of that.
    private var isLate = false

    /// Its name, which its commits have as `by`.
    let name: String
    private let ledger: Ledger
    private let book: LinkBook
    private let note: (String) -> Void
    private var messages: [String] = []
    private var lastID = 0
    private(set) var subscriptions: [Int: Subscription] = [:]
    private var sets: [Int: SetRequest] = [:]
    private(set) var links: [Int: Link] = [:]

    struct Subscription {
        let graph: String
        let node: String
        let isAll: Bool
        let every: Int
        /// The last rev of its epoch that it has seen; nil before the `snap`.
        var cursor: (epoch: String, rev: UInt64)?
        var value: String?
        /// Whether what it shows is the node's own value, each in its commit.
        var isExact: Bool { every == 0 && Shape.plain.contains(node) }
    }

    /// A link, or a `sync` of both nodes.
    struct Link {
        let graph: String
        let from: String
        let to: String
        let isSync: Bool
        var pipe = ""
        var owner: String?
        /// Whether the server has said so.
        var isMade = false
        /// Whether a value could not be set.
        var hasFailed = false

        /// The same, to be made again.
        var unmade: Link {
            Link(graph: graph, from: from, to: to, isSync: isSync, pipe: pipe, owner: owner)
        }

        var ways: [(from: String, to: String)] { isSync ? [(from, to), (to, from)] : [(from, to)] }
    }

    init(_ name: String, _ ledger: Ledger, _ book: LinkBook, _ note: @escaping (String) -> Void) {
        (self.name, self.ledger, self.book, self.note) = (name, ledger, book, note)
    }

    // MARK: - The pipe

    func send(_ message: Outgoing) {
        messages.append(message.withBytes { String(decoding: $0, as: UTF8.self) })
    }
    func close(code: UInt16, reason: String) {
        session?.close()
        endLinks()
    }
    func pauseReading(_ paused: Bool) {}

    func connect(to clients: Clients) {
        session?.close()
        messages = []
        sets = [:]
        // Those without an owner it makes again, as it does with subscriptions.
        let again = links.sorted { $0.key < $1.key }.map(\.value).filter { $0.owner == nil }
        endLinks()
        let principal = Principal(name: name, grants: [Principal.Grant(can: .all)])
        session = Session(of: clients, transport: self, access: Access(principal))
        let former = subscriptions.sorted { $0.key < $1.key }.map(\.value)
        subscriptions = [:]
        for old in former {
            subscribe(old.graph, old.node, isAll: old.isAll, every: old.every, since: old.cursor)
        }
        for former in again { link(former.unmade) }
    }

    /// The connection broke without a close: the process is gone.
    func lose() {
        read()
        session = nil
        unsentBytes = 0
    }

    /// Goes without a word.
    func leave() {
        session?.close(.reset)
        session = nil
        subscriptions = [:]
        endLinks()
    }

    var isConnected: Bool { session?.isClosed == false }

    private func tell(_ message: String) {
        note(message)
        message.withBorrowedBytes { session?.receive(message: $0) }
    }

    // MARK: - Requests

    func subscribe(
        _ graph: String,
        _ node: String,
        isAll: Bool,
        every: Int,
        since: (epoch: String, rev: UInt64)? = nil,
        pipe: String = ""
    ) {
        lastID += 1
        subscriptions[lastID] = Subscription(
            graph: graph,
            node: pipe.isEmpty ? node : "",
            isAll: isAll,
            every: every,
            cursor: since
        )
        let mode = isAll ? #","mode":"all","queue":10000"# : ""
        let cursor = since.map { #","since":{"epoch":"\#($0.epoch)","rev":\#($0.rev)}"# } ?? ""
        tell(
            #"{"op":"sub","id":\#(lastID),"graph":"\#(graph)","node":"\#(node)","every":\#(every)\#(mode)\#(cursor)\#(pipe)}"#
        )
    }

    func unsubscribe(_ id: Int) {
        subscriptions[id] = nil
        tell(#"{"op":"unsub","id":\#(id)}"#)
    }

    func set(_ request: SetRequest) {
        lastID += 1
        sets[lastID] = request
        tell(#"{"op":"set","id":\#(lastID),\#(request.fields)}"#)
    }

    func link(_ link: Link) {
        lastID += 1
        links[lastID] = link
        book.begin(ways(of: link), isSync: link.isSync)
        let ends =
            link.isSync
            ? #""op":"sync","a":"\#(link.from)","b":"\#(link.to)""#
            : #""op":"link","from":"\#(link.from)","to":"\#(link.to)"\#(link.pipe)"#
        let owner = link.owner.map { #","owner":"\#($0)""# } ?? ""
        tell(#"{\#(ends),"id":\#(lastID),"graph":"\#(link.graph)"\#(owner)}"#)
    }

    func unlink(_ id: Int) { tell(#"{"op":"unsub","id":\#(id)}"#) }

    func release(_ owner: String) {
        lastID += 1
        tell(#"{"op":"release","id":\#(lastID),"owner":"\#(owner)"}"#)
    }

    func ways(of link: Link) -> [LinkBook.Way] {
        link.ways.map { LinkBook.Way(link.graph, by: name, from: $0.from, to: $0.to) }
    }

    private func endLink(_ id: Int) {
        if let link = links.removeValue(forKey: id) { book.end(ways(of: link)) }
    }

    private func endLinks() { for id in links.keys { endLink(id) } }

    func ping() {
        lastID += 1
        tell(#"{"op":"ping","id":\#(lastID)}"#)
    }

    // MARK: - Answers

    func read() {
        let news = messages
        messages = []
        heard += news.count
        for message in news {
            guard let datum = try? Datum.parse(message) else {
                complaints.append("no JSON: \(message)")
                continue
            }
            datum.withBytes { read(JSONReader(validated: $0), message) }
        }
        if unsentBytes == 0, !news.isEmpty { isLate = false }
    }

    private func read(_ message: JSONReader, _ text: String) {
        let id = message["id"]?.int ?? 0
        switch message["op"]?.string {
        case "snap": open(id, message, text)
        case "upd": update(message, text)
        case "linked": links[id]?.isMade = true
        case "end":
            subscriptions[id] = nil
            endLink(id)
        case "err":
            if let request = sets.removeValue(forKey: id) {
                if !request.allows(message) { complaints.append("\(request.fields): \(text)") }
            } else {
                subscriptions[id] = nil
                endLink(id)
            }
        case "ok": if let request = sets.removeValue(forKey: id) { confirm(request, message, text) }
        default: break
        }
    }

    private func open(_ id: Int, _ message: JSONReader, _ text: String) {
        guard var subscription = subscriptions[id] else { return }
        let rev = UInt64(message["rev"]?.int ?? 0)
        let epoch = message["epoch"]?.string ?? ""
        let history = ledger.history(of: subscription.graph, in: epoch)
        if history == nil || rev > history?.rev ?? 0 {
            complaints.append("the epoch is at rev \(history?.rev ?? 0): \(text)")
        }
        let isResumed = message["resumed"]?.bool == true
        if let cursor = subscription.cursor {
            let holds = history?.holds(cursor.rev, of: cursor.epoch) == true && cursor.rev <= rev
            // Without what it has missed it may start over.
            let isNeedless = holds && !subscription.isAll && subscription.isExact && !mayStartOver
            let isWrong = isResumed ? !holds : isNeedless
            if isWrong { complaints.append("resumed from \(cursor): \(text)") }
        }
        if isResumed, var seen = subscription.cursor {
            seen.epoch = epoch
            subscription.cursor = seen
            // What it has missed, oldest first.
            for entry in (message["d"]?.elements).map(Array.init) ?? [] {
                let next = UInt64(entry["rev"]?.int ?? 0)
                if next <= seen.rev { complaints.append("rev \(next) after \(seen.rev): \(text)") }
                lookForGap(subscription, from: seen, before: next, text)
                subscription.value = Self.value(of: entry)
                check(subscription, at: next, after: seen.rev, text)
                seen.rev = next
            }
            lookForGap(subscription, from: seen, before: rev + 1, text)
        }
        subscription.cursor = (epoch, rev)
        if message["v"] != nil || message["empty"] != nil || message["fail"] != nil {
            subscription.value = Self.value(of: message)
            check(subscription, at: rev, after: rev, text)
        }
        subscriptions[id] = subscription
    }

    private func update(_ message: JSONReader, _ text: String) {
        let rev = UInt64(message["rev"]?.int ?? 0)
        for entry in (message["d"]?.elements).map(Array.init) ?? [] {
            if let id = entry["id"]?.int, entry["fail"] != nil { links[id]?.hasFailed = true }
            guard let id = entry["id"]?.int, var subscription = subscriptions[id],
                let cursor = subscription.cursor
            else { continue }
            // In mode `all` each comes once.
            let isOutOfOrder =
                rev < cursor.rev || subscription.isAll && subscription.isExact && rev == cursor.rev
            if isOutOfOrder { complaints.append("rev \(rev) after \(cursor.rev): \(text)") }
            lookForGap(subscription, from: cursor, before: rev, text)
            subscription.value = Self.value(of: entry)
            check(subscription, at: rev, after: cursor.rev, text)
            subscription.cursor = (cursor.epoch, rev)
            subscriptions[id] = subscription
        }
        // Half of a commit.
        guard let graph = message["graph"]?.string, !isLate else { return }
        let both = ["p", "q"].map { node in
            subscriptions.values.filter { $0.graph == graph && $0.node == node && $0.every == 0 && !$0.isAll }
                .compactMap(\.value)
        }
        if let p = both[0].first, both.joined().contains(where: { $0 != p }) {
            complaints.append("half of a commit: \(both) after \(text)")
        }
    }

    /// In mode `all` each change of a node comes.
    private func lookForGap(
        _ subscription: Subscription,
        from cursor: (epoch: String, rev: UInt64),
        before rev: UInt64,
        _ text: String
    ) {
        guard subscription.isAll, subscription.isExact,
            let missed = ledger.history(of: subscription.graph, in: cursor.epoch)?
                .change(of: subscription.node, after: cursor.rev, before: rev)
        else { return }
        complaints.append("rev \(missed) of \(subscription.node) is missing after \(cursor.rev): \(text)")
    }

    private func check(_ subscription: Subscription, at rev: UInt64, after: UInt64, _ text: String) {
        guard let history = ledger.history(of: subscription.graph, in: subscription.cursor?.epoch),
            let value = subscription.value
        else { return }
        if rev > history.rev { complaints.append("rev \(rev) is not in the log: \(text)") }
        if Shape.truths.contains(subscription.node), value != "true" {
            complaints.append("half of a commit: \(text)")
        }
        guard Shape.plain.contains(subscription.node) else { return }
        let expected = history.value(of: subscription.node, at: rev)
        if subscription.isExact
            ? value != expected : !history.held(subscription.node, value, in: min(after, rev)...rev)
        {
            complaints.append("\(subscription.node) is \(expected): \(text)")
        }
    }

    private func confirm(_ request: SetRequest, _ message: JSONReader, _ text: String) {
        let rev = UInt64(message["rev"]?.int ?? 0)
        let epoch = message["epoch"]?.string ?? ""
        guard let history = ledger.history(of: request.graph, holding: rev, of: epoch) else {
            return complaints.append("not in the log: \(text)")
        }
        if let fault = request.fault(at: rev, in: history, message) { complaints.append("\(fault): \(text)") }
    }

    private static func value(of entry: JSONReader) -> String {
        if let value = entry["v"] { return String(decoding: value.bytes, as: UTF8.self) }
        return entry["empty"] != nil ? "empty" : "fail"
    }
}
