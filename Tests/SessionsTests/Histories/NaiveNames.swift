// Names, ties, clients' pipelines and changes of the definition (docs/definitions.md).
extension Naive.Graph {
    private typealias Wire = Naive.Wire

    /// The living node of a name, built with all that it is made from if there is none.
    func materialise(_ name: String) -> Node {
        guard let shape = shape[name] else { preconditionFailure("no node \(name)") }
        if self.shape.retain(shape) == .untilPressure { kept.insert(name) }
        if let living = named[name] { return living }
        guard case .made(let source, _) = shape.kind else { preconditionFailure("\(name) is always alive") }
        return building {
            for input in source.eager { _ = materialise(input) }
            let node = node(name)
            construct(shape, as: node)
            named[name] = node
            return node
        }
    }

    /// Source and stages of a named node: the last of them is the node itself.
    private func construct(_ shape: Naive.NodeShape, as node: Node) {
        guard case .made(let source, let stages) = shape.kind else {
            preconditionFailure("\(shape.name) is set")
        }
        var end = self.source(source, at: shape.name, as: stages.isEmpty ? node : nil)
        for (place, stage) in stages.enumerated() {
            let target = place == stages.count - 1 ? node : nil
            end = self.stage(stage, behind: end, at: "\(shape.name)/\(place)", as: target, isPrivate: false) {
            }
        }
    }

    // MARK: - The beginning

    /// All nodes that are set, then the syncs, then the nodes that are always held, then the links.
    func define(_ shape: Naive.Shape) {
        self.shape = shape
        building {
            for node in shape.nodes { bear(node) }
            for sync in shape.syncs { connect(sync) }
            for node in shape.order where !node.isSet && shape.retain(node) == .always {
                _ = materialise(node.name)
            }
            for link in shape.links { connect(link) }
        }
        collect()
    }

    private func bear(_ shape: Naive.NodeShape) {
        guard case .set(let initial, _, let ttl) = shape.kind else { return }
        let node = node(shape.name)
        named[shape.name] = node
        if let ttl {
            let timer = Naive.Timer(isPrivate: false) { Naive.Kept(held: .empty) }
            node.timer = timer
            if initial != nil { timer.due = deadline(after: ttl, isPrivate: false) }
        }
        if let initial { node.held = .value(initial) }
    }

    // MARK: - Commits

    func commit(_ sets: [(name: String, value: Naive.Value)], _ clears: [String]) {
        committed = now
        for (name, _) in sets { restart(name, isEmpty: false) }
        for name in clears { restart(name, isEmpty: true) }
        batch(
            sets.compactMap { set in named[set.name].map { ($0, .value(set.value)) } },
            clears.compactMap { named[$0] }
        )
        collect()
    }

    /// A value lasts so long from when it was set.
    private func restart(_ name: String, isEmpty: Bool) {
        guard case .set(_, _, let ttl?)? = shape[name]?.kind, let timer = named[name]?.timer else { return }
        timer.due = isEmpty ? nil : deadline(after: ttl, isPrivate: false)
    }

    /// Whether the node's checks let a value in.
    func admits(_ name: String, _ value: Naive.Value) -> Bool {
        guard case .set(_, let max?, _)? = shape[name]?.kind else { return true }
        return value.number.map { $0 <= Double(max) } ?? false
    }

    // MARK: - Ties

    /// `a` takes from `b`, then `b` from `a` (G-88).
    private func connect(_ sync: Naive.SyncShape) {
        guard let a = named[sync.a], let b = named[sync.b] else { return }
        tie(b, to: a, through: sync.ways?.toA, isIdentity: sync.ways == nil, key: sync.json)
        tie(a, to: b, through: sync.ways?.toB, isIdentity: sync.ways == nil, key: sync.json)
    }

    private func connect(_ link: Naive.LinkShape) {
        var end = materialise(link.from)
        for (place, stage) in link.stages.enumerated() {
            end = self.stage(stage, behind: end, at: "\(link.json)/\(place)", isPrivate: false) {}
        }
        tie(end, to: materialise(link.to), through: nil, isIdentity: false, key: link.json)
    }

    /// What fails, or may not be set, is not delivered into a node that is set.
    private func tie(_ end: Node, to target: Node, through: Naive.Expression?, isIdentity: Bool, key: String)
    {
        guard let name = target.name else { return }
        let wire = Wire(end, target, isIdentity: isIdentity) {
            [unowned self, unowned target] held, path, origin in
            var held = held
            if let through, case .value(let value) = held { held = through.result([value], at: key) }
            if shape[name]?.isSet == true {
                if held.isFail { return }
                if case .value(let value) = held, !admits(name, value) { return }
                restart(name, isEmpty: held == .empty)
            }
            pass(target, held, path, origin: isIdentity && origin > 0 ? origin : nil)
        }
        ties.append((key, wire))
        connectTie(wire)
    }

    // MARK: - Clients

