// What each operator does with an emission: the table of G-69, G-77 … G-82, G-145.
extension ReferenceWorld {
    /// The node that a single-input operator makes; pinned once for the caller.
    func derive(_ operation: Operation, _ source: ReferenceNode) -> ReferenceNode {
        let target = graph.makeNode(nil)
        target.pins += 1
        let edge = ReferenceEdge(.transform)
        edge.propagatesEmpty = graph.propagatesEmpty
        edge.receive = behaviour(operation, edge)
        graph.attach(edge, from: source)
        graph.attach(edge, to: target)
        if case .prefix(0) = operation {
            graph.disconnect(edge)
        } else {
            graph.replay(edge)
        }
        return target
    }

    private func behaviour(_ operation: Operation, _ edge: ReferenceEdge) -> (Journey) -> Void {
        switch operation {
        case .fork: onValue(edge) { $0 }
        case .map(let site): calling(edge) { [unowned self] in player?.function(site, $0) }
        case .replace(let constant): onValue(edge) { _ in constant }
        case .filter(let site):
            calling(edge) { [unowned self] value in player?.predicate(site, value) == true ? value : nil }
        case .ignore(let ignored): onValue(edge) { $0 == ignored ? nil : $0 }
        case .select(let selected): onValue(edge) { $0 == selected ? $0 : nil }
        case .distinct: onValue(edge) { [unowned edge] in $0 == edge.to?.stored ? nil : $0 }
        case .skip(let count): counting(edge) { seen in seen < count ? .swallow : .pass }
        case .take(let count): counting(edge) { seen in seen < count ? .pass : .ignore }
        case .prefix(let count): prefix(edge, count)
        case .scan(let site): scan(edge, site)
        case .flatten(let site): flatten(edge, site)
        case .transform(let site): transform(edge, site)
        case .deliver: deliver(edge)
        case .delay(let duration): delay(edge, duration)
        case .debounce(let duration, let burst): debounce(edge, duration, burst)
        case .sample(let duration, let burst): sample(edge, duration, burst)
        case .schedule(let period): schedule(edge, period)
        case .between(let period): between(edge, period)
        }
    }

    func onValue(_ edge: ReferenceEdge, _ function: @escaping (Int) -> Int?) -> (Journey) -> Void {
        { [unowned self, unowned edge] journey in
            guard let value = journey.emission else { return onEmpty(edge, journey) }
            if let result = function(value) { graph.send(result, edge, journey) }
        }
    }

    /// As `onValue`, with a function of the user's.
    private func calling(_ edge: ReferenceEdge, _ function: @escaping (Int) -> Int?) -> (Journey) -> Void {
        edge.hasFunction = true
        graph.liveFunctions += 1
        return onValue(edge, function)
    }

    func onEmpty(_ edge: ReferenceEdge, _ journey: Journey) {
        if edge.propagatesEmpty { graph.send(nil, edge, journey) }
    }

    private enum Count { case pass, swallow, ignore }

    private func counting(_ edge: ReferenceEdge, _ decide: @escaping (Int) -> Count) -> (Journey) -> Void {
        var seen = 0
        edge.reset = { seen = 0 }
        return onValue(edge) { value in
            switch decide(seen) {
            case .swallow:
                seen += 1
                return nil
            case .ignore:
                return nil
            case .pass:
                seen += 1
                return value
            }
        }
    }

    private func prefix(_ edge: ReferenceEdge, _ count: Int) -> (Journey) -> Void {
        var seen = 0
        edge.reset = { seen = 0 }
        return { [unowned self, unowned edge] journey in
            guard let value = journey.emission else { return onEmpty(edge, journey) }
            guard seen < count else { return }
            seen += 1
            guard seen == count, let target = edge.to else { return graph.send(value, edge, journey) }
            graph.disconnect(edge)
            graph.sweep()
            var onward = journey
            onward.emission = value
            onward.origin = nil
            graph.deliver(onward, to: target)
        }
    }

    private func scan(_ edge: ReferenceEdge, _ site: Int) -> (Journey) -> Void {
        var running = 3
        var index = 0
        edge.reset = {
            running = 3
            index = 0
        }
        return calling(edge) { [unowned self] value in
            running = player?.reduce(site, running, value, index) ?? 0
            index += 1
            return running
        }
    }

