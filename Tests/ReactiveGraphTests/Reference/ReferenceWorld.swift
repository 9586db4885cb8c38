/// The reference model as a world that histories can be played in.
final class ReferenceWorld: World {
    let graph: ReferenceGraph
    weak var player: Player?
    /// The joins in the order the engine settled them, asked for where the rules leave a choice.
    private let engineSettled: [Int]
    private var settledCount = 0
    /// The engine settled a join before one upstream of it, or one that is not marked.
    private(set) var settledWrongly = false

    var nodes: [ReferenceNode?] = Array(repeating: nil, count: Places.nodes)
    var edges: [ReferenceEdge?] = Array(repeating: nil, count: Places.edges)
    var bags: [ReferenceOwner?] = Array(repeating: nil, count: Places.owners + 1)
    var owners: [ReferenceOwner?] = Array(repeating: nil, count: Places.owners)
    var foreigners: [ReferenceOwner?] = Array(repeating: nil, count: Places.owners)
    var tickets: [ReferenceTicket?] = Array(repeating: nil, count: Places.tickets + 1)

    var switches: [ReferenceNode?] = Array(repeating: nil, count: Places.switches)
    let registry: ReferenceRegistry
    var ears: [ReferenceEar?] = Array(repeating: nil, count: Places.ears)

    init(settings: Settings, engineSettled: [Int]) {
        self.engineSettled = engineSettled
        registry = ReferenceRegistry(settings.keeping)
        graph = ReferenceGraph(
            isSettled: settings.isSettled,
            propagatesEmpty: settings.propagatesEmpty,
            keepsPaths: settings.keepsPaths
        )
        graph.isHeldOutside = { [unowned self] node in
            for place in nodes.indices where nodes[place] === node { return true }
            for place in switches.indices where switches[place] === node { return true }
            return registry.holds(node)
        }
        graph.isEdgeHeldOutside = { [unowned self] edge in
            for place in edges.indices where edges[place] === edge { return true }
            return false
        }
        graph.onDeath = { [unowned self] node in registry.forget(node) }
        graph.nextSettled = { [unowned self] in nextSettled() }
        graph.settledWrongly = { [unowned self] in settledWrongly = true }
        graph.onOpen = { [unowned self] in player?.isOver = true }
    }

    private func nextSettled() -> Int? {
        guard settledCount < engineSettled.count else { return nil }
        settledCount += 1
        return engineSettled[settledCount - 1]
    }

    var livingNodes: Int { graph.nodes.count }

    func look() -> [Int] {
        var seen = [
            graph.nodes.count, graph.liveEdges, graph.liveListeners, graph.liveFollowings,
            graph.liveFunctions,
        ]
        for place in nodes {
            guard let node = place else {
                seen.append(-2)
                continue
            }
            seen.append(node.number * 100 + (node.stored ?? 50))
            seen.append(digest(node.ins.filter { $0.kind != .follower }.compactMap { $0.from?.number }))
            seen.append(digest(node.outs.compactMap { $0.to?.number }))
        }
        return seen
    }

    func dropEverything() {
        for index in bags.indices { drop(&bags[index]) }
        for index in owners.indices { drop(&owners[index]) }
        for index in foreigners.indices { drop(&foreigners[index]) }
        for index in ears.indices { drop(ear: index) }
        for index in edges.indices { drop(edge: index) }
        for index in nodes.indices { nodes[index] = nil }
        for index in switches.indices { switches[index] = nil }
        registry.entries = [:]
        graph.collect()
    }

    // MARK: - Steps

    func perform(_ step: Step) -> Int {
        let pinned = named(by: step)
        for node in pinned { node.pins += 1 }
        let result = run(step)
        for node in pinned { node.pins -= 1 }
        graph.sweep()
        return result
    }

    /// The nodes whose places a step names: the player holds them until the step is done.
    private func named(by step: Step) -> [ReferenceNode] {
        let places: [Int?]
        switch step {
        case .derive(_, let from, _): places = [from]
        case .join(_, let from, _): places = from
        case .set(let place, _, _, _), .unlinkAllUpstream(let place), .unlinkAllDownstream(let place),
            .listen(let place, _, _, _, _, _, _), .setLater(let place, _, _),
            .addEar(let place, _, _, _), .addClosure(let place, _, _, _), .removeOwner(let place, _, _),
            .stopListening(let place, _), .askListeners(let place):
            places = [place]
        case .batch(let entries, _): places = entries.map(\.place)
        case .link(let one, let other, _, _), .linkEdge(let one, let other, _, _, _),
            .sync(let one, let other, _, _, _),
            .unlink(let one, let other), .unlinkDownstream(let one, let other):
            places = [one, other]
        case .aimFrom(_, let place), .aimTo(_, let place): places = [place]
        case .makeSwitch(_, let place, _, _, _): places = [place]
        case .makeCase(_, let place, _), .listenSwitch(let place, _, _, _, _):
            return [switches[place]].compactMap(\.self)
        case .aimUpstream(let one, _, let other), .aimDownstream(let one, _, let other):
            places = [one, other]
        default: places = []
        }
        return places.compactMap { $0.flatMap { nodes[$0] } }
    }