    /// Subscribes; equal pipelines are one chain up to the first stage that every client has for
    /// itself.
    func subscribe(_ subscriber: Naive.Subscriber, to source: Naive.Source, _ stages: [Naive.Stage]) {
        let node = building {
            var key = source.json
            var isShared = true
            if case .zip = source { isShared = false }
            var node: Node
            if case .from(let name) = source {
                node = materialise(name)
            } else if isShared, let known = chains[key] {
                node = known
            } else {
                node = self.source(source, at: "pipe")
                if isShared { chains[key] = node }
            }
            for (place, stage) in stages.enumerated() {
                key += "|" + stage.json
                if stage.isPrivate { isShared = false }
                if isShared, let known = chains[key] {
                    node = known
                    continue
                }
                node = self.stage(stage, behind: node, at: "pipe/\(place)", isPrivate: true) {
                    [unowned subscriber] in subscriber.isComplete = true
                }
                if isShared { chains[key] = node }
            }
            return node
        }
        begin(subscriber, node)
        collect()
    }

    /// The result of reading a name; an unneeded node is built for it and released again.
    func read(_ name: String) -> Held {
        let held = materialise(name).held
        collect()
        return held
    }

    /// Memory is short: what is kept only for later goes.
    func flushUnused() {
        kept = []
        collect()
    }

    // MARK: - Another definition

    /// Changes the definition: what stays the same keeps all, `altered` is built anew behind its
    /// name.
    ///
    /// - Returns: the subscriptions that end, because a node is gone.
    func redefine(_ new: Naive.Shape, altered: String?) -> [Naive.Subscriber] {
        committed = now
        let old = shape
        let gone = Set(old.nodes.map(\.name).filter { new[$0] == nil })
        let ended = subscribers.filter { !gone.isDisjoint(with: $0.sources) }
        building {
            for subscriber in ended { end(subscriber) }
            shape = new
            for name in gone { named[name] = nil }
            for node in new.nodes where old[node.name] == nil { bear(node) }
            // What is alive is held from now on as the new definition says.
            for node in new.nodes where new.retain(node) != .untilPressure { kept.remove(node.name) }
            for node in old.nodes where old.retain(node) != .untilPressure && named[node.name] != nil {
                if let other = new[node.name], new.retain(other) == .untilPressure { kept.insert(node.name) }
            }
            let wanted = Set(new.syncs.map(\.json) + new.links.map(\.json))
            for (_, wire) in ties.filter({ !wanted.contains($0.key) }) { disconnect(wire) }
            ties.removeAll { !wanted.contains($0.key) }
            // A node of class none to which no link leads any more: whether it keeps what came over
            // it is left open.
            let freed = old.nodes.filter { node in
                node.isForgetful && choice == .one && old.links.contains { $0.to == node.name }
                    && !new.links.contains { $0.to == node.name }
            }.map(\.name)
            // While something is built, links are taken out: what came meanwhile is delivered
            // afterwards.
            let isBuilding = new.nodes.contains { node in
                let isLiving = named[node.name] != nil
                return !node.isSet
                    && (isLiving
                        ? node.name == altered || freed.contains(node.name) : new.retain(node) == .always)
            }
            var links: [String: (wire: Naive.Wire, emissions: Int)] = [:]
            if isBuilding {
                for link in new.links {
                    guard let wire = ties.first(where: { $0.key == link.json })?.wire else { continue }
                    disconnect(wire)
                    ties.removeAll { $0.wire === wire }
                    if link.to != altered { links[link.json] = (wire, wire.from.emissions) }
                }
            }
            for node in new.order where !node.isSet {
                if node.name == altered || freed.contains(node.name), let living = named[node.name] {
                    rebuild(living, node)
                } else if new.retain(node) == .always {
                    _ = materialise(node.name)
                }
            }
            let known = Set(ties.map(\.key))
            for sync in new.syncs where !known.contains(sync.json) { connect(sync) }
            for link in new.links where !known.contains(link.json) {
                guard let (wire, emissions) = links[link.json] else {
                    connect(link)
                    continue
                }
                ties.append((link.json, wire))
                connectTie(wire, replay: wire.from.emissions != emissions, receivesEmpty: true)
            }
        }
        collect()
        return ended
    }

    /// A node whose text is another one begins anew; it emits once where its value is another one.
    private func rebuild(_ node: Node, _ shape: Naive.NodeShape) {
        for wire in node.ins { disconnect(wire) }
        node.join = nil
        node.timer = nil
        fresh = (node, .empty)
        if shape.stages.isEmpty, case .made(let source, _) = shape.kind {
            let inner = self.source(source, at: shape.name)
            _ = derive(inner, as: node) { $0 }
        } else {
            construct(shape, as: node)
        }
        let made = fresh?.held ?? .empty
        fresh = nil
        // Whether another expression fails in the same words is left open.
        let failsAgain = made.isFail && node.held.isFail && choice == .other
        if failsAgain || !areAlike(made, node.held) { turn { pass(node, made) } }
    }
}