    private func transform(_ edge: ReferenceEdge, _ site: Int) -> (Journey) -> Void {
        edge.receivesEmpty = true
        edge.hasFunction = true
        graph.liveFunctions += 1
        return { [unowned self, unowned edge] journey in
            let answer = player?.transform(site, journey.emission, context: journey.context)
            if case .emit(let emission) = answer { graph.send(emission, edge, journey) }
        }
    }

    // MARK: - Flatten (G-77)

    private func flatten(_ edge: ReferenceEdge, _ site: Int) -> (Journey) -> Void {
        edge.hasFunction = true
        graph.liveFunctions += 1
        return { [unowned self, unowned edge] journey in
            guard let value = journey.emission else {
                if edge.propagatesEmpty {
                    graph.dropFollower(edge)
                    graph.sweep()
                    graph.send(nil, edge, journey)
                }
                return
            }
            let inner: ReferenceNode
            if let place = player?.choose(site, value), let node = nodes[place] {
                inner = node
            } else {
                inner = graph.makeNode(value % 2 == 0 ? nil : value)
                inner.isMade = true
            }
            follow(edge, inner, journey)
        }
    }

    func follow(_ edge: ReferenceEdge, _ inner: ReferenceNode, _ journey: Journey, replaysEmpty: Bool = true)
    {
        // The function may have cut the edge.
        guard let target = edge.to, edge.from != nil else { return graph.sweep() }
        graph.dropFollower(edge)
        // Following the node itself is no following (G-27).
        guard inner !== target else { return graph.sweep() }
        let follower = ReferenceEdge(.follower)
        follower.propagatesEmpty = edge.propagatesEmpty
        follower.receive = { [unowned self, unowned follower] journey in
            if journey.emission == nil { return onEmpty(follower, journey) }
            graph.send(journey.emission, follower, journey)
        }
        edge.follower = follower
        graph.attach(follower, from: inner)
        graph.attach(follower, to: target)
        // From here on it is the edge alone that holds the inner node (G-79).
        graph.sweep()
        guard replaysEmpty || !inner.isDue && inner.stored != nil else { return }
        var onward = journey
        onward.path.append(inner.number)
        onward.certain?.insert(inner.number)
        onward.emission = inner.stored
        onward.origin = nil
        onward.pair = nil
        onward.step = nil
        graph.deliver(onward, to: target)
    }

    // MARK: - Several inputs

    func join(_ several: Several, _ sources: [ReferenceNode]) -> ReferenceNode {
        let target = graph.makeNode(nil)
        target.pins += 1
        switch several {
        case .merge:
            for source in sources { tie(target, source, replay: true) }
        case .combine(let site), .combineArray(let site):
            let join = makeJoin(site, target, sources.count)
            join.propagatesEmpty = graph.propagatesEmpty
            join.emit = { [unowned self, unowned join] journey in emit(join, journey) }
            tie(join, sources)
        case .passive(let site):
            let join = makeJoin(site, target, sources.count)
            join.propagatesEmpty = graph.propagatesEmpty
            join.emit = { [unowned self, unowned join] journey in emit(join, journey) }
            tie(join, sources, passive: sources.count > 1 ? sources.count - 1 : nil)
        case .zip(let site, let room):
            zip(makeJoin(site, target, sources.count), sources, room)
        case .join(let site):
            let join = makeJoin(site, target, sources.count)
            join.isEmissionLevel = true
            join.propagatesEmpty = true
            join.emit = { [unowned self, unowned join] journey in
                let answer = player?.join(site, join.latest, context: journey.context)
                if case .emit(let emission) = answer { store(emission, join, journey) }
            }
            tie(join, sources)
        }
        return target
    }

