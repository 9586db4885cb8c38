import TestSupport

/// A place in the record of a history: what called back, with what, and how many nodes lived at
/// that moment.
struct Event: Equatable {
    enum What: UInt8 { case step, result, listener, function, error, state, over }

    var what: What
    var site = 0
    var value = 0
    var context = 0
    var path = 0
    var living = 0
}

/// What a function on emissions says.
enum Answer {
    case nothing
    case emit(Int?)
}

/// Plays one seeded history in a world and keeps the record.
///
/// What it does next depends on the seed and on the callbacks so far, so two worlds that behave
/// alike are played the same history.
final class Player {
    let seed: UInt64
    let settings: Settings
    let world: any World
    var record: [Event] = []
    /// The steps as text, for failures; kept if wanted.
    var transcript: [String] = []
    let keepsTranscript: Bool
    /// The rules leave open what happens from here on.
    var isOver = false

    var random: SeededGenerator
    private var sites = 0
    private var depth = 0
    private var nestedSteps = 0
    private var eventsInStep = 0
    private var hasCut = false

    init(seed: UInt64, settings: Settings, world: any World, keepsTranscript: Bool) {
        self.seed = seed
        self.settings = settings
        self.world = world
        self.keepsTranscript = keepsTranscript
        random = SeededGenerator(seed: seed)
        world.player = self
    }

    /// Plays it to the end, and releases everything.
    func play() {
        if settings.keepsPaths { firstListen() }
        for step in firstSteps() { outside(step) }
        for _ in 0..<settings.steps where !isOver { outside(makeOuterStep()) }
        if !isOver { outside(.runPosts) }
        if !isOver { record.append(Event(what: .over, living: world.livingNodes)) }
        isOver = true
    }

    private func outside(_ step: Step) {
        eventsInStep = 0
        hasCut = false
        nestedSteps = settings.nestedSteps
        perform(step)
        note(.state)
    }

    /// A listener that asks for paths from the beginning.
    private func firstListen() {
        perform(.make(0, value: 1))
        perform(
            .listen(
                0,
                .bag(Places.owners),
                .path,
                replay: true,
                later: false,
                site: nextSite(),
                ticket: Places.tickets
            )
        )
    }

    func nextSite() -> Int {
        sites += 1
        return sites
    }

    private func perform(_ step: Step) {
        guard !isOver else { return }
        if keepsTranscript { say("\(step)") }
        let result = world.perform(step)
        guard !isOver else { return }
        record.append(Event(what: .result, value: result))
        if keepsTranscript, result != 0 { say("result \(result)") }
    }

    private func note(_ what: Event.What) {
        guard !isOver else { return }
        for (index, value) in world.look().enumerated() {
            record.append(Event(what: .state, site: index, value: value))
        }
        if keepsTranscript { say("state \(world.look())") }
    }

    func say(_ text: String) {
        transcript.append("\(record.count): " + String(repeating: "  ", count: depth) + text)
    }

    // MARK: - Called back

    private func called(_ event: Event, mayAct: Bool = true) {
        guard !isOver else { return }
        var event = event
        event.living = world.livingNodes
        if keepsTranscript {
            say(
                "\(event.what) s\(event.site) \(event.value) ctx \(event.context) path \(event.path) living \(event.living)"
            )
        }
        record.append(event)
        eventsInStep += 1
        if eventsInStep > settings.eventsPerStep, !hasCut {
            hasCut = true
            perform(.cutAll)
            return
        }
        guard mayAct, !hasCut, nestedSteps > 0, depth < settings.depth, random.chance(1, in: settings.rarity)
        else {
            return
        }
        nestedSteps -= 1
        depth += 1
        perform(makeStep())
        depth -= 1
    }

    /// The path that came with the listener being called, as the world gave it.
    var pathInHand: Any?

    func listener(_ site: Int, _ emission: Int?, context: Int? = nil, path: [Int] = [], token: Any? = nil) {
        let outer = pathInHand
        if keepsTranscript, !path.isEmpty { say("s\(site) path \(path)") }
        pathInHand = token
        called(
            Event(
                what: .listener,
                site: site,
                value: emission ?? -1,
                context: context ?? -1,
                path: path.reduce(path.count) { ($0 &* 31 &+ $1) & 0xff_ffff }
            )
        )
        pathInHand = outer
    }

    /// The events of an event listener.
    enum Told: Int { case added, value, empty, stopped }

    func heard(_ site: Int, _ what: Told, node: Int, _ emission: Int?) {
        called(
            Event(what: .listener, site: site, value: emission ?? -1, context: what.rawValue, path: node),
            // The last word may come while an owner dies.
            mayAct: what != .stopped
        )
    }

    /// A function from value to value.
    func function(_ site: Int, _ value: Int) -> Int {
        called(Event(what: .function, site: site, value: value))
        return (value &* 3 &+ site) % 16
    }

    func predicate(_ site: Int, _ value: Int) -> Bool {
        called(Event(what: .function, site: site, value: value))
        return (value + site) % 3 != 0
    }

    /// The running value of a scan; its function never acts, because what a reset meanwhile means
    /// is not said.
    func reduce(_ site: Int, _ running: Int, _ value: Int, _ index: Int) -> Int {
        called(Event(what: .function, site: site, value: value, context: index), mayAct: false)
        return (running + value) % 16
    }

    /// The inner node for a value: a place, or a fresh node (`nil`).
    func choose(_ site: Int, _ value: Int) -> Int? {
        called(Event(what: .function, site: site, value: value))
        let choice = (value &* 5 &+ site) % (Places.nodes + 2)
        return choice < Places.nodes ? choice : nil
    }

    /// The key of a switch, and what goes to its node.
    func key(_ site: Int, _ value: Int) -> (key: Int?, mapped: Int) {
        called(Event(what: .function, site: site, value: value))
        let key = (value + site) % 4
        return (key == 3 ? nil : key, (value * 3 + site) % 16)
    }

    /// The function of a transform on emissions.
    func transform(_ site: Int, _ emission: Int?, context: Int?) -> Answer {
        called(Event(what: .function, site: site, value: emission ?? -1, context: context ?? -1))
        guard let emission else { return .emit(site % 2 == 0 ? nil : 7) }
        switch (emission + site) % 5 {
        case 0: return .nothing
        case 1: return .emit(nil)
        default: return .emit((emission + site) % 16)
        }
    }

    /// The graph's error handler was called for a node.
    func failed(_ number: Int) {
        called(Event(what: .error, site: number), mayAct: false)
    }

    func combine(_ site: Int, _ values: [Int]) -> Int {
        let sum = values.reduce(0) { $0 &* 7 &+ $1 } & 0xffff
        called(Event(what: .function, site: site, value: sum))
        return sum % 16
    }

    func join(_ site: Int, _ emissions: [Int?], context: Int?) -> Answer {
        let sum = emissions.reduce(0) { $0 &* 7 &+ ($1 ?? 5) } & 0xffff
        called(Event(what: .function, site: site, value: sum, context: context ?? -1))
        switch sum % 6 {
        case 0: return .nothing
        case 1: return .emit(nil)
        default: return .emit(sum % 16)
        }
    }
}
