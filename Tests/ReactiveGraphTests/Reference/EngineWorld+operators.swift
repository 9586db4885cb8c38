import ReactiveGraph

/// Names of the edges that are inputs of joins: aiming them at another node is no operation.
let joinNames: Set<String> = ["Combine", "Join", "Zip"]

extension EngineWorld {
    func derive(_ operation: Operation, _ source: Node<Int>) -> Node<Int> {
        switch operation {
        case .fork: return source.fork()
        case .map(let site):
            let mark = Mark(functions)
            return source.map { [unowned self] value in
                withExtendedLifetime(mark) { player?.function(site, value) ?? 0 }
            }
        case .replace(let constant): return source.replace(constant)
        case .filter(let site):
            let mark = Mark(functions)
            return source.filter { [unowned self] value in
                withExtendedLifetime(mark) { player?.predicate(site, value) ?? false }
            }
        case .ignore(let ignored): return source.ignore(ignored)
        case .select(let selected): return source.select(selected)
        case .skip(let count): return source.skip(count)
        case .take(let count): return source.take(count)
        case .prefix(let count): return source.prefix(count)
        case .distinct: return source.distinct()
        case .scan(let site):
            let mark = Mark(functions)
            return source.scan(3) { [unowned self] running, value, index in
                withExtendedLifetime(mark) { player?.reduce(site, running, value, index) ?? 0 }
            }
        case .flatten(let site):
            let mark = Mark(functions)
            return source.flattenMap { [unowned self] value in
                withExtendedLifetime(mark) { inner(site, value) }
            }
        case .deliver: return source.deliver(on: executor)
        case .delay(let duration): return source.delay(for: .milliseconds(duration))
        case .debounce(let duration, let burst):
            return source.debounce(for: .milliseconds(duration), edge: edge(burst))
        case .sample(let duration, let burst):
            return source.sample(every: .milliseconds(duration), edge: edge(burst))
        case .schedule(let period): return source.apply(Whole(Timetable.schedule(every: period)))
        case .between(let period): return source.apply(Whole(Timetable.between(every: period)))
        case .transform(let site):
            let mark = Mark(functions)
            return source.transform(named: "Own") { [unowned self] emission, context in
                withExtendedLifetime(mark) {
                    said(
                        player?.transform(site, emission.value, context: context?.value(as: Int.self))
                    )
                }
            }
        }
    }

    private func edge(_ burst: Burst) -> DebounceEdge {
        switch burst {
        case .last: .trailing
        case .first: .leading
        case .both: .both
        }
    }

    private func inner(_ site: Int, _ value: Int) -> Node<Int> {
        if let place = player?.choose(site, value), let node = nodes[place] { return node }
        return register(value % 2 == 0 ? graph.mutable(of: Int.self) : graph.mutable(value))
    }

    private func said(_ answer: Answer?) -> Emission<Int>? {
        guard case .emit(let emission) = answer else { return nil }
        return Emission(emission)
    }

    func join(_ several: Several, _ sources: [Node<Int>]) -> Node<Int> {
        switch several {
        case .merge: return Node.merge(sources)
        case .combine(let site): return combine(site, sources)
        case .combineArray(let site):
            let mark = Mark(functions)
            return Node.combineEach(sources) { [unowned self] values in
                withExtendedLifetime(mark) { player?.combine(site, values) ?? 0 }
            }
        case .passive(let site):
            let mark = Mark(functions)
            if sources.count == 2 {
                return sources[0].withLatest(from: sources[1]) { [unowned self] one, two in
                    withExtendedLifetime(mark) { player?.combine(site, [one, two]) ?? 0 }
                }
            }
            let passive = sources.indices.dropFirst().suffix(1)
            return Node.combineEach(sources, passive: Set(passive)) { [unowned self] values in
                withExtendedLifetime(mark) { player?.combine(site, values) ?? 0 }
            }
        case .zip(let site, let room): return zip(site, sources, room)
        case .join(let site):
            let mark = Mark(functions)
            return Graph.join(sources) { [unowned self] emissions, context in
                withExtendedLifetime(mark) {
                    said(
                        player?.join(site, emissions.map(\.value), context: context?.value(as: Int.self))
                    )
                }
            }
        }
    }

    private func combine(_ site: Int, _ sources: [Node<Int>]) -> Node<Int> {
        let mark = Mark(functions)
        switch sources.count {
        case 2:
            return Node.combineEach(sources[0], sources[1]) { [unowned self] one, two in
                withExtendedLifetime(mark) { player?.combine(site, [one, two]) ?? 0 }
            }
        case 3:
            return Node.combineEach(sources[0], sources[1], sources[2]) { [unowned self] one, two, three in
                withExtendedLifetime(mark) { player?.combine(site, [one, two, three]) ?? 0 }
            }
        default:
            return Node.combineEach(sources[0], sources[1], sources[2], sources[3]) {
                [unowned self] one, two, three, four in
                withExtendedLifetime(mark) { player?.combine(site, [one, two, three, four]) ?? 0 }
            }
        }
    }

