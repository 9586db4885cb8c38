import TestSupport
import Testing

/// Random histories of two servers that share a Redis, with lost answers, cuts, kills, losses of
/// everything, and clocks that differ, drift and are set.
///
/// `SLUICE_SEED=n` plays one history, and `SLUICE_NIGHTLY=1` 10,000 instead of 60.
@Suite("Two servers and a Redis")
struct SharedWorldTests {
    @Test(
        "All come to the same, a replay too; what was answered is there once, conditions hold, and clients that continue elsewhere miss nothing"
    )
    func histories() throws {
        let redis = try RedisServer()
        let only = environment("SLUICE_SEED").flatMap { UInt64($0) }
        var (messages, led) = (0, 0)
        for seed in only.map({ $0...$0 }) ?? 1...(Nightly.isOn ? 10_000 : 60) {
            let world = try SharedWorld(redis, seed: seed)
            try HangWatch.during("SLUICE_SEED=\(seed)") { try world.play(400) }
            #expect(world.complaints.isEmpty, "seed \(seed)")
            messages += world.messages
            led += world.led
        }
        #expect(only != nil || messages > 1_000 && led > 100, "too little: \(messages) messages, \(led) led")
    }
}
