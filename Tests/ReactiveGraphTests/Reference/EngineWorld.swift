import ReactiveGraph

/// The engine as a world that histories can be played in.
final class EngineWorld: World {
    let graph: Graph
    weak var player: Player?
    /// Every living node by its creation number, not held.
    private(set) var living: [UInt64: Unmanaged<AnyNode>] = [:]
    /// The joins in the order they settled.
    private(set) var settled: [Int] = []

    var nodes: [Node<Int>?] = Array(repeating: nil, count: Places.nodes)
    var edges: [TransformEdge<Int, Int>?] = Array(repeating: nil, count: Places.edges)
    var bags: [CancellableBag?] = Array(repeating: nil, count: Places.owners + 1)
    var owners: [BagOwner?] = Array(repeating: nil, count: Places.owners)
    var foreigners: [ForeignOwner?] = Array(repeating: nil, count: Places.owners)
    var tickets: [CancelToken?] = Array(repeating: nil, count: Places.tickets + 1)
    var switches: [Node<Switched<Int, Int>>?] = Array(repeating: nil, count: Places.switches)
    var registry: Registry?
    var ears: [(any HistoryEar)?] = Array(repeating: nil, count: Places.ears)
    /// Keeps the places in memory of the ears there were: a new one at an old address would end
    /// what the old one left.
    var earPlaces: [EarPlace] = []
    let functions = FunctionCount()
    let clock = ManualClock()
    let executor = ManualExecutor()

    /// An owner that ends its listens when it dies.
    final class BagOwner: ListenerOwner {
        let listenBag = CancellableBag()
    }

    /// An owner whose death has to be noticed.
    final class ForeignOwner {}

    /// Counts the user functions that are alive.
    final class FunctionCount {
        var living = 0
    }

    /// Captured by a function of the user's: dies with it.
    final class Mark {
        private let count: FunctionCount

        init(_ count: FunctionCount) {
            self.count = count
            count.living += 1
        }

        deinit { count.living -= 1 }
    }

    init(settings: Settings) {
        graph = Graph(
            propagation: settings.isSettled ? .settled : .immediate,
            clock: clock,
            executor: executor,
            propagatesEmpty: settings.propagatesEmpty,
            collectsEvery: nil
        )
        registry = Registry(
            graph: graph,
            policy: Retention(settings.keeping),
            limit: 3,
            naming: .verbatim
        )
        graph.onRelease = { [unowned self] id in living[id] = nil }
        graph.onError = { [unowned self] error in
            if case .overflow(let node, _, _) = error { player?.failed(Int(node)) }
        }
        graph.engine.onSettle = { [unowned self] id in settled.append(Int(id)) }
    }

    var livingNodes: Int { graph.counts.liveNodes }

    func look() -> [Int] {
        let counts = graph.counts
        var seen = [
            counts.liveNodes, counts.liveEdges, counts.liveListeners, counts.liveFollowings, functions.living,
        ]
        for place in nodes {
            guard let node = place else {
                seen.append(-2)
                continue
            }
            seen.append(Int(node.id) * 100 + (node.value ?? 50))
            seen.append(digest(node.upstreamNodes.map { Int($0.id) }))
            seen.append(digest(node.downstreamNodes.map { Int($0.id) }))
        }
        return seen
    }

    func dropEverything() {
        for index in tickets.indices { tickets[index] = nil }
        for index in bags.indices { bags[index] = nil }
        for index in owners.indices { owners[index] = nil }
        for index in foreigners.indices { foreigners[index] = nil }
        for index in ears.indices { ears[index] = nil }
        for index in edges.indices { edges[index] = nil }
        for index in nodes.indices { nodes[index] = nil }
        for index in switches.indices { switches[index] = nil }
        registry = nil
        graph.collect()
    }

    /// Cuts what holds itself.
    func breakRings() {
        for id in living.keys.sorted() {
            guard let node = living[id]?.takeUnretainedValue() else { continue }
            node.removeUpstreamNodes()
        }
    }

    func register<Value>(_ node: Node<Value>) -> Node<Value> {
        living[node.id] = .passUnretained(node)
        return node
    }

    // MARK: - Steps

