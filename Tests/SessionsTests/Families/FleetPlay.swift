import ReactiveGraph
import Support
import TestSupport
import Testing
import Values

@testable import Graphs
@testable import Sessions

/// A graph with families whose clients do whatever they like, beside a ``FleetModel`` of it.
struct FleetPlay {
    private let bench: Bench
    private let graph: LiveGraph
    private var dice: SeededGenerator
    private var model: FleetModel
    private var clients: [Int: FleetClient] = [:]
    private var created = 0
    private var complaint: String?
    /// How often each kind of step was taken, and what it was the last time.
    private(set) var taken: [String: Int] = [:]
    private(set) var last = ""

    init(_ seed: UInt64) throws {
        dice = SeededGenerator(seed: seed)
        bench = Bench()
        model = FleetModel(FleetModel.Parts(rawValue: dice.below(64)))
        graph = try bench.define(model.definition)
    }

    // MARK: - Steps

    mutating func step() throws {
        let kinds: [(String, Int)] = [
            ("connect", 2), ("close", 2), ("subscribe", 12), ("modify", 3), ("release", 4),
            ("unsubscribe", 3), ("set", 12),
            ("clear", 4), ("drop", 5), ("pass", 6), ("read", 3), ("pressure", 1), ("flush", 1),
            ("redefine", 2),
        ]
        var number = dice.below(kinds.reduce(0) { $0 + $1.1 })
        var kind = "connect"
        for (name, weight) in kinds {
            kind = name
            number -= weight
            if number < 0 { break }
        }
        if clients.isEmpty || (kind == "connect" && clients.count > 4) {
            kind = clients.isEmpty ? "connect" : "close"
        }
        taken[kind, default: 0] += 1
        last = kind
        try perform(kind)
        bench.endTurn()
        model.endStep()
        for number in clients.keys { clients[number]?.read() }
    }