    private func run(_ step: Step) -> Int {
        switch step {
        case .make(let place, let value):
            let node = graph.makeNode(value)
            node.isMutable = true
            put(node, place)
        case .derive(let place, let from, let operation):
            guard let source = nodes[from] else { return -1 }
            let node = derive(operation, source)
            put(node, place)
            node.pins -= 1
            graph.sweep()
        case .join(let place, let from, let several):
            let sources = from.compactMap { nodes[$0] }
            guard sources.count == from.count else { return -1 }
            let node = join(several, sources)
            put(node, place)
            node.pins -= 1
            graph.sweep()
        case .set(let place, let value, let context, let followsPath):
            guard let node = nodes[place] else { return -1 }
            let path = followsPath ? player?.pathInHand as? [Int] : nil
            graph.set(node, value, path: path ?? [], context: context)
            return node.stored ?? -3
        case .batch(let entries, let context):
            graph.batch(
                entries.compactMap { entry in nodes[entry.place].map { ($0, entry.value) } },
                context: context
            )
        case .link(let one, let other, let replay, let ticket):
            guard let target = nodes[one], let source = nodes[other] else { return -1 }
            return link(target, source, replay, ticket)
        case .linkEdge(let one, let other, let place, let site, let ticket):
            guard let target = nodes[one], let source = nodes[other] else { return -1 }
            return linkEdge(target, source, place, site, ticket)
        case .makeEdge(let place, let site):
            hold(makeEdge(site), place)
        default:
            return runOther(step)
        }
        return 0
    }

    private func runOther(_ step: Step) -> Int {
        switch step {
        case .aimFrom(let place, let from):
            guard let edge = edges[place] else { return -1 }
            return aim(edge, fromPlace: from)
        case .aimTo(let place, let to):
            guard let edge = edges[place] else { return -1 }
            return aim(edge, toPlace: to)
        case .aimUpstream(let place, let index, let from):
            let list = nodes[place]?.ins.filter { $0.kind != .follower } ?? []
            guard index < list.count, list[index].isPlain else { return -1 }
            return aim(list[index], fromPlace: from)
        case .aimDownstream(let place, let index, let to):
            let list = nodes[place]?.outs ?? []
            guard index < list.count, list[index].kind != .input, list[index].isPlain else { return -1 }
            return aim(list[index], toPlace: to)
        case .disconnectEdge(let place):
            guard let edge = edges[place] else { return -1 }
            pinning(edge) {
                graph.disconnect(edge)
                graph.sweep()
            }
        case .unlink(let place, let upstream):
            guard let node = nodes[place], let source = nodes[upstream] else { return -1 }
            unlink(node.ins.filter { $0.kind != .follower && $0.from === source })
        case .unlinkDownstream(let place, let downstream):
            guard let node = nodes[place], let target = nodes[downstream] else { return -1 }
            unlink(target.ins.filter { $0.kind != .follower && $0.from === node })
        case .unlinkAllUpstream(let place):
            unlink(nodes[place]?.ins.filter { $0.kind != .follower && $0.from != nil } ?? [])
        case .unlinkAllDownstream(let place):
            unlink(nodes[place]?.outs.filter { $0.to != nil } ?? [])
        case .listen(let place, let holder, let hearing, let replay, let later, let site, let ticket):
            guard let node = nodes[place] else { return -1 }
            listen(node, holder, form(hearing, holder, later: later), replay, later, site, ticket)
        case .setLater(let place, let value, let context):
            guard let node = nodes[place], node.isMutable else { return -1 }
            // A deferred set holds the node until it is done (G-150).
            node.pins += 1
            graph.loop.submit { [unowned self] in
                graph.set(node, value, context: context)
                node.pins -= 1
                graph.sweep()
            }
        case .runPosts:
            graph.loop.run()
        case .stopListening(let place, let holder):
            guard let node = nodes[place], let owner = owner(holder) else { return -1 }
            removeOwner(owner, from: node)
        case .sync(let one, let other, let holder, let site, let ticket):
            guard let node = nodes[one], let partner = nodes[other] else { return -1 }
            sync(node, partner, holder, site, ticket)
        case .advance(let duration):
            graph.advance(by: duration)
        case .makeSwitch, .makeCase, .listenSwitch, .dropSwitch:
            return performSwitch(step)
        case .addEar, .addClosure, .removeOwner, .dropEar:
            return performOwning(step)
        case .lookUp, .find, .removeName, .setKeeping, .flush, .wipe, .setLimit:
            return performName(step)
        case .cancel(let ticket):
            guard let cancellable = tickets[ticket] else { return -1 }
            graph.cancel(cancellable)
        case .dropTicket(let ticket):
            tickets[ticket] = nil
        case .cancelBag(let index):
            guard let bag = bags[index] else { return -1 }
            graph.endListens(of: bag)
        case .dropNode(let place):
            nodes[place] = nil
        case .dropEdge(let place):
            drop(edge: place)
        case .dropOwner(let holder):
            dropOwner(holder)
        case .collect:
            graph.collect()
        case .askListeners(let place):
            guard let node = nodes[place] else { return -1 }
            graph.noticeDeath(on: node)
            graph.sweep()
            for edge in node.listens { _ = edge.listen?.notice() }
            return node.listens.count
        case .cutAll:
            cutAll()
        default:
            break
        }
        return 0
    }

