internal import CEL
internal import ReactiveGraph
public import Values

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
    static let schema = Schema.list(
        of: .mapping(fields).with("dependentRequired", ["to_a": ["to_b"], "to_b": ["to_a"]])
    )
    private static let fields: [Schema.Field] = [
        .required("a", .node, "One of the nodes."),
        .required("b", .node, "The other one; its value wins if both have one at the start."),
        .optional("to_b", .expression, "The value of `b` for a `value` of `a`."),
        .optional("to_a", .expression, "The value of `a` for a `value` of `b`."),
    ]

    /// `{ a: setpoint_c, b: setpoint_f, to_b: "value * 9 / 5 + 32", to_a: "(value - 32) * 5 / 9" }`.
    fileprivate init?(_ document: Document, from reader: DocumentReader) {
        let before = reader.problems.count
        let fields = reader.fields(document, of: "a sync", Self.fields)
        let a = fields["a"].flatMap { reader.nodeName($0, "a must name a node") }
        let b = fields["b"].flatMap { reader.nodeName($0, "b must name a node") }
        reader.types.value = .dyn
        let toB = fields["to_b"].flatMap {
            reader.expression($0, of: "to_b", variables: Expression.valueNames)
        }
        let toA = fields["to_a"].flatMap {
            reader.expression($0, of: "to_a", variables: Expression.valueNames)
        }
        if (fields["to_a"] == nil) != (fields["to_b"] == nil) {
            let missing = fields["to_a"] == nil ? "to_a" : "to_b"
            reader.add(
                "a sync needs '\(missing)' too: each expression undoes the other",
                at: document.position,
                hint: "for one direction only, write a link"
            )
        }
        guard let a, let b, reader.problems.count == before else { return nil }
        self.init(a: a, b: b, toB: toB, toA: toA, position: document.position)
    }
}

/// A further edge into a node that exists already; edges of this kind may close cycles.
public struct LinkDefinition {
    /// The node whose values are passed on.
    public let from: String
    /// The node that receives them, besides its own values.
    public let to: String
    public let pipe: [Stage]
    /// Its place in the file.
    public let position: Position

    /// The strongest class of its stages.
    public var stateClass: OperatorRow.StateClass {
        pipe.reduce(.none) { max($0, $1.stateClass) }
    }
}

extension LinkDefinition {
    static let schema = Schema.list(of: .mapping(fields))
    private static let fields: [Schema.Field] = [
        .required("from", .node, "The node whose values go over the link."),
        .required("to", .node, "The node that receives them, besides its own values."),
        .optional("pipe", .pipe, "Stages that every value goes through, in this order."),
    ]

    /// `{ from: indoor_c, to: any_temp, pipe: [ { map: "value + 0.1" } ] }`.
    fileprivate init?(_ document: Document, from reader: DocumentReader) {
        let before = reader.problems.count
        let fields = reader.fields(document, of: "a link", Self.fields)
        let from = fields["from"].flatMap { reader.nodeName($0, "from must name a node") }
        let to = fields["to"].flatMap { reader.nodeName($0, "to must name a node") }
        reader.types.value = .dyn
        let stages = fields["pipe"].map { Stage.pipe($0, from: reader) } ?? []
        guard let from, let to, reader.problems.count == before else { return nil }
        self.init(from: from, to: to, pipe: stages, position: document.position)
    }
}

/// The `sync` and the `links` of a graph.
struct TieDefinitions {
    var syncs: [SyncDefinition] = []
    var links: [LinkDefinition] = []
}

extension TieDefinitions {
    /// Reads the sections `sync` and `links`; ``check(_:_:)`` checks the names in them.
    init(sync: Document?, links: Document?, from reader: DocumentReader) {
        syncs = Self.list(sync, of: "sync", reader).compactMap { SyncDefinition($0, from: reader) }
        self.links = Self.list(links, of: "links", reader).compactMap { LinkDefinition($0, from: reader) }
    }

    private static func list(
        _ document: Document?,
        of what: String,
        _ reader: DocumentReader
    ) -> [Document] {
        guard let document else { return [] }
        guard let elements = document.elements else {
            reader.add("\(what) must be a list, not \(document.kindName)", at: document.position)
            return []
        }
        let mostNodes = reader.options.mostNodes
        guard elements.count <= mostNodes else {
            reader.add("\(what) has at most \(mostNodes) elements", at: document.position)
            return []
        }
        return elements
    }

