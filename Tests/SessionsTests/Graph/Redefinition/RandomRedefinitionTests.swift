@testable import Definitions
@testable import Graphs
@testable import Sessions
import ReactiveGraph
import TestSupport
import Testing
import Values

/// Random definitions one after the other, with sets and subscribers in between.
@Suite("Random redefinitions")
struct RandomRedefinitionTests {
    static var seeds: Range<UInt64> { !Nightly.isOn ? 0..<150 : 0..<20_000 }

    @Test(
        "After each change every value is that of a fresh host, unchanged nodes said nothing, and nothing is left over"
    )
    func changes() throws {
        for seed in Self.seeds {
            let complaints = try Changes(seed).run()
            #expect(complaints.isEmpty, "seed \(seed): \(complaints.prefix(3))")
            if !complaints.isEmpty { return }
        }
    }
}

private final class Changes {
    private var dice: SeededGenerator
    private let bench = Bench()
    private let graph: LiveGraph
    private var shape: Shape
    private var clients: [(client: Client, view: View, nodes: [Int: String])] = []
    private var nextID = 0
    private var complaints: [String] = []

    init(_ seed: UInt64) throws {
        dice = SeededGenerator(seed: seed)
        shape = Shape(&dice)
        graph = try bench.define(shape.json)
    }

    func run() throws -> [String] {
        for step in 0..<12 {
            for _ in 0..<dice.below(4) { try set() }
            for _ in 0..<dice.below(4) { subscribe() }
            if dice.below(4) == 0, !clients.isEmpty {
                clients.remove(at: dice.below(clients.count)).client.session.close()
            }
            bench.host.flush()
            hear(step)
            try redefine(step)
            if !complaints.isEmpty { return complaints }
        }
        for (client, _, _) in clients { client.session.close() }
        clients = []
        try compareWithFresh(99)
        if graph.statistics.listeners != 0 { complaints.append("listeners are left: \(graph.statistics)") }
        if !graph.isWhole { complaints.append("something unreachable is alive") }
        weak let mutable = graph.nodes.first?.living
        _ = bench.host.remove(graph)
        if graph.statistics.nodes != 0 || mutable != nil {
            complaints.append("the removed graph has nodes: \(graph.statistics)")
        }
        return complaints
    }

    private func set() throws {
        let mutable = graph.nodes.filter(\.isMutable)
        guard !mutable.isEmpty else { return }
        let node = mutable[dice.below(mutable.count)]
        if dice.below(6) == 0 {
            try bench.submit(graph, [], clear: [node.name])
        } else {
            // Some checks refuse it.
            _ = try? bench.submit(graph, [(node.name, "\(dice.below(5))")])
        }
    }

    private func subscribe() {
        if clients.count < 4 { clients.append((bench.connect(), View(), [:])) }
        let place = dice.below(clients.count)
        nextID += 1
        let node = graph.nodes[dice.below(graph.nodes.count)].name
        let mode = dice.below(3) == 0 ? "all" : "latest"
        let pipe = dice.below(3) == 0 ? #","pipe":[{"map":"value"}]"# : ""
        clients[place].client.send(
            #"{"op":"sub","id":\#(nextID),"graph":"g","node":"\#(node)","mode":"\#(mode)"\#(pipe)}"#
        )
        clients[place].nodes[nextID] = node
    }

    private func hear(_ step: Int) {
        for (place, entry) in clients.enumerated() {
            entry.view.read(entry.client.take())
            complaints += entry.view.complaints
            for (id, code) in entry.view.ended {
                let node = clients[place].nodes.removeValue(forKey: id) ?? "?"
                if code != "node_removed" || graph.node(node) != nil {
                    complaints.append("\(step): end \(node) \(code)")
                }
            }
            for (id, node) in clients[place].nodes {
                let held = (try? bench.read(graph, node)) ?? "?"
                if entry.view.values[id] != held {
                    complaints.append(
                        "\(step): \(node) was told as \(entry.view.values[id] ?? "?"), not \(held)"
                    )
                }
            }
        }
    }

