internal import CEL
internal import ReactiveGraph

/// Two mutable nodes, each of which follows the other (G-88).
public struct SyncDefinition {
    /// The two nodes; if both have a value at the beginning, that of `b` wins.
    public let a: String
    public let b: String
    /// Expressions that convert a value on its way; nil: it is passed unchanged.
    public let toB: Expression?
    public let toA: Expression?
    /// Its place in the file.
    public let position: Position
}

extension SyncDefinition {
    static let schema = ArgumentSchema.list(
        of: fields,
        rules: #""dependentRequired":{"to_a":["to_b"],"to_b":["to_a"]}"#
    )
    fileprivate static let fields: [ArgumentField] = [
        .required("a", .node, "One of the nodes."),
        .required("b", .node, "The other one; its value wins if both have one at the start."),
        .optional("to_b", .expression, "The value of `b` for a `value` of `a`."),
        .optional("to_a", .expression, "The value of `a` for a `value` of `b`."),
    ]
}

/// A further edge into a node that exists already; edges of this kind may close cycles.
public struct LinkDefinition {
    /// The node whose values are passed on.
    public let from: String
    /// The node that receives them, besides its own values.
    public let to: String
    /// The stages on the way.
    public let pipe: [Stage]
    /// Its place in the file.
    public let position: Position

    /// The strongest class of its stages.
    public var stateClass: OperatorRow.StateClass {
        pipe.reduce(.none) { max($0, $1.stateClass) }
    }
}

extension LinkDefinition {
    static let schema = ArgumentSchema.list(of: fields)
    fileprivate static let fields: [ArgumentField] = [
        .required("from", .node, "The node whose values go over the link."),
        .required("to", .node, "The node that receives them, besides its own values."),
        .optional("pipe", .reference("pipe"), "Stages that every value goes through, in this order."),
    ]
}

/// The `sync` and the `links` of a graph.
struct TieDefinitions {
    var syncs: [SyncDefinition] = []
    var links: [LinkDefinition] = []
}

extension Notebook {
    /// Reads the sections `sync` and `links`; ``checkTies(_:_:among:)`` checks the names in them.
    func ties(sync: Document?, links: Document?) -> TieDefinitions {
        TieDefinitions(
            syncs: sync.map { list($0, of: "sync") }?.compactMap(oneSync) ?? [],
            links: links.map { list($0, of: "links") }?.compactMap(oneLink) ?? []
        )
    }

    private func list(_ document: Document, of what: String) -> [Document] {
        guard let elements = document.elements else {
            add("\(what) must be a list, not \(document.kindName)", at: document.position)
            return []
        }
        guard elements.count <= options.mostNodes else {
            add("\(what) has at most \(options.mostNodes) elements", at: document.position)
            return []
        }
        return elements
    }

    /// `{ a: setpoint_c, b: setpoint_f, to_b: "value * 9 / 5 + 32", to_a: "(value - 32) * 5 / 9" }`.
    private func oneSync(_ document: Document) -> SyncDefinition? {
        let before = problems.count
        let fields = fields(document, of: "a sync", SyncDefinition.fields)
        let a = fields["a"].flatMap { nodeName($0, "a must name a node") }
        let b = fields["b"].flatMap { nodeName($0, "b must name a node") }
        let toB = fields["to_b"].flatMap { expression($0, of: "to_b", variables: Notebook.valueNames) }
        let toA = fields["to_a"].flatMap { expression($0, of: "to_a", variables: Notebook.valueNames) }
        if (fields["to_a"] == nil) != (fields["to_b"] == nil) {
            let missing = fields["to_a"] == nil ? "to_a" : "to_b"
            add(
                "a sync needs '\(missing)' too: each expression undoes the other",
                at: document.position,
                hint: "for one direction only, write a link"
            )
        }
        guard let a, let b, problems.count == before else { return nil }
        return SyncDefinition(a: a, b: b, toB: toB, toA: toA, position: document.position)
    }

    /// `{ from: indoor_c, to: any_temp, pipe: [ { map: "value + 0.1" } ] }`.
    private func oneLink(_ document: Document) -> LinkDefinition? {
        let before = problems.count
        let fields = fields(document, of: "a link", LinkDefinition.fields)
        let from = fields["from"].flatMap { nodeName($0, "from must name a node") }
        let to = fields["to"].flatMap { nodeName($0, "to must name a node") }
        let stages = fields["pipe"].map(pipe) ?? []
        guard let from, let to, problems.count == before else { return nil }
        return LinkDefinition(from: from, to: to, pipe: stages, position: document.position)
    }

