import CEL
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Climbs from random programs towards those that take the most time for a unit.
struct Search {
    private typealias Finding = (tree: Tree, cost: Double)

    private static let poolSize = 150

    /// How many programs have been measured.
    private(set) var tried = 0
    /// The worst of each shape, the worst first.
    private var pool: [Finding] = []
    private var gardener: Gardener
    private let stopwatch = Stopwatch()
    private let options = Options.measured

    init(seed: UInt64) {
        gardener = Gardener(random: SeededGenerator(seed: seed))
    }

    /// Whether a program takes too long.
    var hasFailed: Bool { (pool.first?.cost ?? 0) > limit }

    /// The worst programs, one a line, without what does not make them dear.
    func report(_ count: Int) -> [String] {
        var known: Set<String> = []
        return pool.prefix(count).filter { $0.cost > limit || $0.cost == pool[0].cost }.compactMap { tree, cost in
            let source = shortest(tree, cost).source
            guard known.insert(source).inserted else { return nil }
            return "\((cost * 10).rounded() / 10) ns  \(source)"
        }
    }

    /// Makes one program and measures it.
    mutating func step() {
        let tree = pool.isEmpty || gardener.random.chance(1, in: 2) ? gardener.tree() : gardener.change(parent())
        guard tree.size <= 60, let subject = subject(tree) else { return }
        tried += 1
        let shape = tree.shape
        let known = pool.firstIndex { $0.tree.shape == shape }
        let bar = known.map { pool[$0].cost } ?? (pool.count < Self.poolSize ? 0 : pool[pool.count - 1].cost)
        var cost = stopwatch.nanosecondsPerUnit(of: subject, rounds: 2)
        guard cost > bar else { return }
        // Other work on the machine makes programs slower, never faster.
        cost = min(cost, stopwatch.nanosecondsPerUnit(of: subject, rounds: 4))
        var attempts = 8
        while cost > limit, attempts > 0 {
            cost = min(cost, stopwatch.nanosecondsPerUnit(of: subject, rounds: 20) / max(1, stopwatch.slowness()))
            attempts -= 1
            if cost > limit { usleep(10_000) }
        }
        guard cost > bar else { return }
        if let known { pool.remove(at: known) }
        pool.insert((tree, cost), at: pool.firstIndex { $0.cost < cost } ?? pool.count)
        if pool.count > Self.poolSize { pool.removeLast() }
    }

    /// The same program without the parts that do not make it dear.
    func shortest(_ tree: Tree, _ cost: Double) -> Tree {
        for simpler in tree.simpler where simpler.size < tree.size {
            guard let subject = subject(simpler),
                stopwatch.nanosecondsPerUnit(of: subject, rounds: 4) > cost * 0.95
            else { continue }
            return shortest(simpler, cost)
        }
        return tree
    }

    /// Nanoseconds for a unit, units and nanoseconds of one program, as a line.
    func figures(of source: String) -> String {
        let words = Set(source.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        guard let subject = Subject(source, reading: Inputs.all.filter { words.contains($0.name) }, options: options) else {
            return "\(source): no program"
        }
        let cost = stopwatch.nanosecondsPerUnit(of: subject, rounds: 20)
        let units = stopwatch.units(of: subject)
        return "\((cost * 10).rounded() / 10) ns × \(units) = \(Int(cost * Double(units))) ns  \(source)"
    }

    private mutating func parent() -> Tree {
        pool[gardener.random.below(gardener.random.below(pool.count) + 1)].tree
    }

    private func subject(_ tree: Tree) -> Subject? {
        let names = tree.inputs
        return Subject(tree.source, reading: Inputs.all.filter { names.contains($0.name) }, options: options)
    }
}
