public import Graphs
internal import Commits
internal import Definitions
internal import DequeModule
internal import ReactiveGraph
internal import Support
internal import Values

/// What made a node's present value: the nodes it was made from, who wrote them and when, and the
/// value after each stage on the way (`explain`; docs/protocol-http.md).
struct Explanation {
    /// One named node on the way.
    private struct Step {
        let named: NamedNode
        let node: Node<Datum>
        /// The nodes it is made from at the moment; nil for a node that the caller may not read.
        let inputs: [NamedNode?]
        let stages: [InnerStage]
        let ties: [ShownTie]
    }

    private static let mostSteps = 1_000

    private let graph: LiveGraph
    private static let mostMembers = 100

    private var steps: [Step] = []
    private var isCut = false
    /// Whether the caller may not read all that the value is made from.
    private var hidesInputs = false

    /// Explains `target`, without going beyond nodes for which `mayRead` returns false; these are
    /// shown as null.
    init(of target: NamedNode, mayRead: (NamedNode) -> Bool = { _ in true }) {
        graph = target.graph
        // Holds the target's chain, and so everything upstream, in the meantime.
        let living = graph.builder.materialise(target)
        var open = [(target, living)]
        var seen: Set<String> = [target.name]
        var next = 0
        while next < open.count {
            let (named, node) = open[next]
            next += 1
            guard steps.count < Self.mostSteps else {
                isCut = true
                break
            }
            var inputs: [NamedNode?] = []
            for (input, inputNode) in Self.namedInputs(of: node, in: graph).prefix(
                named.members == nil ? .max : Self.mostMembers
            ) {
                let isOpen = mayRead(input)
                inputs.append(isOpen ? input : nil)
                if !isOpen { hidesInputs = true }
                if isOpen, seen.insert(input.name).inserted { open.append((input, inputNode)) }
            }
            steps.append(
                // The values of stages between an unreadable and a readable node are hidden too.
                Step(
                    named: named,
                    node: node,
                    inputs: inputs,
                    stages: inputs.contains { $0 == nil } ? [] : Self.stages(of: named, node),
                    ties: graph.ties.leading(to: named.name).map {
                        ShownTie($0.kind.rawValue, from: $0.from, $0.label, $0.refusal, mayRead)
                    }
                        + graph.clients.links.leading(to: named.name).map {
                            ShownTie($0.kind.rawValue, from: $0.from, $0.label, $0.refusal, mayRead)
                        }
                )
            )
        }
    }

    /// The revs of the commits that made the values and facets of these nodes.
    var revs: Set<UInt64> {
        Set(
            steps.map(\.named.lastChange.rev)
                + steps.compactMap { graph.facets.entry(of: $0.named)?.reported }
        )
    }

    /// The named nodes that a living node gets its value from, each once, with their living nodes.
    private static func namedInputs(of node: AnyNode, in graph: LiveGraph) -> [(NamedNode, Node<Datum>)] {
        var found: [(NamedNode, Node<Datum>)] = []
        var seen: Set<UInt64> = [node.id]
        var open: Deque = [node]
        while let next = open.popFirst() {
            for upstream in next.neededNodes where seen.insert(upstream.id).inserted {
                if let named = graph.name(of: upstream), let living = named.living {
                    found.append((named, living))
                } else if !graph.chains.isHidden(upstream.id) {
                    open.append(upstream)
                }
            }
        }
        return found
    }

    /// The stages of a node's definition, in order, with their values.
    private static func stages(of named: NamedNode, _ node: AnyNode) -> [InnerStage] {
        var stages: [InnerStage] = []
        var present: AnyNode? = node
        while let next = present {
            let stage = named.graph.chains.inner(next.id)
            if let stage, stage.part.of === named { stages.append(stage) }
            present = next.upstreamNodes.first { upstream in
                let chains = named.graph.chains
                guard !chains.isHidden(upstream.id), let inner = chains.inner(upstream.id) else {
                    return false
                }
                return inner.part.of === named && !inner.part.isOfLink
            }
        }
        return stages.reversed()
    }