    /// One queue per input; when all have a head, the heads are emitted together (G-86).
    private func zip(_ join: ReferenceJoin, _ sources: [ReferenceNode], _ room: Room) {
        var queues: [[Int]] = sources.map { $0.stored.map { [$0] } ?? [] }
        join.emit = { [unowned self, unowned join] journey in
            guard queues.allSatisfy({ !$0.isEmpty }) else { return }
            let heads = queues.indices.map { queues[$0].removeFirst() }
            store(player?.combine(join.site, heads) ?? 0, join, journey)
        }
        for (index, source) in sources.enumerated() {
            let edge = ReferenceEdge(.input)
            edge.join = join
            edge.propagatesEmpty = graph.propagatesEmpty
            edge.receive = { [unowned self, unowned edge] journey in
                guard !join.isOver else { return }
                guard let value = journey.emission else { return onEmpty(edge, journey) }
                guard makeRoom(in: &queues[index], room, join.node) else { return }
                queues[index].append(value)
                var onward = journey
                onward.origin = nil
                join.emit(onward)
            }
            graph.attach(edge, from: source)
            graph.attach(edge, to: join.node)
        }
        graph.turn { join.emit(Journey()) }
    }

    private func makeRoom(in queue: inout [Int], _ room: Room, _ node: ReferenceNode) -> Bool {
        switch room {
        case .dropOldest(let limit) where queue.count == limit:
            queue.removeFirst()
        case .dropNewest(let limit) where queue.count == limit:
            return false
        case .fail(let limit) where queue.count == limit:
            player?.failed(node.number)
            return false
        default: break
        }
        return true
    }

    private func makeJoin(_ site: Int, _ target: ReferenceNode, _ count: Int) -> ReferenceJoin {
        let join = ReferenceJoin(site: site, node: target, inputs: count)
        target.join = join
        target.hasJoinFunction = true
        graph.liveFunctions += 1
        return join
    }

    private func emit(_ join: ReferenceJoin, _ journey: Journey) {
        if join.isComplete {
            let value = player?.combine(join.site, join.latest.compactMap(\.self)) ?? 0
            store(value, join, journey)
        } else if join.wasEmptied {
            join.wasEmptied = false
            store(nil, join, journey)
        }
    }

    private func store(_ emission: Int?, _ join: ReferenceJoin, _ journey: Journey) {
        // The function may have removed an input (G-82).
        guard !join.node.isDead, !join.isOver else { return }
        var onward = journey
        onward.emission = emission
        graph.deliver(onward, to: join.node)
    }

    /// All inputs are tied, then what they hold is emitted once, with all sources in the path.
    private func tie(_ join: ReferenceJoin, _ sources: [ReferenceNode], passive: Int? = nil) {
        for (index, source) in sources.enumerated() {
            let edge = ReferenceEdge(.input)
            edge.join = join
            edge.propagatesEmpty = join.propagatesEmpty
            edge.receivesEmpty = join.isEmissionLevel
            edge.receive = { [unowned self, unowned edge] journey in
                guard journey.emission != nil || edge.propagatesEmpty else { return }
                join.latest[index] = journey.emission
                if journey.emission == nil { join.wasEmptied = true }
                // A passive input is a cause only where it completes the value.
                if index == passive, join.node.stored != nil || !join.isComplete { return }
                graph.delivered(join, journey)
            }
            join.latest[index] = source.stored
            graph.attach(edge, from: source)
            graph.attach(edge, to: join.node)
        }
        graph.turn { join.emit(Journey()) }
    }

    // MARK: - Links and edge objects

    @discardableResult
    private func tie(_ target: ReferenceNode, _ source: ReferenceNode, replay: Bool) -> ReferenceTicket? {
        guard target !== source else { return nil }
        let edge = ReferenceEdge(.transform)
        edge.propagatesEmpty = graph.propagatesEmpty
        edge.receive = onValue(edge) { $0 }
        graph.attach(edge, from: source)
        graph.attach(edge, to: target)
        let ticket = ReferenceTicket(edge)
        if replay { graph.replay(edge) }
        return ticket
    }

    func link(_ target: ReferenceNode, _ source: ReferenceNode, _ replay: Bool, _ ticket: Int) -> Int {
        tickets[ticket] = tie(target, source, replay: replay)
        return tickets[ticket] == nil ? 1 : 0
    }

    func makeEdge(_ site: Int) -> ReferenceEdge {
        let edge = ReferenceEdge(.transform)
        edge.receive = calling(edge) { [unowned self] in player?.function(site, $0) }
        return edge
    }

