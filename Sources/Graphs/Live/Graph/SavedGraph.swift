internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Values

/// Saves a graph as bytes and restores it (G-164).
///
/// After restoring, the following commits give the same revs, values and emissions as they did in
/// the saved graph.
///
/// Saved are the definition, rev and time; the value and the last change of each named node and of
/// each family member that the graph itself needs; the state of all stages, links and syncs;
/// histories; and which nodes are held until memory is short. Subscriptions, sessions, clients'
/// pipelines, and nodes that only those need are not saved, because they belong to connections.
struct SavedGraph {
    let graph: LiveGraph
    /// The format to write or to read.
    var format = Self.version

    private var hasCauses: Bool { format > Self.versionWithoutCauses }

    /// The first byte of a saved graph; it changes with the format.
    ///
    /// Histories by time are at the end: format 6 has none.
    static let version: UInt8 = 7
    /// The last format that says nothing of causes.
    static let versionWithoutCauses: UInt8 = 6
    /// The format of 0.1.0: it says of every `all` with a `map` that its node follows another one.
    static let firstVersion: UInt8 = 5

    /// The state on which the future of the graph depends, without pending commits.
    ///
    /// - Throws: if an operator holds something that cannot be saved, which is a fault of the
    ///   server.
    func save() throws -> [UInt8] {
        var writer = StateWriter(encode: Datum.save)
        writer.write(text: graph.name)
        writer.write(text: graph.definition.text)
        writer.write(Int(graph.origin.rawValue))
        writer.write(graph.stamp)
        // Private stages of clients may emit before the next commit, and their messages name the
        // last writer.
        Writer(by: graph.present.commit.by, context: graph.present.commit.context).write(to: &writer)
        let kept = heldNodes.walk(\.neededNodes)
        func isKept(_ node: NamedNode) -> Bool { node.living.map { kept.contains($0.id) } ?? false }
        for node in graph.nodes {
            SavedNode(node, isKept: isKept(node)).write(to: &writer, hasCauses: hasCauses)
        }
        for family in graph.members.families { writer.write(family.emptied) }
        let members = graph.members.living.filter(isKept)
        writer.write(members.count)
        for member in members {
            writer.write(text: member.name)
            SavedNode(member, isKept: true).write(to: &writer, hasCauses: hasCauses)
        }
        writer.write(graph.ties.all.count)
        for tie in graph.ties.all {
            writer.write(text: tie.key)
            writer.write(text: tie.place)
            writer.write(tie.refusal) { $0.write(value: $1) }
        }
        let keptNodes = graph.nodes.filter(isKept) + members
        graph.core.saveState(of: parts(of: keptNodes), to: &writer)
        let isStored = graph.host.keepsHistory
        let histories = keptNodes.compactMap { node in node.steps.map { (name: node.name, steps: $0) } }
        if !histories.isEmpty { writer.write(histories.count) }
        for (name, steps) in histories {
            writer.write(text: name)
            steps.write(to: &writer, isStored: isStored, at: graph.time)
        }
        if let error = writer.error { throw error }
        return [format] + writer.bytes
    }

    /// The nodes that are held without any client.
    private var heldNodes: [AnyNode] {
        (graph.nodes + graph.members.living).compactMap { $0.isHeld ? $0.living : nil }
    }

    /// The library's nodes for these names and for the pipes of links, upstream first.
    ///
    /// A graph that is rebuilt has the same nodes in the same order.
    private func parts(of named: [NamedNode]) -> [AnyNode] {
        var parts: [AnyNode] = []
        var seen: Set<UInt64> = []
        let ends = Set(graph.ties.all.compactMap(\.end?.id))
        func add(_ end: AnyNode?) {
            var chain: [AnyNode] = []
            var next = end
            while let node = next, seen.insert(node.id).inserted {
                chain.append(node)
                next = node.upstreamNodes.first { graph.name(of: $0) == nil && !ends.contains($0.id) }
            }
            parts += chain.reversed()
        }
        for node in graph.inOrder(named) {
            // A mutable node may have a living node that follows it.
            add(node.source)
            add(node.living)
        }
        for tie in graph.ties.all { add(tie.end) }
        return parts
    }