    private func zip(_ site: Int, _ sources: [Node<Int>], _ room: Room) -> Node<Int> {
        let mark = Mark(functions)
        switch sources.count {
        case 2:
            return Node.zipEach(sources[0], sources[1], buffer: policy(room)) { [unowned self] one, two in
                withExtendedLifetime(mark) { player?.combine(site, [one, two]) ?? 0 }
            }
        case 3:
            return Node.zipEach(sources[0], sources[1], sources[2], buffer: policy(room)) {
                [unowned self] one, two, three in
                withExtendedLifetime(mark) { player?.combine(site, [one, two, three]) ?? 0 }
            }
        default:
            return Node.zipEach(sources, buffer: policy(room)) { [unowned self] values in
                withExtendedLifetime(mark) { player?.combine(site, values) ?? 0 }
            }
        }
    }

    private func policy(_ room: Room) -> BufferPolicy {
        switch room {
        case .unlimited: .unbounded
        case .dropOldest(let count): .dropOldest(count)
        case .dropNewest(let count): .dropNewest(count)
        case .fail(let count): .fail(count)
        }
    }

    // MARK: - Setting

    func set(_ node: Node<Int>, _ value: Int?, _ context: Int?, _ followsPath: Bool) -> Int {
        let context = context.map { Context($0) }
        let path = followsPath ? player?.pathInHand as? Path : nil
        if let path {
            node.writable().send(Emission(value), path: path, context: context)
        } else if let mutable = node as? MutableNode<Int> {
            if let value {
                if context == nil { mutable.set(value) } else { mutable.set(value, context: context) }
            } else {
                mutable.clear(context: context)
            }
        } else {
            node.writable().send(Emission(value), context: context)
        }
        return node.value ?? -3
    }

    func batch(_ entries: [(place: Int, value: Int?)], _ context: Int?) {
        let named = entries.map { nodes[$0.place] }
        graph.batch(context: context.map { Context($0) }) { batch in
            for (node, entry) in Swift.zip(named, entries) {
                guard let node else { continue }
                if let value = entry.value {
                    batch.set(node.writable(), value)
                } else {
                    batch.clear(node.writable())
                }
            }
        }
        withExtendedLifetime(named) {}
    }

    // MARK: - Edges

    func makeEdge(_ site: Int) -> TransformEdge<Int, Int> {
        let mark = Mark(functions)
        return TransformEdge { [unowned self] value in
            withExtendedLifetime(mark) { player?.function(site, value) ?? 0 }
        }
    }

    func linkEdge(_ target: Node<Int>, _ source: Node<Int>, _ place: Int, _ site: Int, _ ticket: Int) -> Int {
        let edge = edges[place] ?? makeEdge(site)
        edges[place] = edge
        let wasFree = edge.from == nil && edge.to == nil
        let made = target.link(to: source, via: edge)
        tickets[ticket] = made
        withExtendedLifetime((target, source, edge)) {}
        if made != nil { return 0 }
        return target === source ? 1 : wasFree ? 3 : 2
    }

    func aim(_ edge: TransformEdge<Int, Int>, fromPlace place: Int?) -> Int {
        let node = place.flatMap { nodes[$0] }
        if place != nil, node == nil { return -1 }
        edge.from = node
        withExtendedLifetime((edge, node)) {}
        return 0
    }

    func aim(_ edge: TransformEdge<Int, Int>, toPlace place: Int?) -> Int {
        let node = place.flatMap { nodes[$0] }
        if place != nil, node == nil { return -1 }
        edge.to = node
        withExtendedLifetime((edge, node)) {}
        return 0
    }

    // MARK: - Syncing

    func sync(_ node: Node<Int>, _ partner: Node<Int>, _ holder: Holder?, _ site: Int?) -> CancelToken {
        let owner = holder.map { needOwner($0) }
        defer { withExtendedLifetime(owner) {} }
        if let site {
            // One mark for both functions: each of the two edges may hold both.
            let mark = Mark(functions)
            let function = { [unowned self] (value: Int) in
                withExtendedLifetime(mark) { player?.function(site, value) ?? 0 }
            }
            return node.sync(with: partner, owner: owner, transform: function, revert: function)
        }
        guard let owner else { return node.sync(with: partner) }
        return node.sync(with: partner, owner: owner)
    }

    /// The owner in a place, a new one if it is vacant.
    func needOwner(_ holder: Holder) -> AnyObject {
        switch holder {
        case .bag(let index), .owner(let index):
            let owner = owners[index] ?? BagOwner()
            owners[index] = owner
            return owner
        case .foreign(let index):
            let owner = foreigners[index] ?? ForeignOwner()
            foreigners[index] = owner
            return owner
        }
    }

    // MARK: - Listening

    func listen(
        _ node: Node<Int>,
        _ holder: Holder,
        _ hearing: Hearing,
        _ replay: Bool,
        _ site: Int
    )
        -> CancelToken
    {
        let mark = Mark(functions)
        switch holder {
        case .bag(let index):
            let bag = bags[index] ?? CancellableBag()
            bags[index] = bag
            return listen(node, in: bag, hearing, replay, site, mark)
        case .owner(let index):
            let owner = owners[index] ?? BagOwner()
            owners[index] = owner
            return listen(node, owner: owner, hearing, replay, site, mark)
        case .foreign(let index):
            let owner = foreigners[index] ?? ForeignOwner()
            foreigners[index] = owner
            return listen(node, owner: owner, hearing, replay, site, mark)
        }
    }