    /// Checks the names in the ties, and sets the class of the nodes that links lead to.
    func check(_ nodes: [NodeDefinition], _ reader: DocumentReader) {
        guard !syncs.isEmpty || !links.isEmpty else { return }
        let before = reader.problems.count
        let index = Dictionary(
            nodes.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var pairs: Set<[String]> = []
        for sync in syncs {
            for name in [sync.a, sync.b] {
                guard let place = Self.require(name, at: sync.position, index, reader) else { continue }
                if case .derived = nodes[place].kind {
                    reader.add(
                        "'\(name)' is derived: a sync connects mutable nodes",
                        at: sync.position,
                        hint: "use a link to a derived node"
                    )
                }
            }
            if sync.a == sync.b {
                reader.add("'\(sync.a)' cannot be in sync with itself", at: sync.position)
            } else if !pairs.insert([sync.a, sync.b].sorted()).inserted {
                reader.add("'\(sync.a)' and '\(sync.b)' are in sync already", at: sync.position)
            }
        }
        for link in links {
            _ = Self.require(link.from, at: link.position, index, reader)
            guard let place = Self.require(link.to, at: link.position, index, reader) else { continue }
            if link.from == link.to {
                reader.add("'\(link.from)' cannot be linked to itself", at: link.position)
            }
            if let retain = nodes[place].statedRetain, retain != .always {
                reader.add(
                    "'\(link.to)' cannot be retained \(retain.rawValue): a node that a link leads to is always held",
                    at: link.position
                )
            }
            nodes[place].linkClass = max(nodes[place].linkClass ?? .history, link.stateClass)
        }
        if reader.problems.count == before { checkCircles(nodes, index, reader) }
    }

    private static func require(
        _ name: String,
        at position: Position,
        _ index: [String: Int],
        _ reader: DocumentReader
    ) -> Int? {
        if let place = index[name] { return place }
        reader.addUnknown(node: name, among: index.keys.sorted(), at: position)
        return nil
    }

    /// Reports cycles that contain a delay: each round is a commit of its own, so nothing would
    /// ever stop them.
    private func checkCircles(_ nodes: [NodeDefinition], _ index: [String: Int], _ reader: DocumentReader) {
        var circles = Circles(count: nodes.count)
        for (place, node) in nodes.enumerated() {
            for input in node.inputs + node.followable {
                guard let source = index[input] else { continue }
                circles.connect(source, place, waits: node.waits)
            }
        }
        for sync in syncs {
            guard let a = index[sync.a], let b = index[sync.b] else { continue }
            circles.connect(a, b, waits: false)
            circles.connect(b, a, waits: false)
        }
        for link in links {
            guard let from = index[link.from], let to = index[link.to] else { continue }
            circles.connect(from, to, waits: link.stateClass == .timed)
        }
        let endless = circles.groupsThatWait()
        var reported: Set<Int> = []
        for link in links {
            guard let from = index[link.from], let to = index[link.to] else { continue }
            guard let group = endless[from], group == endless[to], reported.insert(group).inserted else {
                continue
            }
            let names = Set(nodes.indices.filter { endless[$0] == group }.map { nodes[$0].name })
            reader.add(
                "this link closes a cycle with a timed stage: it would never settle",
                at: link.position,
                hint: "remove \(timedStages(between: names, nodes).enumeration) from the cycle"
            )
        }
    }

    /// The words of the timed stages on the way from any of the named nodes to another.
    private func timedStages(between names: Set<String>, _ nodes: [NodeDefinition]) -> [String] {
        let linked = links.filter { names.contains($0.from) && names.contains($0.to) }
        let stages = nodes.flatMap { node -> [Stage] in
            guard names.contains(node.name), case .derived(let derived) = node.kind else { return [] }
            return derived.pipe
        }
        let timed = (stages + linked.flatMap(\.pipe)).filter { $0.stateClass == .timed }
        return Set(timed.map(\.name)).sorted()
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