    func perform(_ step: Step) -> Int {
        switch step {
        case .make(let place, let value):
            let node = value.map { graph.mutable($0) } ?? graph.mutable(of: Int.self)
            nodes[place] = register(node)
        case .derive(let place, let from, let operation):
            guard let source = nodes[from] else { return -1 }
            nodes[place] = register(derive(operation, source))
            withExtendedLifetime(source) {}
        case .join(let place, let from, let several):
            let sources = from.compactMap { nodes[$0] }
            guard sources.count == from.count else { return -1 }
            nodes[place] = register(join(several, sources))
            withExtendedLifetime(sources) {}
        case .set(let place, let value, let context, let followsPath):
            guard let node = nodes[place] else { return -1 }
            return set(node, value, context, followsPath)
        case .batch(let entries, let context):
            batch(entries, context)
        case .link(let one, let other, let replay, let ticket):
            guard let target = nodes[one], let source = nodes[other] else { return -1 }
            let made = target.link(to: source, replay: replay)
            tickets[ticket] = made
            withExtendedLifetime((target, source)) {}
            return made == nil ? 1 : 0
        case .linkEdge(let one, let other, let place, let site, let ticket):
            guard let target = nodes[one], let source = nodes[other] else { return -1 }
            return linkEdge(target, source, place, site, ticket)
        case .makeEdge(let place, let site):
            edges[place] = makeEdge(site)
        default:
            return performOther(step)
        }
        return 0
    }

    private func performOther(_ step: Step) -> Int {
        switch step {
        case .aimFrom(let place, let from):
            guard let edge = edges[place] else { return -1 }
            return aim(edge, fromPlace: from)
        case .aimTo(let place, let to):
            guard let edge = edges[place] else { return -1 }
            return aim(edge, toPlace: to)
        case .aimUpstream(let place, let index, let from):
            guard let node = nodes[place] else { return -1 }
            let list = node.upstreamTransforms
            guard index < list.count, let edge = list[index] as? TransformEdge<Int, Int> else { return -1 }
            return aim(edge, fromPlace: from)
        case .aimDownstream(let place, let index, let to):
            guard let node = nodes[place] else { return -1 }
            let list = node.downstreamTransforms
            guard index < list.count, let edge = list[index] as? TransformEdge<Int, Int>,
                !joinNames.contains(edge.name)
            else { return -1 }
            return aim(edge, toPlace: to)
        case .disconnectEdge(let place):
            guard let edge = edges[place] else { return -1 }
            edge.disconnect()
        case .unlink(let place, let upstream):
            guard let node = nodes[place], let source = nodes[upstream] else { return -1 }
            node.removeUpstreamNode(source)
            withExtendedLifetime((node, source)) {}
        case .unlinkDownstream(let place, let downstream):
            guard let node = nodes[place], let target = nodes[downstream] else { return -1 }
            node.removeDownstreamNode(target)
            withExtendedLifetime((node, target)) {}
        case .unlinkAllUpstream(let place):
            let node = nodes[place]
            node?.removeUpstreamNodes()
            withExtendedLifetime(node) {}
        case .unlinkAllDownstream(let place):
            let node = nodes[place]
            node?.removeDownstreamNodes()
            withExtendedLifetime(node) {}
        case .listen(let place, let holder, let hearing, let replay, let later, let site, let ticket):
            guard let node = nodes[place] else { return -1 }
            let form = form(hearing, holder, later: later)
            tickets[ticket] =
                later
                ? listenLater(node, holder, form, replay, site) : listen(node, holder, form, replay, site)
            withExtendedLifetime(node) {}
        case .stopListening(let place, let holder):
            guard let node = nodes[place] else { return -1 }
            return stopListening(node, holder)
        case .sync(let one, let other, let holder, let site, let ticket):
            guard let node = nodes[one], let partner = nodes[other] else { return -1 }
            tickets[ticket] = sync(node, partner, holder, site)
            withExtendedLifetime((node, partner)) {}
        case .makeSwitch, .makeCase, .listenSwitch, .dropSwitch:
            return performSwitch(step)
        case .addEar, .addClosure, .removeOwner, .dropEar:
            return performOwning(step)
        case .lookUp, .find, .removeName, .setKeeping, .flush, .wipe, .setLimit:
            return performName(step)
        case .setLater(let place, let value, let context):
            guard let node = nodes[place] as? MutableNode<Int> else { return -1 }
            node.sendLater(Emission(value), context: context.map { Context($0) })
        case .runPosts:
            executor.run()
        case .advance(let duration):
            clock.advance(by: .milliseconds(duration))
        default:
            return performLast(step)
        }
        return 0
    }

    private func performLast(_ step: Step) -> Int {
        switch step {
        case .cancel(let ticket):
            guard let cancellable = tickets[ticket] else { return -1 }
            cancellable.cancel()
        case .dropTicket(let ticket):
            tickets[ticket] = nil
        case .cancelBag(let index):
            guard let bag = bags[index] else { return -1 }
            bag.cancel()
        case .dropNode(let place):
            nodes[place] = nil
        case .dropEdge(let place):
            edges[place] = nil
        case .dropOwner(.bag(let index)):
            bags[index] = nil
        case .dropOwner(.owner(let index)):
            owners[index] = nil
        case .dropOwner(.foreign(let index)):
            foreigners[index] = nil
        case .collect:
            graph.collect()
        case .askListeners(let place):
            guard let node = nodes[place] else { return -1 }
            return node.listenerCount
        case .cutAll:
            breakRings()
        default:
            break
        }
        return 0
    }
}