    /// Checks the names in the ties, and sets the class of the nodes that links lead to.
    func checkTies(_ ties: TieDefinitions, _ nodes: inout [NodeDefinition]) {
        guard !ties.syncs.isEmpty || !ties.links.isEmpty else { return }
        let before = problems.count
        let index = Dictionary(
            nodes.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var pairs: Set<[String]> = []
        for sync in ties.syncs {
            for name in [sync.a, sync.b] {
                guard let place = requireNode(name, at: sync.position, index) else { continue }
                if case .derived = nodes[place].kind {
                    add(
                        "'\(name)' is derived: a sync connects mutable nodes",
                        at: sync.position,
                        hint: "use a link to a derived node"
                    )
                }
            }
            if sync.a == sync.b {
                add("'\(sync.a)' cannot be in sync with itself", at: sync.position)
            } else if !pairs.insert([sync.a, sync.b].sorted()).inserted {
                add("'\(sync.a)' and '\(sync.b)' are in sync already", at: sync.position)
            }
        }
        for link in ties.links {
            _ = requireNode(link.from, at: link.position, index)
            guard let place = requireNode(link.to, at: link.position, index) else { continue }
            if link.from == link.to {
                add("'\(link.from)' cannot be linked to itself", at: link.position)
            }
            if let retain = nodes[place].statedRetain, retain != .always {
                add(
                    "'\(link.to)' cannot be retained \(retain.rawValue): a node that a link leads to is always held",
                    at: link.position
                )
            }
            nodes[place].linkClass = max(nodes[place].linkClass ?? .history, link.stateClass)
        }
        if problems.count == before { checkCircles(ties, nodes, index) }
    }

    private func requireNode(_ name: String, at position: Position, _ index: [String: Int]) -> Int? {
        if let place = index[name] { return place }
        addUnknown(node: name, among: index.keys.sorted(), at: position)
        return nil
    }

    /// Reports cycles that contain a delay: each round is a commit of its own, so nothing would
    /// ever stop them.
    private func checkCircles(_ ties: TieDefinitions, _ nodes: [NodeDefinition], _ index: [String: Int]) {
        var circles = Circles(count: nodes.count)
        for (place, node) in nodes.enumerated() {
            for input in node.inputs {
                guard let source = index[input] else { continue }
                circles.connect(source, place, waits: node.ownStateClass == .timed)
            }
        }
        for sync in ties.syncs {
            guard let a = index[sync.a], let b = index[sync.b] else { continue }
            circles.connect(a, b, waits: false)
            circles.connect(b, a, waits: false)
        }
        for link in ties.links {
            guard let from = index[link.from], let to = index[link.to] else { continue }
            circles.connect(from, to, waits: link.stateClass == .timed)
        }
        let endless = circles.groupsThatWait()
        var told: Set<Int> = []
        for link in ties.links {
            guard let from = index[link.from], let to = index[link.to] else { continue }
            guard let group = endless[from], group == endless[to], told.insert(group).inserted else {
                continue
            }
            add(
                "this link closes a cycle with a timed stage: it would never settle",
                at: link.position,
                hint: "remove debounce, delay, sample and timed windows from the cycle"
            )
        }
    }
}

/// Groups of nodes on common cycles (strongly connected components, by Kosaraju's algorithm).
private struct Circles {
    private var down: [[Int]]
    private var up: [[Int]]
    private var waiting: [(from: Int, to: Int)] = []

    init(count: Int) {
        down = Array(repeating: [], count: count)
        up = down
    }

    mutating func connect(_ from: Int, _ to: Int, waits: Bool) {
        down[from].append(to)
        up[to].append(from)
        if waits { waiting.append((from, to)) }
    }

    /// For each node on a cycle with a delaying edge, the number of the cycle's group.
    func groupsThatWait() -> [Int: Int] {
        guard !waiting.isEmpty else { return [:] }
        let group = groups()
        let endless = Set(waiting.filter { group[$0.from] == group[$0.to] }.map { group[$0.from] })
        var result: [Int: Int] = [:]
        for (node, group) in group.enumerated() where endless.contains(group) { result[node] = group }
        return result
    }

    private func groups() -> [Int] {
        var order: [Int] = []
        var seen = Array(repeating: false, count: down.count)
        for start in down.indices where !seen[start] {
            seen[start] = true
            var open = [(node: start, next: 0)]
            while let (node, next) = open.last {
                guard next < down[node].count else {
                    order.append(node)
                    open.removeLast()
                    continue
                }
                open[open.count - 1].next += 1
                let target = down[node][next]
                guard !seen[target] else { continue }
                seen[target] = true
                open.append((target, 0))
            }
        }
        var group = Array(repeating: -1, count: down.count)
        for start in order.reversed() where group[start] < 0 {
            group[start] = start
            var open = [start]
            while let node = open.popLast() {
                for source in up[node] where group[source] < 0 {
                    group[source] = start
                    open.append(source)
                }
            }
        }
        return group
    }
}
