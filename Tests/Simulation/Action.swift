import TestSupport

/// One step of a history: what happens, and the seed of everything that is random about it, so that
/// a step does the same when others are dropped.
struct Action {
    enum Kind: String, CaseIterable {
        case request, commit, turn, work, pass, connect, leave, stall
        case redefine, begin, end, pressure
        case fault, heal, fill, kill, cut, close
        case clock, feed
        case transfer, link, probe
    }

    let kind: Kind
    let seed: UInt64

    /// The history of a seed.
    static func history(_ seed: UInt64) -> [Action] {
        var dice = SeededGenerator(seed: seed)
        let weights: [(Kind, Int)] = [
            (.request, 40), (.commit, 16), (.turn, 24), (.work, 30), (.pass, 22), (.connect, 6), (.leave, 3),
            (.stall, 4), (.redefine, 5), (.begin, 2), (.end, 2), (.pressure, 2), (.fault, 3), (.heal, 6),
            (.fill, 1),
            (.kill, 2), (.cut, 2), (.close, 1), (.clock, 4), (.feed, 10),
            (.transfer, 12), (.link, 10), (.probe, 1),
        ]
        let bag = weights.flatMap { Array(repeating: $0.0, count: $0.1) }
        let count = 20 + dice.below(100)
        return (0..<count).map { _ in Action(kind: bag[dice.below(bag.count)], seed: dice.next()) }
    }
}