    private mutating func perform(_ kind: String) throws {
        switch kind {
        case "connect":
            created += 1
            clients[created] = FleetClient(bench.connect())
        case "close":
            let number = client()
            model.close(number)
            clients.removeValue(forKey: number)?.client.session.close(
                dice.chance(1, in: 2) ? .reset : .closed
            )
        case "subscribe": subscribe()
        case "modify": modify()
        case "release": release()
        case "unsubscribe":
            guard let key = subscription() else { return }
            model.subs[key] = nil
            expect(key.client, #"{"op":"unsub","id":\#(key.id)}"#, answer: #"{"op":"end","id":\#(key.id),"#)
        case "set", "clear": try set(clears: kind == "clear")
        case "drop": drop()
        case "pass":
            let time = UInt64(1 + dice.below(700))
            model.pass(time)
            bench.clock.advance(by: time)
            bench.host.advance()
        case "read":
            let name = member(of: model.families)
            _ = try bench.read(graph, name)
            model.ask(for: [name])
        case "pressure":
            model.press(all: true)
            bench.host.flushUnused()
        case "flush":
            model.press(all: false)
            _ = bench.host.flushUnused(of: graph, matching: "*")
        default:
            model.redefine(FleetModel.Parts(rawValue: model.parts.rawValue ^ (1 << dice.below(6))))
            last += " \(model.parts.rawValue)"
            guard case .applied = bench.host.redefine(graph, as: try bench.definition(model.definition))
            else {
                complaint = "a definition was refused"
                return
            }
        }
    }

    private mutating func client() -> Int { clients.keys.sorted()[dice.below(clients.count)] }

    private mutating func subscription() -> FleetModel.Key? {
        let open = model.subs.filter { clients[$0.key.client] != nil }.keys
        return open.sorted { ($0.client, $0.id) < ($1.client, $1.id) }.randomElement(using: &dice)
    }

    private mutating func member(of families: [String]) -> String {
        families[dice.below(families.count)] + "." + FleetModel.ids[dice.below(FleetModel.ids.count)]
    }

    private mutating func owners() -> Set<String> {
        Set((0...dice.below(3)).map { _ in ["a", "b", "c"][dice.below(3)] })
    }

    private static func json(_ names: some Sequence<String>) -> String {
        "[" + names.sorted().map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }

    private mutating func subscribe() {
        let number = client()
        let id = clients[number]?.nextID() ?? 0
        let globs = ["s.*", "d.*", "*.a", "*", "*.k"]
        let target: FleetModel.Target
        let text: String
        switch dice.below(8) {
        case 0, 1, 2:
            let name = dice.chance(1, in: 4) ? ["hall", "sum"][dice.below(2)] : member(of: model.families)
            (target, text) = (.node(name), #""node":"\#(name)""#)
        case 3:
            let name = member(of: model.families)
            (target, text) = (.piped(name), #""node":"\#(name)","pipe":[{"replace":1}]"#)
        case 4:
            let glob = globs[dice.below(globs.count)]
            (target, text) = (.all(glob), #""all":"\#(glob)","reduce":"count""#)
        default:
            let names = Set((0..<dice.below(3)).map { _ in member(of: model.families) })
            let globs = names.isEmpty || dice.chance(1, in: 2) ? [globs[dice.below(globs.count)]] : []
            target = .group(names: names, globs: globs, asked: names)
            text = #""nodes":\#(Self.json(Array(names) + globs))"#
        }
        let owners = dice.chance(1, in: 2) ? owners() : []
        var sub = FleetModel.Sub(target: target, holder: .owners(client: number, owners))
        var more = owners.isEmpty ? "" : #","owner":\#(Self.json(owners))"#
        if case .group = target {
            if dice.chance(1, in: 4) { more += #","mode":"all""# }
        } else if dice.chance(1, in: 3) {
            sub.keeps = true
            more += #","keep":\#(FleetModel.keep)"#
        }
        last += " \(text)\(more)"
        model.subs[FleetModel.Key(client: number, id: id)] = sub
        model.ask(for: model.nodes(of: target))
        expect(
            number,
            #"{"op":"sub","id":\#(id),"graph":"g",\#(text)\#(more)}"#,
            answer: #"{"op":"snap","id":\#(id)"#
        )
    }

    private mutating func modify() {
        guard let key = subscription() else { return }
        let (adding, removing) = (owners(), owners())
        model.change(key, adding: adding, removing: removing)
        let change = #""addOwner":\#(Self.json(adding)),"removeOwner":\#(Self.json(removing))"#
        expect(
            key.client,
            #"{"op":"mod","id":900000,"sub":\#(key.id),\#(change)}"#,
            answer: #"{"op":"ok","id":900000}"#
        )
    }

    private mutating func release() {
        let (number, owner) = (client(), ["a", "b", "c"][dice.below(3)])
        let ended = model.release(owner, of: number)
        let answers = expect(
            number,
            #"{"op":"release","id":900001,"owner":"\#(owner)"}"#,
            answer: #"{"op":"ok","id":900001"#
        )
        let told = answers.compactMap { answer in
            ended.first { answer.hasPrefix(#"{"op":"end","id":\#($0),"code":"done""#) }
        }
        if Set(told) != ended { complaint = "\(ended) end, not \(told)" }
    }

    private mutating func set(clears: Bool) throws {
        var new: [(name: String, value: Int)] = []
        for _ in 0..<(clears ? dice.below(2) : 1 + dice.below(3)) {
            let name = member(of: model.mutableFamilies)
            if !new.contains(where: { $0.name == name }) { new.append((name, dice.below(9))) }
        }
        var gone: [String] = []
        if clears {
            let name = member(of: model.mutableFamilies)
            if !new.contains(where: { $0.name == name }) { gone.append(name) }
        }
        var keys: [(String, String)] = []
        if model.parts.contains(.follower), dice.chance(1, in: 3) {
            model.key = FleetModel.ids[dice.below(FleetModel.ids.count)]
            keys = [("key", "\"\(model.key)\"")]
        }
        last += " \(new) \(keys) without \(gone)"
        guard !new.isEmpty || !gone.isEmpty || !keys.isEmpty else { return }
        model.set(new, clear: gone)
        try bench.submit(graph, new.map { ($0.name, "\($0.value)") } + keys, clear: gone)
    }

    private mutating func drop() {
        var names = Set((0...dice.below(2)).map { _ in member(of: model.mutableFamilies) })
        if dice.chance(7, in: 8) {
            let valued = names.filter { model.value(of: $0) != nil }
            if !valued.isEmpty { names = valued }
        }
        // A declared node cannot be dropped.
        names.subtract(model.standIns)
        guard !names.isEmpty else { return }
        last += " \(names)"
        let isRefused = names.contains { model.value(of: $0) == nil }
        if !isRefused { model.drop(names) }
        let code = isRefused ? #"{"op":"err","id":900002,"code":"unknown_node""# : #"{"op":"ok","id":900002"#
        expect(client(), #"{"op":"drop","id":900002,"graph":"g","nodes":\#(Self.json(names))}"#, answer: code)
    }

    @discardableResult
    private mutating func expect(_ number: Int, _ message: String, answer: String) -> [String] {
        bench.endTurn()
        clients[number]?.read()
        let answers = clients[number]?.client.ask(message) ?? []
        clients[number]?.read(answers)
        if complaint == nil, !answers.contains(where: { $0.hasPrefix(answer) }) {
            complaint = "\(message) is answered by \(answers), not \(answer)"
        }
        return answers
    }

    /// Everyone leaves, what is kept for them ends, and what holds a value is dropped.
    mutating func end() throws {
        last = "end"
        for number in clients.keys {
            model.close(number)
            clients.removeValue(forKey: number)?.client.session.close()
        }
        for time in [FleetModel.keep, 3 * FleetModel.expire, 3 * FleetModel.expire] {
            model.pass(time)
            bench.clock.advance(by: time)
            bench.host.advance()
            bench.endTurn()
        }
        let valued = Set(
            model.visible.filter { model.mutableFamilies.contains(String($0.prefix { $0 != "." })) }
        )
        model.drop(valued)
        for name in valued {
            _ = bench.host.submit(Commit(dropping: try #require(graph.node(name))))
        }
        model.press(all: true)
        bench.host.flushUnused()
        bench.endTurn()
        model.endStep()
    }

    // MARK: - What is compared

    /// What is not as the rules say.
    var fault: String? {
        if let complaint { return complaint }
        let living = model.living
        let members = living.filter(model.isMember)
        let present = graph.members.living.map(\.name).sorted()
        guard present == members.sorted() else { return "\(present) live, not \(members.sorted())" }
        let visible = model.visible
        var meant: [String] = []
        graph.members.names.visit {
            meant.append($0)
            return true
        }
        guard meant == visible.sorted() else { return "globs mean \(meant), not \(visible.sorted())" }
        for glob in ["s.*", "*.a", "*"] {
            let nodes = Set(graph.visibleNodes(matching: glob).map(\.name))
            guard nodes == model.meant(by: glob) else {
                return "\(glob) means \(nodes), not \(model.meant(by: glob))"
            }
        }
        for name in living {
            let value = graph.existing(name)?.living?.value?.text
            guard value == model.value(of: name) else {
                return "\(name) holds \(value ?? "nothing"), not \(model.value(of: name) ?? "nothing")"
            }
        }
        return countFault(members.count) ?? graphFault ?? subscriptionFault
    }

    private func countFault(_ members: Int) -> String? {
        // Looking at globs has asked for members.
        bench.endTurn()
        let inFamilies = graph.members.families.reduce(0) { $0 + $1.living }
        let counted = graph.members.livingCount
        guard counted == members, inFamilies == members else {
            return "\(counted) members are counted, \(inFamilies) in families, not \(members)"
        }
        let names = graph.registry.declaredEntries.count
        guard names == members + model.declared.count else {
            return "\(names) names, not \(members) and those declared"
        }
        let statistics = graph.statistics
        let counts = [statistics.nodes, statistics.edges, statistics.listeners]
        guard counts == model.counts else {
            return "\(counts) nodes, edges and listeners, not \(model.counts)"
        }
        let kept = model.subs.values.count { if case .kept = $0.holder { true } else { false } }
        guard statistics.keptChains == kept, statistics.subscriptions == model.subs.count - kept else {
            return
                "\(statistics.subscriptions) subscriptions and \(statistics.keptChains) kept, not \(model.subs.count), \(kept)"
        }
        guard graph.members.watchers.count == model.watched else {
            return "\(graph.members.watchers.count) names are followed, not \(model.watched)"
        }
        return nil
    }

    private var graphFault: String? {
        let roots = (graph.nodes + graph.members.living).compactMap(\.living) + graph.chains.all.map(\.node)
        let problems = graph.core.validate(roots: roots)
        guard problems.isEmpty else { return "\(problems.prefix(3))" }
        return graph.isWhole && graph.core.leakedRings().isEmpty
            ? nil : "something that cannot be reached is alive"
    }

    private var subscriptionFault: String? {
        for (number, client) in clients {
            let subs = model.subs.filter { $0.key.client == number }
            let owners = Dictionary(uniqueKeysWithValues: subs.map { ($0.id, ownerNames($1.holder)) })
            let present = client.client.session.subscriptions.map { (Int($0.id), Set($0.ownerNames)) }
            guard present.count == owners.count, present.allSatisfy({ owners[$0] == $1 }) else {
                return "client \(number) has \(present), not \(owners)"
            }
            for (key, sub) in subs {
                guard case .group = sub.target else { continue }
                let (told, meant) = (client.groups[key.id] ?? [], model.nodes(of: sub.target))
                guard told == meant else {
                    return
                        "client \(number) was told of \(told.sorted()) by \(key.id), not of \(meant.sorted())"
                }
            }
        }
        return nil
    }

    private func ownerNames(_ holder: FleetModel.Holder) -> Set<String?> {
        guard case .owners(_, let names) = holder, !names.isEmpty else { return [nil] }
        return Set(names.map { $0.isEmpty ? nil : $0 })
    }
}

/// A client, with what it received about the nodes of its group subscriptions.
struct FleetClient {
    let client: Client
    private(set) var groups: [Int: Set<String>] = [:]
    private var latest = 0

    init(_ client: Client) {
        self.client = client
    }

    mutating func nextID() -> Int {
        latest += 1
        return latest
    }

    mutating func read() { read(client.take()) }

    mutating func read(_ messages: [String]) {
        for message in messages {
            guard let datum = try? Datum.parse(message) else { continue }
            datum.withBytes { bytes in
                let message = JSONReader(validated: bytes)
                switch message["op"]?.string {
                case "snap": note(message)
                case "upd": for entry in message["d"].map({ Array($0.elements) }) ?? [] { note(entry) }
                case "end": if let id = message["id"]?.int { groups[id] = nil }
                default: break
                }
            }
        }
    }

    private mutating func note(_ entry: JSONReader) {
        guard let id = entry["id"]?.int, let nodes = entry["m"] else { return }
        for node in nodes.members {
            let name = node.key.string
            if node.value["gone"] != nil {
                groups[id]?.remove(name)
            } else {
                groups[id, default: []].insert(name)
            }
        }
    }
}