    private func redefine(_ step: Int) throws {
        let before = try values()
        let old = graph.definition
        let living = graph.nodes.map { (name: $0.name, node: WeakNode($0.living)) }
        let heard = clients.map { $0.view.heard }
        let watched = clients.map { $0.nodes }
        shape.change(&dice)
        let new = try bench.definition(shape.json)
        let change = graph.change(to: new)
        let rev = graph.rev
        guard case .applied = bench.host.redefine(graph, as: new) else {
            complaints.append("\(step): refused")
            return
        }
        if graph.rev != rev + (new.hash == old.hash ? 0 : 1) {
            complaints.append("\(step): rev \(graph.rev)")
        }
        let after = try values()
        bench.host.flush()
        hear(step)
        // Nodes that did not change, and are not made from changed ones, emit nothing. The others
        // emit once if their value has changed. In immediate mode a join may show more than one
        // state of a commit, and so does a flatten whose key changes together with the node it
        // follows.
        let affected = affected(by: change, in: new)
        let most = shape.isSettled && !shape.hasFlatten ? 1 : Int.max
        for (place, entry) in clients.enumerated() {
            for (id, node) in watched[place] where clients[place].nodes[id] != nil {
                let news = (entry.view.heard[id] ?? 0) - (heard[place][id] ?? 0)
                let least = before[node] == after[node] ? 0 : 1
                if news < least || news > (affected.contains(node) ? most : 0) {
                    complaints.append(
                        "\(step): \(news) deliveries of \(node), \(before[node] ?? "") to \(after[node] ?? "")"
                    )
                }
            }
        }
        // What did not change is the same node.
        for (name, node) in living where graph.node(name) != nil {
            if let former = node.node, former !== graph.node(name)?.living {
                complaints.append("\(step): \(name) is another node")
            }
        }
        for name in change.removed where living.contains(where: { $0.name == name && $0.node.node != nil }) {
            complaints.append("\(step): \(name) was removed and lives")
        }
        try compareWithFresh(step)
        if !graph.isWhole { complaints.append("\(step): something unreachable is alive") }
        let parts = graph.nodes.count { $0.isMutable && $0.living !== $0.source }
        if graph.chains.hiddenCount != parts + standIns { complaints.append("\(step): gates are left") }
    }

    /// Nodes that flattens follow while they choose none.
    private var standIns: Int {
        var open = graph.roots
        var seen: Set<UInt64> = []
        var found: Set<UInt64> = []
        while let node = open.popLast() {
            guard seen.insert(node.id).inserted else { continue }
            found.formUnion(node.followedNodes.map(\.id).filter(graph.chains.isHidden))
            open += node.upstreamNodes + node.followedNodes
        }
        return found.count
    }

    /// The changed nodes, and all that are made from them.
    private func affected(by change: DefinitionChange, in definition: GraphDefinition) -> Set<String> {
        var affected = Set(change.rebuilt + change.reset)
        for place in definition.order {
            let node = definition.nodes[place]
            if node.inputs.contains(where: affected.contains) { affected.insert(node.name) }
        }
        return affected
    }

    private func values() throws -> [String: String] {
        var values: [String: String] = [:]
        for node in graph.nodes { values[node.name] = try bench.read(graph, node.name) }
        return values
    }

    private func compareWithFresh(_ step: Int) throws {
        let other = Bench()
        let fresh = try other.define(shape.json)
        for node in graph.nodes where node.isMutable {
            if let value = node.source?.value {
                try other.submit(fresh, [(node.name, value.text)])
            } else {
                try other.submit(fresh, [], clear: [node.name])
            }
        }
        for node in fresh.nodes {
            let (here, there) = (try bench.read(graph, node.name), try other.read(fresh, node.name))
            if here != there { complaints.append("\(step): \(node.name) is \(here), fresh \(there)") }
        }
        if graph.nodes.map(\.name) != fresh.nodes.map(\.name) { complaints.append("\(step): another order") }
    }

    /// Holds nothing.
    private struct WeakNode {
        weak let node: Node<Datum>?

        init(_ node: Node<Datum>?) {
            self.node = node
        }
    }
}

/// A random definition of nodes of class none, and random changes of it.
private struct Shape {
    private var nodes: [(name: String, text: String)] = []
    private(set) var isSettled = true
    private let hasFlattens: Bool
    private var count = 0

    init(_ dice: inout SeededGenerator) {
        hasFlattens = dice.below(2) == 0
        isSettled = dice.below(5) != 0
        for _ in 0..<(2 + dice.below(3)) { add(isMutable: true, &dice) }
        for _ in 0..<(1 + dice.below(8)) { add(isMutable: false, &dice) }
    }

