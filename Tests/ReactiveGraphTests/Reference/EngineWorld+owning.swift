import ReactiveGraph

/// A listener that is an object.
protocol HistoryEar: AnyObject, NodeListener {
    var site: Int { get }
    var world: EngineWorld { get }
}

extension HistoryEar {
    func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>) {
        world.tell(site, Int(node.id), event)
    }
}

/// An unowned reference keeps the memory of its object.
struct EarPlace {
    unowned let ear: any HistoryEar
}

/// An ear whose death has to be noticed.
private final class PlainHistoryEar: HistoryEar {
    let site: Int
    unowned let world: EngineWorld
    private let mark: EngineWorld.Mark

    init(_ site: Int, _ world: EngineWorld) {
        self.site = site
        self.world = world
        mark = EngineWorld.Mark(world.functions)
    }
}

/// An ear that ends its own listens when it dies.
private final class BagHistoryEar: HistoryEar, ListenerOwner {
    let site: Int
    unowned let world: EngineWorld
    let listenBag = CancellableBag()
    private let mark: EngineWorld.Mark

    init(_ site: Int, _ world: EngineWorld) {
        self.site = site
        self.world = world
        mark = EngineWorld.Mark(world.functions)
    }
}

// Owners and events of the engine.
extension EngineWorld {
    func tell<Value>(_ site: Int, _ node: Int, _ event: NodeEvent<Value>) {
        switch event {
        case .added(let emission): player?.heard(site, .added, node: node, emission.value as? Int)
        case .newValue(let value, _): player?.heard(site, .value, node: node, value as? Int)
        case .empty: player?.heard(site, .empty, node: node, nil)
        case .stopped: player?.heard(site, .stopped, node: node, nil)
        default: player?.heard(-1, .stopped, node: node, nil)
        }
    }

    func performOwning(_ step: Step) -> Int {
        switch step {
        case .addEar(let place, let index, let holder, let site):
            guard let node = nodes[place] else { return -1 }
            let ear: any HistoryEar =
                ears[index] ?? (index % 2 == 0 ? PlainHistoryEar(site, self) : BagHistoryEar(site, self))
            if ears[index] == nil { earPlaces.append(EarPlace(ear: ear)) }
            ears[index] = ear
            let owner = holder.map { needOwner($0) }
            node.addListener(ear, owner: owner ?? (ear as AnyObject))
            withExtendedLifetime((node, ear, owner)) {}
        case .addClosure(let place, let holder, let identity, let site):
            guard let node = nodes[place] else { return -1 }
            let owner = needOwner(holder)
            let mark = Mark(functions)
            let number = Int(node.id)
            node.addListener(owner: owner, identity: identity.map { AnyHashable($0) }) {
                [unowned self] (event: NodeEvent<Int>) in
                withExtendedLifetime(mark) { tell(site, number, event) }
            }
            withExtendedLifetime((node, owner)) {}
        case .removeOwner(let place, let ear, let holder):
            guard let node = nodes[place] else { return -1 }
            let owner: AnyObject?
            if let ear {
                owner = ears[ear]
            } else if case .owner(let index) = holder {
                owner = owners[index]
            } else if case .foreign(let index) = holder {
                owner = foreigners[index]
            } else {
                owner = nil
            }
            node.removeListeners(ownedBy: owner)
            withExtendedLifetime((node, owner)) {}
        case .dropEar(let index):
            ears[index] = nil
        default: break
        }
        return 0
    }
}
