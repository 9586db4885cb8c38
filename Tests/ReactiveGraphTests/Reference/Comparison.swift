import ReactiveGraph

/// One seed, played twice.
struct Comparison {
    /// What differs first, with what happened around it; `nil` if nothing does.
    let difference: String?
    /// The rules left something open on the way, and the rest was not compared.
    let open: Openness?
    /// Both runs as text, if asked for.
    let transcript: String
    /// Calls of functions and listeners that were compared.
    let calls: Int

    init(seed: UInt64, isSettled: Bool, keepsTranscript: Bool) {
        let settings = Settings(seed: seed, isSettled: isSettled)
        let engine = EngineWorld(settings: settings)
        let first = Player(seed: seed, settings: settings, world: engine, keepsTranscript: keepsTranscript)
        first.play()
        let reference = ReferenceWorld(settings: settings, engineSettled: engine.settled)
        let second = Player(
            seed: seed,
            settings: settings,
            world: reference,
            keepsTranscript: keepsTranscript
        )
        second.play()
        open = reference.graph.open
        let isOpen = open != nil
        calls = second.record.count { $0.what == .listener || $0.what == .function }
        var found = Self.compare(first.record, second.record, isOpen: isOpen)
        if reference.settledWrongly, !isOpen { found = found ?? "a join settled out of turn" }
        reference.dropEverything()
        let left = reference.livingNodes
        reference.graph.scrap()
        if let leak = Self.leak(engine, expected: isOpen || found != nil ? nil : left) {
            found = found ?? leak
        }
        difference = found
        transcript =
            keepsTranscript
            ? "ENGINE\n" + first.transcript.joined(separator: "\n") + "\nMODEL\n"
                + second.transcript.joined(separator: "\n")
            : ""
    }

    private static func compare(_ engine: [Event], _ model: [Event], isOpen: Bool) -> String? {
        for index in model.indices {
            guard index < engine.count else {
                return "event \(index): the engine stops, the model \(model[index])"
            }
            guard engine[index] == model[index] else {
                return "event \(index): the engine \(engine[index]), the model \(model[index])"
            }
        }
        if !isOpen, engine.count > model.count {
            return "event \(model.count): the model stops, the engine \(engine[model.count])"
        }
        return nil
    }

    /// Drops everything: what lives on must be what the rules keep, the rings; and nothing once
    /// these are cut.
    private static func leak(_ engine: EngineWorld, expected: Int?) -> String? {
        engine.dropEverything()
        if let expected, engine.livingNodes != expected {
            return "after the last drop \(engine.livingNodes) nodes live, not \(expected)"
        }
        engine.breakRings()
        let counts = engine.graph.counts
        guard counts.liveNodes == 0, counts.liveEdges == 0, counts.liveListeners == 0,
            counts.liveFollowings == 0, engine.functions.living == 0, engine.living.isEmpty
        else { return "left over at the end: \(counts), functions \(engine.functions.living)" }
        return nil
    }
}