    var hasFlatten: Bool { nodes.contains { $0.text.contains("flatten") } }

    var json: String {
        let members = nodes.map { #""\#($0.name)":\#($0.text)"# }.joined(separator: ",")
        return #"{"graph":"g","mode":"\#(isSettled ? "settled" : "immediate")","nodes":{\#(members)}}"#
    }

    private mutating func add(isMutable: Bool, _ dice: inout SeededGenerator) {
        count += 1
        nodes.append(("n\(count)", isMutable ? mutable(&dice) : derived(below: nodes.count, &dice)))
    }

    /// Some nodes say something else, some go, some come; now and then nodes move past each other.
    mutating func change(_ dice: inout SeededGenerator) {
        for _ in 0..<dice.below(4) {
            let place = dice.below(nodes.count)
            // Made from nodes in front of it only, so that no circle arises.
            let isMutable = place == 0 || dice.below(4) == 0
            nodes[place].text = isMutable ? mutable(&dice) : derived(below: place, &dice)
        }
        if dice.below(2) == 0 { add(isMutable: dice.below(4) == 0, &dice) }
        if dice.below(3) == 0, nodes.count > 3 { remove(dice.below(nodes.count), &dice) }
        if dice.below(8) == 0 { isSettled.toggle() }
        if dice.below(5) == 0 {
            // Two neighbours change places, and are made anew from what stands in front of them
            // then.
            let place = 1 + dice.below(nodes.count - 1)
            nodes.swapAt(place - 1, place)
            nodes[place - 1].text = place == 1 ? mutable(&dice) : derived(below: place - 1, &dice)
            nodes[place].text = derived(below: place, &dice)
        }
    }

    /// Takes a node away; what is made from it is made from others from now on.
    private mutating func remove(_ place: Int, _ dice: inout SeededGenerator) {
        let name = nodes.remove(at: place).name
        for other in nodes.indices where nodes[other].text.contains("\"\(name)\"") {
            nodes[other].text = other == 0 ? mutable(&dice) : derived(below: other, &dice)
        }
    }

    private func mutable(_ dice: inout SeededGenerator) -> String {
        let histories = [#","history":3"#, #","history":{"for":"1h","every":"\#(1 + dice.below(2))s"}"#]
        let history = dice.below(4) == 0 ? histories[dice.below(2)] : ""
        return switch dice.below(3) {
        case 0: #"{"set":"number","max":\#(dice.below(5)),"initial":0\#(history)}"#
        case 1: #"{"set":"any","initial":\#(dice.below(4))\#(history)}"#
        default: #"{"set":"any"\#(history)}"#
        }
    }

    private func derived(below place: Int, _ dice: inout SeededGenerator) -> String {
        func any(_ dice: inout SeededGenerator) -> String { nodes[dice.below(place)].name }
        let extras = [
            "", "", #","retain":"always""#, #","retain":"untilPressure""#, #","history":2"#, #","title":"t""#,
        ]
        let extra = extras[dice.below(extras.count)]
        switch dice.below(hasFlattens ? 5 : 4) {
        case 0:
            let pipe = dice.below(2) == 0 ? "" : #","pipe":[{"map":"value + \#(dice.below(3))"}]"#
            return #"{"from":"\#(any(&dice))"\#(pipe)\#(extra)}"#
        case 1, 2:
            let inputs = (0...dice.below(3)).map { _ in any(&dice) }
            return #"{"combine":["\#(inputs.joined(separator: "\",\""))"],"map":"sum(value)"\#(extra)}"#
        case 4:
            var to: [String: String] = [:]
            for key in 0...dice.below(3) { to["\(key)"] = any(&dice) }
            let keys = to.map { #""\#($0)":"\#($1)""# }.sorted().joined(separator: ",")
            let rest = dice.below(2) == 0 ? #","otherwise":"\#(any(&dice))""# : ""
            return #"{"flatten":{"from":"\#(any(&dice))","to":{\#(keys)}\#(rest)}}"#
        default:
            return
                #"{"from":"\#(any(&dice))","pipe":[{"ifEmpty":\#(dice.below(2))},{"map":"value * 2"}]\#(extra)}"#
        }
    }
}