    private func cutAll() {
        for number in graph.nodes.keys.sorted() {
            // Nodes that an operator is about to make are out of reach.
            guard let node = graph.nodes[number], node.isMade else { continue }
            node.pins += 1
            for edge in node.ins where edge.kind != .follower && edge.from != nil { graph.disconnect(edge) }
            node.pins -= 1
            graph.sweep()
        }
    }

    // MARK: - Places

    func put(_ node: ReferenceNode, _ place: Int) {
        node.isMade = true
        nodes[place] = node
        graph.sweep()
    }

    private func hold(_ edge: ReferenceEdge, _ place: Int) {
        drop(edge: place)
        edges[place] = edge
    }

    private func drop(edge place: Int) {
        guard let edge = edges[place] else { return }
        edges[place] = nil
        graph.forget(edge)
        graph.sweep()
    }

    func owner(_ holder: Holder) -> ReferenceOwner? {
        switch holder {
        case .bag(let index): bags[index]
        case .owner(let index): owners[index]
        case .foreign(let index): foreigners[index]
        }
    }

    private func dropOwner(_ holder: Holder) {
        switch holder {
        case .bag(let index): drop(&bags[index])
        case .owner(let index): drop(&owners[index])
        case .foreign(let index): drop(&foreigners[index])
        }
    }

    private func drop(_ place: inout ReferenceOwner?) {
        guard let owner = place else { return }
        place = nil
        owner.isHeld = false
        graph.ownerDied(owner)
    }

    /// The owner in a place, a new one if it is vacant.
    func needOwner(_ holder: Holder) -> ReferenceOwner {
        if let owner = owner(holder) { return owner }
        switch holder {
        case .bag(let index):
            let made = ReferenceOwner(isForeign: false)
            bags[index] = made
            return made
        case .owner(let index):
            let made = ReferenceOwner(isForeign: false)
            owners[index] = made
            return made
        case .foreign(let index):
            let made = ReferenceOwner(isForeign: true)
            foreigners[index] = made
            return made
        }
    }

    func pinning(_ edge: ReferenceEdge, _ body: () -> Void) {
        edge.pins += 1
        body()
        edge.pins -= 1
        graph.forget(edge)
        graph.sweep()
    }

    private func aim(_ edge: ReferenceEdge, fromPlace place: Int?) -> Int {
        if let place, nodes[place] == nil { return -1 }
        pinning(edge) { graph.aim(edge, from: place.flatMap { nodes[$0] }) }
        return 0
    }

    private func aim(_ edge: ReferenceEdge, toPlace place: Int?) -> Int {
        if let place, nodes[place] == nil { return -1 }
        pinning(edge) { graph.aim(edge, to: place.flatMap { nodes[$0] }) }
        return 0
    }

    private func unlink(_ list: [ReferenceEdge]) {
        for edge in list { graph.disconnect(edge) }
        graph.sweep()
    }
}

/// A short number for a list, for the record.
func digest(_ numbers: [Int]) -> Int {
    numbers.reduce(numbers.count) { ($0 &* 37 &+ $1) & 0xfff_ffff }
}