    private func listen(
        _ node: Node<Int>,
        in bag: CancellableBag,
        _ hearing: Hearing,
        _ replay: Bool,
        _ site: Int,
        _ mark: Mark
    ) -> CancelToken {
        switch hearing {
        case .value:
            return node.listen(in: bag, replay: replay) { [unowned self] value in
                withExtendedLifetime(mark) { player?.listener(site, value) }
            }
        case .context:
            return node.listenEmissions(in: bag, replay: replay) { [unowned self] emission, delivery in
                guard let value = emission.value else { return }
                withExtendedLifetime(mark) {
                    player?.listener(site, value, context: delivery.context?.value(as: Int.self))
                }
            }
        case .path:
            return node.listenEmissions(in: bag, replay: replay, paths: true) {
                [unowned self] emission, delivery in
                guard let value = emission.value else { return }
                let path = delivery.path
                withExtendedLifetime(mark) {
                    player?.listener(
                        site,
                        value,
                        context: delivery.context?.value(as: Int.self),
                        path: path.ids.map { Int($0) },
                        token: path
                    )
                }
            }
        case .emission:
            return node.listenEmissions(in: bag, replay: replay) { [unowned self] emission, delivery in
                withExtendedLifetime(mark) {
                    player?.listener(
                        site,
                        emission.value,
                        context: delivery.context?.value(as: Int.self)
                    )
                }
            }
        }
    }

    private func listen<Owner: AnyObject>(
        _ node: Node<Int>,
        owner: Owner,
        _ hearing: Hearing,
        _ replay: Bool,
        _ site: Int,
        _ mark: Mark
    ) -> CancelToken {
        switch hearing {
        case .value, .emission:
            return node.listen(owner: owner, replay: replay) { [unowned self] (_: Owner, value: Int) in
                withExtendedLifetime(mark) { player?.listener(site, value) }
            }
        case .context, .path:
            return node.listenEmissions(owner: owner, replay: replay) {
                [unowned self] _, emission, delivery in
                guard let value = emission.value else { return }
                withExtendedLifetime(mark) {
                    player?.listener(site, value, context: delivery.context?.value(as: Int.self))
                }
            }
        }
    }

    /// As `listen`, each call being posted to the loop.
    func listenLater(
        _ node: Node<Int>,
        _ holder: Holder,
        _ hearing: Hearing,
        _ replay: Bool,
        _ site: Int
    ) -> CancelToken {
        let mark = Mark(functions)
        let heard = { [unowned self] (value: Int, path: Path?, context: Context?) in
            withExtendedLifetime(mark) {
                player?.listener(
                    site,
                    value,
                    context: context?.value(as: Int.self),
                    path: path?.ids.map { Int($0) } ?? [],
                    token: path
                ) ?? ()
            }
        }
        switch holder {
        case .bag(let index):
            let bag = bags[index] ?? CancellableBag()
            bags[index] = bag
            switch hearing {
            case .context:
                return node.listenEmissions(in: bag, on: executor, replay: replay) { emission, delivery in
                    if let value = emission.value { heard(value, nil, delivery.context) }
                }
            case .path:
                return node.listenEmissions(in: bag, on: executor, replay: replay, paths: true) {
                    if let value = $0.value { heard(value, $1.path, $1.context) }
                }
            default: return node.listen(in: bag, on: executor, replay: replay) { heard($0, nil, nil) }
            }
        case .owner(let index):
            let owner = owners[index] ?? BagOwner()
            owners[index] = owner
            return listenLater(node, owner: owner, hearing, replay, heard)
        case .foreign(let index):
            let owner = foreigners[index] ?? ForeignOwner()
            foreigners[index] = owner
            return listenLater(node, owner: owner, hearing, replay, heard)
        }
    }

    private func listenLater<Owner: AnyObject>(
        _ node: Node<Int>,
        owner: Owner,
        _ hearing: Hearing,
        _ replay: Bool,
        _ heard: @escaping (Int, Path?, Context?) -> Void
    ) -> CancelToken {
        defer { withExtendedLifetime(owner) {} }
        if case .context = hearing {
            return node.listenEmissions(owner: owner, on: executor, replay: replay) {
                if let value = $1.value { heard(value, nil, $2.context) }
            }
        }
        return node.listen(owner: owner, on: executor, replay: replay) { (_: Owner, value: Int) in
            heard(value, nil, nil)
        }
    }

    func stopListening(_ node: Node<Int>, _ holder: Holder) -> Int {
        switch holder {
        case .bag(let index):
            guard let bag = bags[index] else { return -1 }
            node.stopListening(in: bag)
        case .owner(let index):
            guard let owner = owners[index] else { return -1 }
            node.stopListening(owner: owner)
        case .foreign(let index):
            guard let owner = foreigners[index] else { return -1 }
            node.stopListening(owner: owner)
        }
        withExtendedLifetime(node) {}
        return 0
    }
}