    /// Builds the nodes on empty sources, and restores their saved state.
    ///
    /// With `distrusting`, no node of an `all` with a `map` follows another one, whatever is saved.
    func restore(from reader: inout StateReader, distrusting: Bool) throws {
        let writer = try Writer(from: &reader)
        var saved: [SavedNode] = []
        for definition in graph.definition.nodes {
            saved.append(
                try SavedNode(
                    from: &reader,
                    definition,
                    at: graph.rev,
                    byteLimit: graph.host.limits.historyBytes,
                    hasCauses: hasCauses
                )
            )
        }
        graph.members.takeFamilies(graph.stamp)
        for family in graph.members.families { family.emptied = try reader.stamp(upTo: graph.rev) }
        var members: [NamedNode] = []
        var names = Set(graph.definition.nodes.map(\.name))
        for _ in 0..<(try reader.count()) {
            let name = try reader.text()
            guard names.insert(name).inserted, let member = graph.members.make(name) else {
                throw StateError.malformed
            }
            members.append(member)
            saved.append(
                try SavedNode(
                    from: &reader,
                    member.definition,
                    at: graph.rev,
                    byteLimit: graph.host.limits.historyBytes,
                    hasCauses: hasCauses
                )
            )
        }
        var refusals: [Datum?] = []
        for _ in 0..<(try reader.count()) {
            graph.ties.places[try reader.text()] = try reader.text()
            refusals.append(try reader.optional { try $0.value() })
        }
        // A member without a value lives only while something needs it, which is built later.
        let sources =
            zip(graph.definition.nodes, saved).map { declare($0, $1) }
            + zip(members, saved.dropFirst(graph.definition.nodes.count)).map { take($0, $1) }
        let named = graph.nodes + members
        let held = zip(named, saved).filter { $1.isHeld }.map(\.0)
        graph.members.show(holding: held)
        graph.ties.connectSyncs(of: graph)
        let forms = zip(named, saved).map { node, state in
            (node, distrusting && node.definition.mapsAll ? state.form.built : state.form)
        }
        let living = materialise(forms)
        graph.ties.connectLinks(of: graph)
        // Building looked up every entry. Nodes that the registry had released must be held only by
        // the nodes that need them.
        graph.registry.flushUnused()
        for node in held { node.hold() }
        graph.ties.places = [:]
        guard graph.ties.all.count == refusals.count else { throw StateError.malformed }
        for (tie, refusal) in zip(graph.ties.all, refusals) { tie.refusal = refusal }
        let kept = zip(named, saved).compactMap { $1.form == .none ? nil : $0 }
        try graph.core.restoreState(of: parts(of: kept), from: &reader)
        if !reader.isAtEnd { try restoreHistories(from: &reader) }
        for (node, state) in zip(named, saved) { node.restore(state) }
        graph.members.startLeases(of: members)
        let stamp = graph.stamp
        graph.present.begin(stamp, context: writer.context, by: writer.by, .restore)
        graph.course.narrowedAt = graph.rev
        withExtendedLifetime((sources, living)) {}
    }

    private func restoreHistories(from reader: inout StateReader) throws {
        let count = try reader.count()
        guard count > 0 else { throw StateError.malformed }
        for _ in 0..<count {
            let name = try reader.text()
            guard let node = graph.existing(name), let rule = node.definition.history.steps else {
                throw StateError.malformed
            }
            node.steps = try TimeHistory(from: &reader, of: name, rule, in: graph.host.memory.histories)
        }
        guard reader.isAtEnd else { throw StateError.malformed }
    }

    private func declare(_ definition: NodeDefinition, _ saved: SavedNode) -> Node<Datum>? {
        let stamp = LogStamp(rev: saved.definedAt, time: graph.time)
        let node = NamedNode(definition, graph: graph, at: stamp)
        graph.basis.nodes.append(node)
        graph.registry.declare(node)
        guard case .mutable = definition.kind else { return nil }
        node.beginExpiry()
        return takeSource(of: node, saved)
    }

    private func take(_ member: NamedNode, _ saved: SavedNode) -> Node<Datum>? {
        guard member.isMutable, let family = member.family else { return nil }
        graph.charging(saved.writer?.by) {
            graph.members.nodeMade(for: member, of: family)
        }
        if saved.isHeld { member.override = family.retention }
        member.beginExpiry()
        return takeSource(of: member, saved)
    }

    /// - Returns: the living node.
    private func takeSource(of node: NamedNode, _ saved: SavedNode) -> Node<Datum> {
        let source = graph.core.mutable(of: Datum.self)
        node.source = source
        node.born = graph.stampTime
        if case .mutable(let rules) = node.definition.kind {
            graph.facets.keepFresh(node, for: rules.fresh, isSet: false)
        }
        guard saved.form == .follower else {
            graph.registry.adopt(source, as: node)
            graph.builder.observe(node, on: source)
            return source
        }
        graph.chains.hide(source)
        let living = source.fork()
        graph.registry.adopt(living, as: node)
        graph.builder.observe(node, on: living)
        return living
    }

    /// Builds the derived nodes that were kept, and returns them with the mutable ones.
    private func materialise(_ saved: [(node: NamedNode, form: SavedNode.Form)]) -> [Node<Datum>] {
        let followers = Set(saved.compactMap { $0.form == .follower ? $0.node.name : nil })
        let nodes = graph.inOrder(saved.filter { $0.form != .none }.map(\.node))
        return graph.present.during({ $0.building = Building(followers: followers) }) {
            nodes.map(graph.builder.materialise)
        }
    }
}