    /// Links by the edge object in a place, a new one if it is vacant.
    func linkEdge(
        _ target: ReferenceNode,
        _ source: ReferenceNode,
        _ place: Int,
        _ site: Int,
        _ ticket: Int
    ) -> Int {
        let edge = edges[place] ?? makeEdge(site)
        edges[place] = edge
        guard target !== source else {
            tickets[ticket] = nil
            return 1
        }
        guard edge.from == nil, edge.to == nil else {
            tickets[ticket] = nil
            return 2
        }
        if graph.propagatesEmpty { edge.propagatesEmpty = true }
        let made = ReferenceTicket(edge)
        pinning(edge) {
            graph.aim(edge, from: source)
            graph.aim(edge, to: target)
        }
        tickets[ticket] = made
        return 0
    }

    // MARK: - Syncing (G-88, G-137, G-151)

    func sync(
        _ node: ReferenceNode,
        _ partner: ReferenceNode,
        _ holder: Holder?,
        _ site: Int?,
        _ ticket: Int
    ) {
        let owner = holder.map { needOwner($0) }
        owner?.pins += 1
        var parts: [ReferenceTicket] = []
        if node !== partner {
            let shared = site.map { _ in ReferenceEdge.Shared(2) }
            if shared != nil { graph.liveFunctions += 1 }
            let edges = [syncEdge(owner, site, shared), syncEdge(owner, site, shared)]
            for (edge, (target, source)) in Swift.zip(edges, [(node, partner), (partner, node)]) {
                graph.attach(edge, from: source)
                graph.attach(edge, to: target)
                parts.append(ReferenceTicket(edge))
                graph.replay(edge)
            }
        }
        let made = ReferenceTicket(parts: parts)
        tickets[ticket] = made
        guard let owner else { return }
        owner.ties.append(made)
        if owner.isForeign { graph.tied.append(owner) }
        owner.pins -= 1
        graph.ownerDied(owner)
    }

    private func syncEdge(
        _ owner: ReferenceOwner?,
        _ site: Int?,
        _ shared: ReferenceEdge.Shared?
    ) -> ReferenceEdge {
        let edge = ReferenceEdge(.transform)
        edge.propagatesEmpty = graph.propagatesEmpty
        edge.life = owner
        edge.shared = shared
        edge.isSync = site == nil
        edge.receive = onValue(edge) { [unowned self] value in
            guard let site else { return value }
            return player?.function(site, value)
        }
        return edge
    }

    // MARK: - Listening

    func listen(
        _ node: ReferenceNode,
        _ holder: Holder,
        _ form: Hearing,
        _ replay: Bool,
        _ later: Bool,
        _ site: Int,
        _ ticket: Int
    ) {
        let owner = needOwner(holder)
        owner.pins += 1
        let edge = ReferenceEdge(.listen)
        edge.hasFunction = true
        graph.liveFunctions += 1
        if case .emission = form { edge.receivesEmpty = true }
        edge.receive = { [unowned self, unowned owner] journey in
            owner.pins += 1
            hear(form, site, journey)
            owner.pins -= 1
            graph.ownerDied(owner)
        }
        if case .bag = holder {
            edge.receive = { [unowned self] journey in hear(form, site, journey) }
        }
        if later { postCalls(of: edge) }
        graph.attach(edge, from: node)
        graph.attach(edge, to: owner)
        let made = ReferenceTicket(edge)
        if replay { graph.replay(edge) }
        tickets[ticket] = made
        owner.pins -= 1
        graph.ownerDied(owner)
    }

    private func hear(_ hearing: Hearing, _ site: Int, _ journey: Journey) {
        switch hearing {
        case .emission: player?.listener(site, journey.emission, context: journey.context)
        case .value:
            if let value = journey.emission { player?.listener(site, value) }
        case .context:
            if let value = journey.emission { player?.listener(site, value, context: journey.context) }
        case .path:
            if let value = journey.emission {
                player?.listener(
                    site,
                    value,
                    context: journey.context,
                    path: journey.path,
                    token: journey.path
                )
            }
        }
    }
}

/// The form of listening for a holder: owners are offered values and contexts only, and emptiness
/// is never delivered later.
func form(_ hearing: Hearing, _ holder: Holder, later: Bool) -> Hearing {
    if case .emission = hearing, later { return .value }
    if case .bag = holder { return hearing }
    switch hearing {
    case .value, .emission: return .value
    case .context, .path: return .context
    }
}