    /// As JSON: `{"node","epoch","rev","t","nodes":[…]}`, the node itself first, each node once:
    /// `{"node","kind","c","t","by","origin","ctx","v",…,"inputs","stages"}`.
    func json() -> [UInt8] {
        var buffer = ByteBuffer()
        append(to: &buffer)
        return Array(buffer.bytes)
    }

    /// Appends `{"node","epoch","rev","t","nodes":[…]}`, and further members, each after a comma.
    func append(to buffer: inout ByteBuffer, _ more: (inout ByteBuffer) -> Void = { _ in }) {
        buffer.append("{")
        buffer.member("node", steps[0].named.name)
        Answer.appendMoment(of: graph, to: &buffer)
        if isCut { buffer.member("more", true) }
        buffer.member("nodes", list: steps) { append($0, to: &$1) }
        more(&buffer)
        buffer.append("}\n")
    }

    private func append(_ step: Step, to buffer: inout ByteBuffer) {
        let definition = step.named.definition
        buffer.append("{")
        buffer.member("node", step.named.name)
        buffer.member("kind", definition.kindName.rawValue)
        let change = step.named.lastChange
        buffer.member("c", change.rev)
        buffer.member("t", change.time)
        let cause = step.named.cause
        // The author of a value that the caller may not read is left out of what follows from it.
        if step.named.isMutable || !hidesInputs { buffer.member("by", cause.by) }
        buffer.member("origin", "\(cause.origin)")
        buffer.member("ctx", step.named.writer?.context)
        buffer.append(",")
        Subscription.append(step.node.value, to: &buffer)
        let facets = graph.facets.facets(of: step.named)
        if !facets.isClear {
            buffer.append(",")
            facets.append(stateOf: step.node, in: graph, to: &buffer)
        }
        if case .derived(let derived) = definition.kind {
            buffer.member("op", derived.source.name)
            buffer.member("class", "\(definition.stateClass)")
            buffer.member("inputs", list: step.inputs) { input, buffer in
                if let input { buffer.append(json: input.name) } else { buffer.append("null") }
            }
            buffer.member("all", step.named.members)
            buffer.member("stages", objects: step.stages) { stage, buffer in
                buffer.member("op", stage.part.stage)
                buffer.member("label", stage.part.label)
                buffer.append(",")
                Subscription.append(stage.node.value, to: &buffer)
            }
        }
        if !step.ties.isEmpty {
            buffer.member("links", list: step.ties) { $0.append(to: &$1) }
        }
        buffer.append("}")
    }
}

/// A tie into a node, or a client's link, as far as the caller may see it.
private struct ShownTie {
    private let kind: String
    private let from: NamedNode
    private let label: String
    /// Why the last value was not delivered.
    private let refusal: Datum?
    /// Whether the caller may read its source.
    private let isOpen: Bool

    init(_ kind: String, from: NamedNode, _ label: String, _ refusal: Datum?, _ mayRead: (NamedNode) -> Bool)
    {
        (self.kind, self.from, self.label, self.refusal) = (kind, from, label, refusal)
        isOpen = mayRead(from)
    }

    /// Appends `{"op":"sync","from":"setpoint_f","label":"…","fail":{…}}`; `fail` says why the last
    /// value was not delivered.
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.member("op", kind)
        if isOpen {
            buffer.member("from", from.name)
            buffer.member("label", label)
            if let refusal {
                buffer.append(",")
                refusal.withFragment { buffer.append($0) }
            }
        } else {
            buffer.append(",\"from\":null")
        }
        buffer.append("}")
    }
}

extension GraphView {
    /// What made a node's present value, as far as the caller may read.
    public static func explain(_ node: NamedNode, to access: Access) -> [UInt8] {
        Explanation(of: node) { access.rights(on: $0).contains(.read) }.json()
    }
}
