import ReactiveGraph
import TestSupport
import Testing

/// Random graphs and histories, cut at a random point: a graph that is built anew and restored goes
/// on as the first one.
///
/// `SLUICE_NIGHTLY=1` plays 40,000 instead of 1,600, and `SLUICE_SEED=n` the four of one seed.
@Suite("Saving and restoring state")
struct StateTests {
    private static let seeds = Nightly.isOn ? 10_000 : 400
    private static var played: Range<UInt64> {
        environment("SLUICE_SEED").flatMap { UInt64($0) }.map { $0..<($0 + 1) } ?? 0..<UInt64(seeds)
    }

    @Test(
        "G-164: after a restore, the same emissions as without the interruption",
        arguments: [Graph.Propagation.settled, .immediate],
        [false, true]
    )
    func goesOn(_ propagation: Graph.Propagation, propagatesEmpty: Bool) throws {
        var failures = 0
        for seed in Self.played where failures < 3 {
            var steps = SeededGenerator(seed: ~seed)
            let first = StateWorld(seed: seed, propagation, propagatesEmpty: propagatesEmpty)
            for _ in 0..<steps.below(40) { first.step(&steps) }

            #expect(first.graph.validate(roots: first.all) == [], "seed \(seed)")
            let saved = first.save()
            #expect(saved.error == nil, "seed \(seed)")
            let second = StateWorld(
                seed: seed,
                propagation,
                propagatesEmpty: propagatesEmpty,
                at: first.clock.now
            )
            second.forget()
            first.forget()
            do {
                try second.restore(saved.bytes)
            } catch {
                Issue.record("seed \(seed): \(error)")
                failures += 1
                continue
            }
            let isSilent = second.emitted.allSatisfy { $0.isEmpty }
            #expect(isSilent, "seed \(seed): a restore emits")
            var difference = Self.difference(first, second)
            var again = steps
            for number in 0..<30 where difference == nil {
                first.step(&steps)
                second.step(&again)
                difference = Self.difference(first, second).map { "step \(number): \($0)" }
            }
            if let difference {
                failures += 1
                Issue.record("seed \(seed): \(difference)")
            }
            #expect(second.graph.validate(roots: second.all) == [], "seed \(seed)")
        }
    }

    @Test("G-164: bytes that were cut off or changed throw or restore something, and the graph continues")
    func malformed() {
        var refused = 0
        for seed in 0..<UInt64(Self.seeds) {
            var steps = SeededGenerator(seed: ~seed)
            let propagation: Graph.Propagation = steps.chance(1, in: 2) ? .settled : .immediate
            let first = StateWorld(seed: seed, propagation, propagatesEmpty: seed % 3 == 0)
            for _ in 0..<20 { first.step(&steps) }
            var bytes = first.save().bytes
            if steps.chance(1, in: 2) {
                bytes.removeLast(1 + steps.below(bytes.count))
            } else {
                for _ in 0..<(1 + steps.below(3)) { bytes[steps.below(bytes.count)] ^= 1 << steps.below(8) }
            }
            let second = StateWorld(
                seed: seed,
                propagation,
                propagatesEmpty: seed % 3 == 0,
                at: first.clock.now
            )
            do { try second.restore(bytes) } catch { refused += 1 }
            for _ in 0..<20 { second.step(&steps) }
            #expect(second.graph.validate(roots: second.all) == [], "seed \(seed)")
        }
        #expect(refused > Self.seeds / 2)
    }

    private static func difference(_ first: StateWorld, _ second: StateWorld) -> String? {
        for index in first.all.indices {
            let name = "node \(index), \(first.all[index].upstreamTransforms.map(\.name))"
            if first.emitted[index] != second.emitted[index] {
                return "\(name) emits \(second.emitted[index]) instead of \(first.emitted[index])"
            }
            if first.values[index] != second.values[index] {
                return "\(name) holds \(second.values[index]) instead of \(first.values[index])"
            }
        }
        return nil
    }
}
