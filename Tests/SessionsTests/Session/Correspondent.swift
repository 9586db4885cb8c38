@testable import Graphs
@testable import Sessions
import ReactiveGraph
import Values

/// All emissions of two nodes of a graph, as they happened, to compare with what clients receive.
final class Truth {
    /// By node: each emission with the rev of its commit.
    ///
    /// The first entry is what the node held at the beginning.
    private(set) var emissions: [String: [(rev: Int, value: String)]] = [:]
    private let bag = CancellableBag()

    init(_ graph: LiveGraph, _ names: [String]) throws {
        for name in names {
            guard let node = graph.node(name)?.source else { continue }
            emissions[name] = [(Int(graph.rev), Self.text(node.value))]
            node.listenEmissions(in: bag, replay: false) { [unowned self, unowned graph] emission, _ in
                let value = Self.text(emission.value)
                // From empty to empty, clients receive no emission.
                if value == "empty", emissions[name]?.last?.value == "empty" { return }
                emissions[name]?.append((Int(graph.rev), value))
            }
        }
    }

    /// The place of what a node held at that rev.
    func place(of name: String, at rev: Int) -> Int {
        (emissions[name] ?? []).lastIndex { $0.rev <= rev } ?? 0
    }

    func end() {
        bag.cancel()
    }

    private static func text(_ value: Datum?) -> String {
        value?.text ?? "empty"
    }
}

/// One client that keeps books: what it has asked and not been answered, and how far each
/// subscription has come.
final class Correspondent {
    let client: Client
    /// Sentences about what may not happen.
    private(set) var complaints: [String] = []
    /// Requests without a terminal answer, by id.
    private(set) var asked: [Int: String] = [:]
    /// Subscriptions that are served.
    private(set) var served: [Int: Place] = [:]
    private let truth: Truth
    private var leaving: Set<Int> = []
    private var nodes: [Int: (node: String, isAll: Bool)] = [:]

    /// Where a subscription stands among the emissions of its node.
    struct Place {
        let node: String
        var at: Int
        /// The rev of the last frame; values that an interval holds back keep theirs, so it rises
        /// for each alone.
        var rev: Int
        /// Whether it is in mode `all` without an interval since the beginning.
        var isPrompt: Bool
        /// For several nodes: where each of them stands.
        var members: [String: Int]?
    }

    init(_ client: Client, _ truth: Truth) {
        self.client = client
        self.truth = truth
    }

