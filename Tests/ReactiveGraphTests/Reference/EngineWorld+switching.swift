import ReactiveGraph

// Switches, cases and named nodes of the engine.
extension EngineWorld {
    func performSwitch(_ step: Step) -> Int {
        switch step {
        case .makeSwitch(let place, let from, let site, let keys, let releasesUnused):
            guard let source = nodes[from] else { return -1 }
            let mark = Mark(functions)
            let made = source.switchMap(maxKeys: limit(keys), releasesUnused: releasesUnused) {
                [unowned self] value -> (Int?, Int) in
                withExtendedLifetime(mark) { player?.key(site, value) ?? (nil, 0) }
            }
            switches[place] = register(made)
            withExtendedLifetime(source) {}
        case .makeCase(let place, let from, let choice):
            guard let switched = switches[from] else { return -1 }
            nodes[place] = register(made(choice, switched))
            withExtendedLifetime(switched) {}
        case .listenSwitch(let place, let index, let replay, let site, let ticket):
            guard let switched = switches[place] else { return -1 }
            let bag = bags[index] ?? CancellableBag()
            bags[index] = bag
            let mark = Mark(functions)
            tickets[ticket] = switched.listenEmissions(in: bag, replay: replay) {
                [unowned self] emission, delivery in
                guard let pair = emission.value else { return }
                withExtendedLifetime(mark) {
                    player?.listener(
                        site,
                        Int(pair.node.id) * 10 + (pair.key ?? 9),
                        context: delivery.context?.value(as: Int.self)
                    ) ?? ()
                }
            }
            withExtendedLifetime(switched) {}
        case .dropSwitch(let place):
            switches[place] = nil
        default: break
        }
        return 0
    }

    private func made(_ choice: Choice, _ switched: Node<Switched<Int, Int>>) -> Node<Int> {
        switch choice {
        case .key(let key): switched.case(key)
        case .missing: switched.defaultCase()
        case .otherwise(let excluded): switched.otherwise(excluding: excluded)
        }
    }

    private func limit(_ keys: Keys) -> KeyLimit {
        switch keys {
        case .all: .unlimited
        case .evictOldest(let count): .evictOldest(count)
        case .fail(let count): .fail(count)
        }
    }

    func performName(_ step: Step) -> Int {
        guard let registry else { return -1 }
        switch step {
        case .lookUp(let place, let name, let keeping):
            nodes[place] = register(
                registry.mutable("name \(name)", as: Int.self, retention: keeping.map { Retention($0) })
            )
        case .find(let place, let name):
            guard let node = registry.find("name \(name)", as: Int.self) else { return -1 }
            nodes[place] = node
        case .removeName(let name):
            return registry.remove("name \(name)") ? 1 : 0
        case .setKeeping(let name, let keeping):
            registry.setRetention(keeping.map { Retention($0) }, of: "name \(name)")
        case .flush:
            return registry.flushUnused()
        case .wipe(let all):
            registry.wipe { name, _ in
                all || name.last.map { "02468".contains($0) } == true
            }
        case .setLimit(let limit):
            registry.limit = limit
            return registry.count
        default: break
        }
        return 0
    }
}

extension Retention {
    init(_ keeping: Keeping) {
        switch keeping {
        case .whileInUse: self = .whileInUse
        case .untilPressure: self = .untilPressure
        case .always: self = .always
        }
    }
}
