import TestSupport

/// What kind of history a seed stands for.
struct Settings {
    var isSettled: Bool
    var propagatesEmpty: Bool
    var keepsPaths: Bool
    /// What a registry does with unused nodes by default.
    var keeping: Keeping
    var steps: Int
    /// Steps from within callbacks, for each step from outside.
    var nestedSteps: Int
    /// One in how many callbacks acts.
    var rarity: Int
    /// How deep steps are nested.
    var depth = 4
    /// Callbacks in one step before everything is cut.
    var eventsPerStep = 250

    init(seed: UInt64, isSettled: Bool) {
        var random = SeededGenerator(seed: seed ^ 0x5eed)
        self.isSettled = isSettled
        propagatesEmpty = random.chance(1, in: 4)
        keepsPaths = random.chance(1, in: 4)
        steps = 15 + random.below(30)
        nestedSteps = random.chance(1, in: 4) ? 0 : 2 + random.below(8)
        rarity = 2 + random.below(8)
        keeping = [.whileInUse, .untilPressure, .untilPressure, .always][random.below(4)]
    }
}