    /// Asks for something; `what` is the message without its braces, `id` and `op`.
    func ask(_ operation: String, _ id: Int, _ what: String) {
        asked[id] = operation
        client.send(#"{"op":"\#(operation)","id":\#(id)\#(what.isEmpty ? "" : ",")\#(what)}"#)
    }

    func subscribe(_ id: Int, to node: String, isAll: Bool, every: Int, _ more: String) {
        nodes[id] = (node, isAll && every == 0)
        let mode = isAll ? "all" : "latest"
        ask(
            "sub",
            id,
            #""graph":"g","node":"\#(node)","mode":"\#(mode)","every":\#(every),"queue":100000\#(more)"#
        )
    }

    /// Subscribes to all nodes, in mode `all`.
    func subscribeAll(_ id: Int, every: Int, _ more: String) {
        nodes[id] = ("*", every == 0)
        ask(
            "sub",
            id,
            #""graph":"g","nodes":["x","y*"],"mode":"all","every":\#(every),"queue":100000\#(more)"#
        )
    }

    func modify(_ id: Int, _ subscription: Int, isAll: Bool, every: Int) {
        served[subscription]?.isPrompt = false
        nodes[subscription]?.isAll = false
        ask("mod", id, #""sub":\#(subscription),"mode":"\#(isAll ? "all" : "latest")","every":\#(every)"#)
    }

    func unsubscribe(_ id: Int) {
        leaving.insert(id)
        client.send(#"{"op":"unsub","id":\#(id)}"#)
    }

    /// Subscriptions that are served and must continue.
    var going: [Int] { served.keys.filter { !leaving.contains($0) }.sorted() }

    /// Reads what has come.
    func read() {
        for message in client.take() {
            guard let datum = try? Datum.parse(message) else {
                complaints.append("no JSON: \(message)")
                continue
            }
            datum.withBytes { read(JSONReader(validated: $0), message) }
        }
    }

    /// What is still missing when everything has been told.
    func settle() -> [String] {
        let unanswered = asked.filter {
            $0.value != "sub" && $0.value != "observe" || served[$0.key] == nil && !seen.contains($0.key)
        }
        let behind = served.filter { _, place in
            (place.members ?? [place.node: place.at]).contains { name, at in
                at != (truth.emissions[name]?.count ?? 0) - 1
            }
        }
        return complaints + unanswered.map { "\($0.value) \($0.key) is not answered" }
            + behind.map { "sub \($0.key) stands at \($0.value)" }
    }

    /// Observers that have been shown a graph.
    private var seen: Set<Int> = []

    private func read(_ message: JSONReader, _ text: String) {
        let id = message["id"]?.int
        switch message["op"]?.string {
        case "snap": open(message, id ?? 0, text)
        case "topo":
            if asked[id ?? 0] != "observe" || !seen.insert(id ?? 0).inserted { complaints.append(text) }
        case "topod": if !seen.contains(id ?? 0) { complaints.append("for nobody: \(text)") }
        case "upd": update(message, text)
        case "ok", "err", "end": close(message, id, text)
        case "hb": break
        default: complaints.append("unknown: \(text)")
        }
    }

    private func open(_ message: JSONReader, _ id: Int, _ text: String) {
        guard asked[id] == "sub", served[id] == nil, let wanted = nodes[id] else {
            return complaints.append("not asked for: \(text)")
        }
        let rev = message["rev"]?.int ?? 0
        if wanted.node == "*" {
            let members = truth.emissions.keys.map { ($0, truth.place(of: $0, at: rev)) }
            served[id] = Place(
                node: "*",
                at: 0,
                rev: 0,
                isPrompt: wanted.isAll,
                members: Dictionary(uniqueKeysWithValues: members)
            )
            guard message["resumed"]?.bool != true else { return }
            for (name, at) in members
            where Self.members(message)[name] != truth.emissions[name]?[at].value {
                complaints.append("a wrong value of \(name): \(text)")
            }
            return
        }
        let at = truth.place(of: wanted.node, at: rev)
        served[id] = Place(node: wanted.node, at: at, rev: 0, isPrompt: wanted.isAll)
        let isOmitted = message["resumed"]?.bool == true && message["v"] == nil && message["empty"] == nil
        if !isOmitted, View.value(of: message) != truth.emissions[wanted.node]?[at].value {
            complaints.append("a wrong value: \(text)")
        }
    }

    private func update(_ message: JSONReader, _ text: String) {
        let now = message["rev"]?.int ?? 0
        for entry in message["d"].map({ Array($0.elements) }) ?? [] {
            if let id = entry["id"]?.int, let place = served[id], place.members != nil {
                update(place, id, entry, at: now, text)
                continue
            }
            guard let id = entry["id"]?.int, let place = served[id],
                let emissions = truth.emissions[place.node]
            else {
                complaints.append("for nobody: \(text)")
                continue
            }
            if now < place.rev { complaints.append("rev \(now) after \(place.rev): \(text)") }
            let at = place.at + (entry["n"]?.int ?? 1)
            served[id]?.at = at
            served[id]?.rev = now
            guard at < emissions.count, emissions[at].value == View.value(of: entry), emissions[at].rev <= now
            else {
                complaints.append("emission \(at) of \(place.node) is another: \(text)")
                continue
            }
        }
    }

    /// Each value of each member is sent, in its commit.
    private func update(_ place: Place, _ id: Int, _ entry: JSONReader, at now: Int, _ text: String) {
        if now < place.rev { complaints.append("rev \(now) after \(place.rev): \(text)") }
        served[id]?.rev = now
        let told = Self.members(entry)
        if told.isEmpty { complaints.append("nothing is told: \(text)") }
        for (name, value) in told {
            let at = (place.members?[name] ?? 0) + 1
            served[id]?.members?[name] = at
            guard let emissions = truth.emissions[name], at < emissions.count,
                emissions[at] == (now, value)
            else {
                complaints.append("emission \(at) of \(name) is another: \(text)")
                continue
            }
        }
    }

    /// The values under `m`.
    private static func members(_ message: JSONReader) -> [String: String] {
        var members: [String: String] = [:]
        for member in message["m"].map({ Array($0.members) }) ?? [] {
            members[member.key.string] = View.value(of: member.value)
        }
        return members
    }

    private func close(_ message: JSONReader, _ id: Int?, _ text: String) {
        guard let id, let operation = asked.removeValue(forKey: id) else {
            return complaints.append("an answer to nobody: \(text)")
        }
        let isEnd = message["op"]?.string == "end"
        if isEnd != (served[id] != nil || seen.contains(id)) {
            complaints.append("not the terminal: \(text)")
        }
        served[id] = nil
        seen.remove(id)
        guard operation == "set", let rev = message["rev"]?.int, message["op"]?.string == "ok" else { return }
        for (id, place) in served where place.isPrompt {
            for (name, at) in place.members ?? [place.node: place.at]
            where at < truth.place(of: name, at: rev) {
                complaints.append("ok of rev \(rev) before the frames of \(id)")
            }
        }
    }
}
